/**
 * The draft that a compose window writes: the words on screen, and what of them is safe.
 *
 * The words on screen are never thrown away. They go to the store within half a second of a key, one save after the
 * other; what cannot be saved is told, and tried again. When the store holds other words than this window last saw, the person picks, and what was not picked becomes
 * a draft of its own.
 */
import type { Host } from "../host/host";
import { asProblem } from "../host/problem";
import type { AttachmentView, DraftView, Problem, Saved } from "../host/types";
import { compose } from "../words";
import { blank, same, wordsOf, type Words } from "./words";

/** After a key, so long for the next one. */
const SAVE_AFTER_MS = 150;
/** Whoever writes without a pause is saved all the same; a little under the half second that is promised, so that the
 * save itself has time. */
const SAVE_AT_LAST_MS = 400;
/** What could not be saved is tried again by itself. */
const TRY_AGAIN_MS = 5000;

export type Trouble =
  | { kind: "not_saved"; problem: Problem }
  /** Another window saved other words. */
  | { kind: "stale"; theirs: DraftView }
  /** The draft was filed or discarded meanwhile. */
  | { kind: "gone"; problem: Problem };

export type Standing = "blank" | "unsaved" | "saving" | "saved";

export class Writing {
  words = $state<Words>(blank());
  attachments = $state.raw<AttachmentView[]>([]);
  standing = $state<Standing>("blank");
  trouble = $state.raw<Trouble | null>(null);
  /** Set once the issue is safe: from then on this window only shows. */
  sealed = $state.raw<Saved | null>(null);
  id = $state(0);

  private revision = 0;
  /** The words as this window last sent or read them, and as the store answered: it tidies titles and labels. */
  private sent: Words = blank();
  private stored: Words = blank();
  /** The draft is being opened, or a save is under way. */
  private busy: Promise<unknown> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** When the oldest word that is not on its way to the store was written. */
  private since: number | null = null;

  constructor(private readonly host: Host) {}

  get isDirty(): boolean {
    return !same(this.words, this.sent);
  }

  get isBlank(): boolean {
    const { title, body, labels, milestone, assignees } = this.words;
    const chosen = labels.length + assignees.length + this.attachments.length;
    return !title.trim() && !body.trim() && chosen === 0 && milestone === null;
  }

  get isUntitled(): boolean {
    return this.words.title.trim() === "";
  }

  /**
   * Opens a draft, or begins a new one, which takes in what was typed meanwhile. Rejects when the draft is not there;
   * that no new one can be begun is a trouble like any other.
   */
  async open(id: number | null): Promise<void> {
    const opened = id === null ? this.begin() : this.host.draftOpen(id).then((view) => this.adopt(view));
    this.busy = opened.catch(() => undefined);
    try {
      await opened;
    } finally {
      this.busy = null;
    }
    if (this.trouble) this.saveIn(TRY_AGAIN_MS);
    else await this.save();
  }

  /** Takes what the person wrote; it is saved soon. */
  write(part: Partial<Words>): void {
    if (this.sealed) return;
    Object.assign(this.words, part);
    if (!this.isDirty) return;
    this.standing = "unsaved";
    this.since ??= performance.now();
    const atLast = this.since + SAVE_AT_LAST_MS - performance.now();
    this.saveIn(Math.max(0, Math.min(SAVE_AFTER_MS, atLast)));
  }

  /** Saves what is not saved yet; says whether all of it is safe now. */
  async save(): Promise<boolean> {
    clearTimeout(this.timer);
    while (this.busy) await this.busy;
    let goes = true;
    while (goes && this.wantsSaving) {
      const sent = this.send();
      this.busy = sent;
      goes = await sent;
      this.busy = null;
    }
    if (this.trouble?.kind === "not_saved") this.saveIn(TRY_AGAIN_MS);
    return !this.isDirty;
  }

  /** The draft's number, or nothing while none can be begun. */
  async draft(): Promise<number | null> {
    if (!this.id) await this.save();
    return this.id || null;
  }

  /** As `save`; words that belong to no draft any more get one of their own. For when the window goes. */
  async leave(): Promise<boolean> {
    if (await this.save()) return true;
    if (!this.isTornApart) return false;
    try {
      await this.keepApart($state.snapshot(this.words));
    } catch (error) {
      this.trouble = { kind: "not_saved", problem: asProblem(error) };
      return false;
    }
    this.sent = $state.snapshot(this.words);
    return true;
  }

  /** Files it. Resolves once it is safe; rejects with a `Problem`, and nothing is lost. */
  async file(): Promise<void> {
    if (!(await this.save())) {
      const trouble = this.trouble;
      throw trouble && "problem" in trouble ? trouble.problem : STALE;
    }
    try {
      this.sealed = await this.host.draftFile(this.id, this.revision);
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === "stale") await this.meet();
      else if (isGone(problem)) this.trouble = { kind: "gone", problem };
      throw problem;
    }
  }

  /** Asks the store again; other windows may have changed this draft. */
  async ask(): Promise<void> {
    if (!this.id || this.sealed) return;
    try {
      const view = await this.host.draftOpen(this.id);
      // A save under way is answered by its own view, and rings again.
      if (this.busy || this.sealed || this.isTornApart || view.id !== this.id) return;
      this.attachments = view.attachments;
      this.take(view);
    } catch (error) {
      const problem = asProblem(error);
      if (!this.sealed && isGone(problem)) this.trouble = { kind: "gone", problem };
    }
  }

  /** Shows the other window's words; these become a draft of their own. */
  async loadOther(): Promise<void> {
    if (this.trouble?.kind !== "stale") return;
    await this.keepApart($state.snapshot(this.words));
    this.adopt(await this.host.draftOpen(this.id));
  }

  /** Keeps the words on screen; the other window's become a draft of their own. */
  async keepMine(): Promise<void> {
    if (this.trouble?.kind !== "stale") return;
    const theirs = await this.host.draftOpen(this.id);
    await this.keepApart(wordsOf(theirs));
    this.revision = theirs.revision;
    this.sent = this.stored = wordsOf(theirs);
    this.trouble = null;
    await this.save();
  }

  /** Goes on with the words on screen in a draft of their own. */
  async goOn(): Promise<void> {
    const words = $state.snapshot(this.words);
    this.adopt(await this.host.draftNew());
    this.write(words);
    await this.save();
  }

  /** Shows attachments that were just added, or taken off. */
  showAttachments(change: (shown: AttachmentView[]) => AttachmentView[]): void {
    this.attachments = change(this.attachments);
  }

  private get isTornApart(): boolean {
    return this.trouble?.kind === "stale" || this.trouble?.kind === "gone";
  }

  private get wantsSaving(): boolean {
    return (this.isDirty || !this.id) && !this.sealed && !this.isTornApart;
  }

  private saveIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.save(), ms);
  }

  /** Gives the words a draft to stand in; says whether there is one. */
  private async begin(): Promise<boolean> {
    try {
      const view = await this.host.draftNew();
      this.id = view.id;
      this.revision = view.revision;
      this.sent = this.stored = wordsOf(view);
      this.trouble = null;
      return true;
    } catch (error) {
      this.trouble = { kind: "not_saved", problem: asProblem(error) };
      return false;
    }
  }

  private async send(): Promise<boolean> {
    if (!this.id && !(await this.begin())) return false;
    if (!this.isDirty) return true;
    this.since = null;
    const words = $state.snapshot(this.words);
    this.standing = "saving";
    try {
      const view = await this.host.draftSave({ id: this.id, revision: this.revision, ...words });
      this.revision = view.revision;
      this.sent = words;
      this.stored = wordsOf(view);
      this.trouble = null;
      this.standing = this.isDirty ? "unsaved" : "saved";
      return true;
    } catch (error) {
      this.standing = "unsaved";
      const problem = asProblem(error);
      if (problem.code === "stale") return this.meet();
      this.trouble = { kind: isGone(problem) ? "gone" : "not_saved", problem };
      return false;
    }
  }

  /** Reads what another window saved; says whether these words can still be saved over it. */
  private async meet(): Promise<boolean> {
    try {
      return this.take(await this.host.draftOpen(this.id));
    } catch (error) {
      const problem = asProblem(error);
      this.trouble = { kind: isGone(problem) ? "gone" : "not_saved", problem };
      return false;
    }
  }

  private take(view: DraftView): boolean {
    // An answer that was overtaken by a save of this window.
    if (view.revision <= this.revision) return true;
    if (same(wordsOf(view), this.stored) || same(wordsOf(view), this.words)) {
      this.revision = view.revision;
      this.stored = wordsOf(view);
      return true;
    }
    if (this.isDirty) {
      this.trouble = { kind: "stale", theirs: view };
      return false;
    }
    this.adopt(view);
    return true;
  }

  private adopt(view: DraftView): void {
    this.id = view.id;
    this.revision = view.revision;
    this.words = wordsOf(view);
    this.sent = this.stored = wordsOf(view);
    this.attachments = view.attachments;
    this.trouble = null;
    this.standing = this.isBlank ? "blank" : "saved";
  }

  private async keepApart(words: Words): Promise<void> {
    const { id, revision } = await this.host.draftNew();
    await this.host.draftSave({ id, revision, ...words });
  }
}

const STALE: Problem = { code: "stale", message: compose.stale, hint: compose.staleWhy };

function isGone({ code }: Problem): boolean {
  return code === "not_found" || code === "already_filed";
}
