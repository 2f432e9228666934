/** Issues that are like the one being written: looked for a moment after a key, among what is known here. */
import type { Host } from "../host/host";
import type { SimilarView } from "../host/types";

const AFTER_MS = 250;
/** Fewer letters say nothing. */
const LEAST = 4;

export class Likeness {
  found = $state.raw<SimilarView[]>([]);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asks = 0;

  constructor(private readonly host: Host) {}

  look(destination: string | null, title: string): void {
    clearTimeout(this.timer);
    const asked = ++this.asks;
    if (title.trim().length < LEAST) {
      this.found = [];
      return;
    }
    this.timer = setTimeout(async () => {
      const found = await this.host.similarList(destination, title).catch(() => []);
      // What was typed meanwhile has its own answer.
      if (asked === this.asks) this.found = found;
    }, AFTER_MS);
  }

  end(): void {
    clearTimeout(this.timer);
    this.asks += 1;
    this.found = [];
  }
}
