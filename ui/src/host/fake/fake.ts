/**
 * A host in memory, for tests and for a plain browser. It behaves as the app does: drafts have revisions, filing makes
 * entries, the drain moves them, and every change rings `attention-changed`.
 */
import type { Drag, Host, Stop, Which } from "../host";
import type { Attention } from "../types";
import { FakeLanes } from "./lanes";

export class FakeHost extends FakeLanes implements Host {
  readonly opened: { which: Which; draft: number | null }[] = [];
  closed = 0;
  quitted = 0;
  private readonly drags = new Set<(drag: Drag) => void>();
  private readonly lasts = new Set<() => Promise<boolean>>();

  drag(drag: Drag): void {
    for (const hear of [...this.drags]) hear(drag);
  }

  /** The desktop asks the window to close. */
  async askToClose(): Promise<void> {
    const may = await Promise.all([...this.lasts].map((last) => last()));
    if (may.every(Boolean)) this.closed += 1;
  }

  async attentionNow() {
    return (await this.asked("attentionNow")).attention();
  }

  async onAttention(hear: (attention: Attention) => void): Promise<Stop> {
    this.hears.add(hear);
    return () => this.hears.delete(hear);
  }

  async windowOpen(which: Which, draft: number | null) {
    await this.asked("windowOpen", which, draft);
    this.opened.push({ which, draft });
  }

  async windowClose() {
    await this.asked("windowClose");
    this.closed += 1;
  }

  async beforeClose(last: () => Promise<boolean>): Promise<Stop> {
    this.lasts.add(last);
    return () => this.lasts.delete(last);
  }

  async onDrag(hear: (drag: Drag) => void): Promise<Stop> {
    this.drags.add(hear);
    return () => this.drags.delete(hear);
  }

  async appQuit() {
    await this.asked("appQuit");
    this.quitted += 1;
  }
}
