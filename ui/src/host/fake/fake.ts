/**
 * A host in memory, for tests and for a plain browser. It behaves as the app does: drafts have revisions, filing makes
 * entries, the drain moves them, and every change rings `attention-changed`.
 */
import type { Drag, Host, Stop, Which, Why } from "../host";
import type { Attention } from "../types";
import { FakeOffers } from "./offers";

export class FakeHost extends FakeOffers implements Host {
  readonly opened: { which: Which; draft: number | null }[] = [];
  closed = 0;
  stayed = 0;
  quitted: ("asked" | "anyway")[] = [];
  private readonly drags = new Set<(drag: Drag) => void>();
  private readonly turns = new Set<(view: string) => void>();
  private readonly asks = new Set<(why: Why) => void>();

  drag(drag: Drag): void {
    for (const hear of [...this.drags]) hear(drag);
  }

  /** The desktop closes the window, or the person quits: it is asked to go. */
  askToGo(why: Why): void {
    for (const hear of [...this.asks]) hear(why);
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

  async windowStay() {
    await this.asked("windowStay");
    this.stayed += 1;
  }

  async onAskedToGo(hear: (why: Why) => void): Promise<Stop> {
    this.asks.add(hear);
    return () => this.asks.delete(hear);
  }

  /** The tray or a notification has this window show something else. */
  turn(view: string): void {
    for (const hear of [...this.turns]) hear(view);
  }

  async onTurned(hear: (view: string) => void): Promise<Stop> {
    this.turns.add(hear);
    return () => this.turns.delete(hear);
  }

  async onDrag(hear: (drag: Drag) => void): Promise<Stop> {
    this.drags.add(hear);
    return () => this.drags.delete(hear);
  }

  async appQuit(anyway: boolean) {
    await this.asked("appQuit", anyway);
    this.quitted.push(anyway ? "anyway" : "asked");
  }
}
