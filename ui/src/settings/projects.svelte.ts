/** The projects that a token may file in, asked for once an address and a token are filled in. What is typed counts as well. */
import type { Host } from "../host/host";
import { asProblem } from "../host/problem";
import type { NewDestination, Project, TrackerKind } from "../host/types";
import type { Choice } from "../parts/Combo.svelte";
import { settings } from "../words";

/** Those whose own address needs no filling in. */
const KNOWN: TrackerKind[] = ["github", "gitlab"];

export class Projects {
  note = $state<string | null>(null);
  private all = $state.raw<Project[]>([]);
  private asked = "";

  constructor(private readonly host: Host) {}

  get choices(): Choice[] {
    return this.all.map(({ project, name }) => ({ value: project, note: name }));
  }

  /** Asks, unless the same was asked before. */
  async ask(place: NewDestination, token: string | null): Promise<void> {
    const { tracker, url } = place;
    if (!token || !(url?.trim() || KNOWN.includes(tracker))) {
      this.show("", [], null);
      return;
    }
    const asked = JSON.stringify([tracker, url, token]);
    if (asked === this.asked) return;
    this.show(asked, [], settings.askingProjects);
    try {
      const found = await this.host.projectList(place, token);
      if (asked === this.asked) this.show(asked, found, found.length ? null : settings.noProjects);
    } catch (error) {
      // The test tells the rest; here it can still be typed, and asked for once more.
      if (asked === this.asked) this.show("", [], asProblem(error).message);
    }
  }

  private show(asked: string, all: Project[], note: string | null): void {
    this.asked = asked;
    this.all = all;
    this.note = note;
  }
}
