/** The fake store: drafts, entries, lanes and settings in memory, and a drain that moves them step by step. */
import type {
  AttachmentView,
  Attention,
  DraftView,
  EntryDetails,
  Level,
  Problem,
  SettingView,
} from "../types";
import { details, notAccepted, steps, type FakeEntry, type FakeLane } from "./standing";

export interface FakeDraft extends DraftView {
  removed: AttachmentView[];
}

export function problem(code: Problem["code"], message: string, hint: string | null = null): Problem {
  return { code, message, hint };
}

export class FakeStore {
  drafts = new Map<number, FakeDraft>();
  entries: FakeEntry[] = [];
  lanes: FakeLane[] = [];
  settings: SettingView[] = [];
  paused = false;
  mostEntries = 10_000;
  filedDrafts = new Set<number>();
  revision = 1;
  private last = 0;

  constructor(readonly now: () => number = Date.now) {}

  next(): number {
    return ++this.last;
  }

  stamp(later = 0): string {
    return new Date(this.now() + later).toISOString();
  }

  draft(id: number): FakeDraft {
    const draft = this.drafts.get(id);
    if (draft) return draft;
    throw this.filedDrafts.has(id)
      ? problem("already_filed", "This draft was filed meanwhile.", "Find it in the outbox.")
      : problem("not_found", "This draft is not there any more.");
  }

  entry(id: number): FakeEntry {
    const entry = this.entries.find((one) => one.id === id);
    if (!entry) throw problem("not_found", `There is no issue ${id} in this outbox.`);
    return entry;
  }

  lane(name: string): FakeLane {
    const lane = this.lanes.find((one) => one.name === name);
    if (!lane) throw problem("not_found", `There is no destination called ${name}.`);
    return lane;
  }

  view(entry: FakeEntry): EntryDetails {
    return details(entry, this.lane(entry.destination), this.paused);
  }

  waitingIn(lane: string): number {
    return this.entries.filter((entry) => entry.destination === lane && entry.state === "waiting").length;
  }

  attention(): Attention {
    const waiting = this.entries.filter((entry) => entry.state === "waiting");
    const stuck = this.entries.filter((entry) => entry.state === "attention");
    const signedOut = this.lanes.filter((lane) => lane.signedOut && this.waitingIn(lane.name) > 0);
    const sending = waiting.filter((entry) => entry.leased).length;
    const offline = waiting.length > 0 && waiting.every((entry) => entry.unreachable);
    const needs = stuck.length + signedOut.length;
    const level: Level =
      needs > 0
        ? "needs_you"
        : this.paused
          ? "paused"
          : offline
            ? "offline"
            : sending > 0
              ? "sending"
              : waiting.length > 0
                ? "waiting"
                : "calm";
    const tail = waiting.length > 0 ? `, ${waiting.length} waiting` : "";
    const headline: Record<Level, string> = {
      calm: "All filed",
      waiting: `${waiting.length} waiting`,
      sending: `Sending ${sending} of ${waiting.length}`,
      offline: `Offline${tail}`,
      paused: `Paused${tail}`,
      needs_you: `${needs} ${needs === 1 ? "needs" : "need"} you${tail}`,
    };
    const untils = waiting.flatMap((entry) => entry.until ?? []).sort();
    return {
      level,
      waiting: waiting.length,
      sending,
      attention: needs,
      offline,
      paused: this.paused,
      headline: headline[level],
      next_try: untils[0] ?? null,
      items: [],
      revision: this.revision,
    };
  }

  /** One step of one entry; says whether anything moved. */
  step(): boolean {
    const sending = this.entries.find((entry) => entry.leased);
    if (sending) {
      this.advance(sending, this.lane(sending.destination));
      return true;
    }
    const due = this.entries.find((entry) => this.isDue(entry));
    if (!due) return false;
    due.leased = true;
    due.attempts += 1;
    due.tries.unshift({ number: due.attempts, started: this.stamp(), ended: null, words: "Sending now" });
    return true;
  }

  private isDue(entry: FakeEntry): boolean {
    const lane = this.lane(entry.destination);
    const held = this.paused || lane.paused || lane.signedOut || entry.doubt;
    return entry.state === "waiting" && !held && (!entry.until || Date.parse(entry.until) <= this.now());
  }

  private advance(entry: FakeEntry, lane: FakeLane): void {
    if (entry.wish === "withdraw") {
      entry.wish = null;
      this.settle(entry, "Taken back before it was sent");
      entry.state = "withdrawn";
    } else if (lane.answer === "files") {
      entry.unreachable = false;
      if (entry.done === 0) entry.receipt = this.receipt(entry, lane);
      entry.done += 1;
      if (entry.done >= steps(entry).length) {
        this.settle(entry, "Filed");
        // The receipt says it; only what is amiss has words beside it.
        entry.said = null;
        entry.state = "filed";
        entry.filedAt = this.stamp();
      }
    } else if (lane.answer === "unreachable") {
      entry.unreachable = true;
      entry.attempts -= 1;
      entry.until = this.stamp(5 * 60_000);
      this.settle(entry, `${lane.name} does not answer.`, false);
    } else if (lane.answer === "refuses") {
      this.settle(entry, "The tracker refused it: there is no such label.");
      entry.state = "attention";
    } else if (lane.answer === "is silent") {
      entry.doubt = true;
      entry.until = this.stamp(60_000);
      this.settle(entry, "Sent, but no answer came.");
    } else {
      lane.signedOut = true;
      this.settle(entry, notAccepted(lane), false);
    }
  }

  private settle(entry: FakeEntry, words: string, counts = true): void {
    entry.leased = false;
    entry.said = words;
    const [attempt] = entry.tries;
    if (attempt)
      Object.assign(attempt, { ended: this.stamp(), words, number: counts ? entry.attempts : null });
  }

  receipt(entry: FakeEntry, lane: FakeLane): { number: string; url: string } {
    if (lane.tracker === "folder") {
      const slug = entry.title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .slice(0, 40);
      const number = `${entry.savedAt.slice(0, 10)}-${slug}`;
      return { number, url: `file://${lane.path}/${number}` };
    }
    const number = String(480 + entry.id);
    return { number, url: `${lane.url}/${lane.project}/issues/${number}` };
  }
}
