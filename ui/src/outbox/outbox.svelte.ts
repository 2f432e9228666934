/** What the outbox window knows: what the store said last, what is chosen, and the verbs of the person. */
import type { Host } from "../host/host";
import { asProblem } from "../host/problem";
import type {
  Act,
  Acted,
  Attention,
  DestinationView,
  DraftView,
  EntryDetails,
  EntryView,
  Preview,
  Problem,
} from "../host/types";
import type { Toasts } from "../window/toasts.svelte";
import { common, outbox } from "../words";
import { counts, sections, type Choice, type Facts, type Line } from "./lines";

/** What the person is asked for in place: a token for a lane, the address of a filed issue, another destination. */
export type Asking = { kind: "token"; lane: string } | { kind: "address" | "destination"; entry: number };

export class OutboxModel {
  entries = $state.raw<EntryView[]>([]);
  drafts = $state.raw<DraftView[]>([]);
  lanes = $state.raw<DestinationView[]>([]);
  attention = $state.raw<Attention | null>(null);
  loaded = $state(false);
  problem = $state.raw<Problem | null>(null);

  choice = $state.raw<Choice>({ view: "all" });
  search = $state("");
  selected = $state<string | null>(null);
  details = $state.raw<EntryDetails | null>(null);
  /** Under 820 px the details lie over the list, and only when asked for. */
  detailsOpen = $state(false);
  asking = $state.raw<Asking | null>(null);
  /** What leaves of an entry, while it is looked at. */
  preview = $state.raw<Preview | null>(null);
  /** Drafts that were discarded and can still be had back. */
  private leaving = $state.raw<number[]>([]);

  readonly facts = $derived<Facts>({
    entries: this.entries,
    drafts: this.drafts.filter((draft) => !this.leaving.includes(draft.id)),
    lanes: this.lanes,
  });
  readonly counts = $derived(counts(this.facts));
  readonly sections = $derived(sections(this.facts, this.choice, this.search));
  readonly lines = $derived(this.sections.flatMap((section) => section.lines));
  readonly line = $derived(this.lines.find((line) => line.id === this.selected) ?? null);
  readonly lane = $derived.by(() => {
    const { choice } = this;
    return "lane" in choice ? (this.lanes.find((lane) => lane.name === choice.lane) ?? null) : null;
  });

  constructor(
    private readonly host: Host,
    private readonly toasts: Toasts,
  ) {}

  /** Asks for everything that is shown. */
  async ask(): Promise<void> {
    try {
      const [entries, drafts, lanes, attention] = await Promise.all([
        this.host.entryList(null),
        this.host.draftList(),
        this.host.destinationList(),
        this.host.attentionNow(),
      ]);
      const at = this.lines.findIndex((line) => line.id === this.selected);
      Object.assign(this, { entries, drafts, lanes, attention, loaded: true });
      this.keepSelection(at);
      await this.askDetails();
    } catch (error) {
      this.problem = asProblem(error);
    }
  }

  /** After a line leaves, the one in its place is selected. */
  keepSelection(at: number): void {
    if (this.line || this.lines.length === 0) return;
    const needs = this.lines.find((line) => line.kind !== "entry" || line.entry.state === "attention");
    const next = at < 0 ? (needs ?? this.lines[0]) : this.lines[Math.min(at, this.lines.length - 1)];
    this.selected = next?.id ?? null;
  }

  choose(choice: Choice): void {
    this.choice = choice;
    this.asking = null;
    this.select(this.lines[0] ?? null);
  }

  select(line: Line | null): void {
    if (line?.id !== this.selected) this.asking = null;
    this.selected = line?.id ?? null;
    void this.askDetails();
  }

  /** Does an act of an entry. */
  act(act: Act, entry: EntryView): Promise<void> {
    const { id, title } = entry;
    switch (act) {
      case "retry":
      case "look_now":
        return this.run(() => this.host.entryRetry(id), this.tell);
      case "withdraw":
        return this.run(
          () => this.host.entryWithdraw(id),
          (acted) => {
            const back = { label: outbox.putBack, take: () => void this.act("restore", entry) };
            this.toasts.show(
              acted.wish ? { words: acted.words } : { words: outbox.withdrawn(title), act: back },
            );
          },
        );
      case "restore":
        return this.run(() => this.host.entryRestore(id), this.tell);
      case "send_again":
        return this.run(() => this.host.entrySendAgain(id), this.tell);
      case "show_files":
        return this.run(() => this.host.entryFilesShow(id));
      case "leave":
        return this.run(() => this.host.entryLeave(id), this.tell);
      case "its_there":
        return this.askInDetails({ kind: "address", entry: id });
      case "move_to":
        return this.askInDetails({ kind: "destination", entry: id });
      case "open":
        return this.run(() => this.host.entryShow(id));
      case "copy_link":
        return this.run(
          () => copy(entry.receipt?.url ?? ""),
          () => this.toasts.show({ words: outbox.copied }),
        );
    }
  }

  resolveThere(entry: number, url: string): Promise<boolean> {
    return this.answer(() => this.host.entryResolveThere(entry, url), this.tell);
  }

  moveTo(entry: number, destination: string): Promise<boolean> {
    return this.answer(
      () => this.host.entryMove(entry, destination),
      ({ words }) => this.toasts.show({ words }),
    );
  }

  /** Shows exactly what leaves of an entry. */
  showPreview({ id }: EntryView): Promise<void> {
    return this.run(
      () => this.host.entryPreview(id),
      (preview) => (this.preview = preview),
    );
  }

  /** Saves an entry as files where the person says. */
  saveAsFiles({ id }: EntryView): Promise<void> {
    return this.run(
      () => this.host.entrySave(id),
      (saved) => {
        if (!saved) return;
        const { path, missing } = saved;
        this.toasts.show({ words: outbox.savedIn(path, missing) });
      },
    );
  }

  signIn(lane: string, token: string): Promise<boolean> {
    return this.answer(async () => {
      await this.host.destinationSignIn(lane, token);
      const remembered = await this.host.destinationRemembered();
      if (remembered.includes(lane)) this.toasts.show({ words: common.untilQuit });
    });
  }

  /** Shows the lane and asks for its token there. */
  askToken(lane: string): void {
    this.choose({ lane });
    this.asking = { kind: "token", lane };
  }

  retryAll(): Promise<void> {
    return this.run(
      () => this.host.entryRetryAll(),
      (all) => this.toasts.show({ words: outbox.retriedAll(all.length) }),
    );
  }

  /** Pauses or resumes one lane, or all work. */
  toggle(lane: DestinationView | null): Promise<void> {
    const [name, paused] = lane ? [lane.name, lane.paused] : [null, this.attention?.paused];
    return this.run(() => (paused ? this.host.workResume(name) : this.host.workPause(name, null)));
  }

  /** Discards a draft once the way back is closed: until then it is only out of sight. */
  discard({ id, title }: DraftView): void {
    const back = () => (this.leaving = this.leaving.filter((one) => one !== id));
    const at = this.lines.findIndex((line) => line.id === `draft-${id}`);
    this.leaving = [...this.leaving, id];
    this.keepSelection(at);
    this.toasts.show({
      words: outbox.discarded(title || common.untitled),
      act: { label: common.undo, take: back },
      after: () => void this.run(() => this.host.draftDiscard(id)).finally(back),
    });
  }

  /** Runs a verb and tells what did not work. */
  async run<T>(verb: () => Promise<T>, then?: (answer: T) => void): Promise<void> {
    try {
      this.problem = null;
      const answer = await verb();
      then?.(answer);
    } catch (error) {
      this.problem = asProblem(error);
    }
  }

  /** Runs the verb behind a small form; says whether the form has done its work. */
  private async answer<T>(verb: () => Promise<T>, then?: (answer: T) => void): Promise<boolean> {
    await this.run(verb, then);
    if (this.problem) return false;
    this.asking = null;
    return true;
  }

  private askInDetails(asking: Asking & { entry: number }): Promise<void> {
    this.selected = `entry-${asking.entry}`;
    this.detailsOpen = true;
    this.asking = asking;
    return this.askDetails();
  }

  /** What is done at once is seen in the row; what is yet to come is told in the store's words. */
  private readonly tell = ({ wish, words }: Acted): void => {
    if (wish) this.toasts.show({ words });
  };

  private async askDetails(): Promise<void> {
    const line = this.line;
    if (line?.kind !== "entry") {
      this.details = null;
      return;
    }
    const { id } = line.entry;
    try {
      const details = await this.host.entryOpen(id);
      if (this.selected === line.id) this.details = details;
    } catch (error) {
      if (this.selected === line.id) this.details = null;
      this.problem = asProblem(error);
    }
  }
}

/** The clipboard of the page; where it is refused, the old command. */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = Object.assign(document.createElement("textarea"), {
      value: text,
      className: "hidden-visually",
    });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}
