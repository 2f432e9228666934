/**
 * A host in memory, for tests and for a plain browser. It behaves as the app does: drafts have revisions, filing makes
 * entries, the drain moves them, and every change rings `attention-changed`.
 */
import type { Drag, Host, Stop, Which } from "../host";
import type { Acted, Attention, DraftEdit, EntryState, NewDestination, Problem, Tested } from "../types";
import { hostOf, laneView, type FakeEntry, type FakeLane } from "./standing";
import { FakeStore, problem, type FakeDraft } from "./store";
import { drawn } from "./picture";

type Verb = keyof Host;

export class FakeHost implements Host {
  /** Every command that was called, in order. */
  readonly calls: { verb: Verb; args: unknown[] }[] = [];
  readonly opened: { which: Which; draft: number | null }[] = [];
  closed = 0;
  quitted = 0;
  /** What the file dialog of the desktop gives back. */
  picks: File[] = [];
  private hears = new Set<(attention: Attention) => void>();
  private drags = new Set<(drag: Drag) => void>();
  private lasts = new Set<() => Promise<boolean>>();
  private refusals: { verb: Verb; problem: Problem }[] = [];
  private gates = new Map<Verb, Promise<void>>();
  private pictures = new Map<number, string>();

  constructor(readonly store = new FakeStore()) {}

  // What a test or a demo does to it.

  /** The next call of `verb` rejects. */
  refuseNext(verb: Verb, told: Problem): void {
    this.refusals.push({ verb, problem: told });
  }

  /** Calls of `verb` wait until the returned function is called. */
  hold(verb: Verb): () => void {
    let open: () => void = () => undefined;
    this.gates.set(verb, new Promise((done) => (open = done)));
    return () => {
      this.gates.delete(verb);
      open();
    };
  }

  count(verb: Verb): number {
    return this.calls.filter((call) => call.verb === verb).length;
  }

  /** Tells every window that the store changed. */
  ring(): void {
    this.store.revision += 1;
    const attention = this.store.attention();
    for (const hear of [...this.hears]) hear(attention);
  }

  /** Moves everything that can move now. */
  drain(): void {
    while (this.store.step());
    this.ring();
  }

  drag(drag: Drag): void {
    for (const hear of [...this.drags]) hear(drag);
  }

  /** The desktop asks the window to close. */
  async askToClose(): Promise<void> {
    const may = await Promise.all([...this.lasts].map((last) => last()));
    if (may.every(Boolean)) this.closed += 1;
  }

  private async asked(verb: Verb, ...args: unknown[]): Promise<FakeStore> {
    this.calls.push({ verb, args });
    await this.gates.get(verb);
    const at = this.refusals.findIndex((refusal) => refusal.verb === verb);
    const [refusal] = at < 0 ? [] : this.refusals.splice(at, 1);
    if (refusal) throw refusal.problem;
    return this.store;
  }

  // Drafts.

  async draftNew() {
    const store = await this.asked("draftNew");
    const id = store.next();
    const draft: FakeDraft = {
      id,
      key: `0197-${id}`,
      revision: 1,
      destination: null,
      title: "",
      body: "",
      labels: [],
      attachments: [],
      edited_at: store.stamp(),
      removed: [],
    };
    store.drafts.set(id, draft);
    return structuredClone(draft);
  }

  async draftList() {
    const store = await this.asked("draftList");
    const holdsAnything = (draft: FakeDraft) =>
      draft.title.trim() || draft.body.trim() || draft.attachments.length;
    return structuredClone([...store.drafts.values()].filter(holdsAnything)).reverse();
  }

  async draftOpen(id: number) {
    const store = await this.asked("draftOpen", id);
    return structuredClone(store.draft(id));
  }

  async draftSave(edit: DraftEdit) {
    const store = await this.asked("draftSave", structuredClone(edit));
    const draft = store.draft(edit.id);
    if (draft.revision !== edit.revision) {
      throw problem("stale", "This draft was changed in another window.");
    }
    const { destination, body } = edit;
    const title = edit.title.trimEnd();
    const labels = [...edit.labels];
    Object.assign(draft, {
      destination,
      title,
      body,
      labels,
      revision: draft.revision + 1,
      edited_at: store.stamp(),
    });
    this.ring();
    return structuredClone(draft);
  }

  async draftDiscard(id: number) {
    const store = await this.asked("draftDiscard", id);
    store.drafts.delete(id);
    this.ring();
  }

  async draftAttach(draft: number, name: string, bytes: Uint8Array) {
    const store = await this.asked("draftAttach", draft, name, bytes);
    return this.keep(store.draft(draft), name, bytes);
  }

  async draftAttachPick(draft: number) {
    const store = await this.asked("draftAttachPick", draft);
    const picked = this.picks.length > 0 ? this.picks.splice(0) : [];
    const files = [];
    for (const file of picked)
      files.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    return files.map(({ name, bytes }) => this.keep(store.draft(draft), name, bytes));
  }

  async draftAttachPath(draft: number, path: string) {
    const store = await this.asked("draftAttachPath", draft, path);
    return this.keep(store.draft(draft), path.split("/").at(-1) ?? path, new Uint8Array(2048));
  }

  async draftDetach(draft: number, attachment: number) {
    const store = await this.asked("draftDetach", draft, attachment);
    const { attachments, removed } = store.draft(draft);
    const at = attachments.findIndex((one) => one.id === attachment);
    if (at < 0) throw problem("not_found", "That attachment is not there any more.");
    removed.push(...attachments.splice(at, 1));
    this.ring();
  }

  async draftReattach(draft: number, attachment: number) {
    const store = await this.asked("draftReattach", draft, attachment);
    const { attachments, removed } = store.draft(draft);
    const at = removed.findIndex((one) => one.id === attachment);
    if (at < 0) throw problem("not_found", "That attachment is not there any more.");
    attachments.push(...removed.splice(at, 1));
    attachments.sort((one, other) => one.id - other.id);
    this.ring();
  }

  async draftFile(id: number, revision: number) {
    const store = await this.asked("draftFile", id, revision);
    const draft = store.draft(id);
    if (draft.revision !== revision) throw problem("stale", "This draft was changed in another window.");
    if (!draft.title.trim())
      throw problem("invalid", "An issue needs a title.", "Write one line above the text.");
    if (store.entries.filter((entry) => entry.state === "waiting").length >= store.mostEntries) {
      throw problem("outbox_full", "The outbox is full.", "Retry or withdraw some first.");
    }
    const destination = draft.destination ?? store.lanes[0]?.name ?? "";
    const entry = this.enqueue({ ...draft, files: draft.attachments, destination });
    store.drafts.delete(id);
    store.filedDrafts.add(id);
    this.ring();
    return { id: entry.id, key: entry.key, state: entry.state };
  }

  async captureScreen(draft: number) {
    const store = await this.asked("captureScreen", draft);
    return this.keep(store.draft(draft), "screen.png", new Uint8Array(48_000));
  }

  /** Puts an entry into the outbox; what is not said is as of an entry that was just saved. */
  enqueue(given: Partial<FakeEntry> & { title: string; destination: string }): FakeEntry {
    const id = this.store.entries.length + 1;
    const entry: FakeEntry = {
      body: "",
      labels: [],
      files: [],
      state: "waiting",
      leased: false,
      done: 0,
      doubt: false,
      unreachable: false,
      until: null,
      said: null,
      wish: null,
      receipt: null,
      savedAt: this.store.stamp(),
      filedAt: null,
      attempts: 0,
      tries: [],
      ...given,
      id,
      key: given.key ?? `0197-e${id}`,
    };
    this.store.entries.push(entry);
    return entry;
  }

  private keep(draft: FakeDraft, name: string, bytes: Uint8Array) {
    const id = this.store.next();
    const is_picture = /\.(png|jpe?g|gif|webp)$/i.test(name);
    const media_type = is_picture ? "image/png" : "application/octet-stream";
    const attachment = { id, name, media_type, size: bytes.length, is_picture };
    draft.attachments.push(attachment);
    this.pictures.set(id, drawn(name));
    this.ring();
    return { ...attachment };
  }

  // Entries.

  async entryList(state: EntryState | null) {
    const store = await this.asked("entryList", state);
    const listed = store.entries.filter((entry) => state === null || entry.state === state);
    return structuredClone(listed.map((entry) => store.view(entry)));
  }

  async entryOpen(id: number) {
    const store = await this.asked("entryOpen", id);
    return structuredClone(store.view(store.entry(id)));
  }

  async entryRetry(id: number) {
    const store = await this.asked("entryRetry", id);
    return this.acted(store.entry(id), "It is tried now.", {
      state: "waiting",
      until: null,
      doubt: false,
      unreachable: false,
    });
  }

  async entryRetryAll() {
    const store = await this.asked("entryRetryAll");
    const stuck = store.entries.filter(
      (entry) => ["waiting", "attention"].includes(entry.state) && !entry.doubt,
    );
    for (const lane of store.lanes) lane.signedOut = false;
    return stuck.map((entry) =>
      this.acted(entry, "It is tried now.", { state: "waiting", until: null, unreachable: false }),
    );
  }

  async entryWithdraw(id: number) {
    const store = await this.asked("entryWithdraw", id);
    const entry = store.entry(id);
    if (entry.leased)
      return this.acted(entry, "It is taken back at the next safe moment.", { wish: "withdraw" });
    return this.acted(entry, "It has been taken back.", { state: "withdrawn", until: null });
  }

  async entryRestore(id: number) {
    const store = await this.asked("entryRestore", id);
    return this.acted(store.entry(id), "It waits to be sent.", { state: "waiting" });
  }

  async entryResolveThere(id: number, url: string) {
    const store = await this.asked("entryResolveThere", id, url);
    if (!URL.canParse(url)) {
      throw problem(
        "invalid",
        "That is not the address of an issue.",
        "Copy it from the browser’s address bar.",
      );
    }
    const receipt = { number: url.split("/").at(-1) ?? url, url };
    const filed = { state: "filed", doubt: false, receipt, filedAt: store.stamp() } as const;
    return this.acted(store.entry(id), "It counts as filed.", filed);
  }

  async entrySendAgain(id: number) {
    const store = await this.asked("entrySendAgain", id);
    return this.acted(store.entry(id), "It is sent again.", { state: "waiting", doubt: false, until: null });
  }

  async entryShow(id: number) {
    await this.asked("entryShow", id);
  }

  private acted(entry: FakeEntry, words: string, changed: Partial<FakeEntry>): Acted {
    Object.assign(entry, changed);
    this.ring();
    return { id: entry.id, state: entry.state, wish: entry.wish !== null, words };
  }

  // Work, destinations, settings.

  async workPause(destination: string | null, minutes: number | null) {
    const store = await this.asked("workPause", destination, minutes);
    if (destination === null) store.paused = true;
    else store.lane(destination).paused = true;
    this.ring();
  }

  async workResume(destination: string | null) {
    const store = await this.asked("workResume", destination);
    if (destination === null) store.paused = false;
    else store.lane(destination).paused = false;
    this.ring();
  }

  async destinationList() {
    const store = await this.asked("destinationList");
    return store.lanes.map((lane, at) => laneView(lane, at === 0, store.waitingIn(lane.name)));
  }

  async destinationAdd(fresh: NewDestination, token: string | null) {
    const store = await this.asked("destinationAdd", fresh, token);
    const name = fresh.name.trim();
    if (!name)
      throw problem("invalid", "A destination needs a name of 1 to 60 characters.", "Such as: work.");
    if (store.lanes.some((lane) => lane.name === name)) {
      throw problem(
        "refused",
        `There is a destination called ${name} already.`,
        "Give this one another name.",
      );
    }
    const lane: FakeLane = { ...fresh, name, answer: "files", paused: false, signedOut: false };
    store.lanes.push(lane);
    this.ring();
    return laneView(lane, store.lanes.length === 1, 0);
  }

  async destinationRemove(name: string) {
    const store = await this.asked("destinationRemove", name);
    const waiting = store.waitingIn(store.lane(name).name);
    if (waiting > 0) {
      const issues = waiting === 1 ? "1 issue is" : `${waiting} issues are`;
      throw problem("refused", `${issues} still to be filed at ${name}.`, "Move or withdraw them first.");
    }
    store.lanes = store.lanes.filter((lane) => lane.name !== name);
    this.ring();
  }

  async destinationTest(name: string) {
    const store = await this.asked("destinationTest", name);
    const { answer, url, project } = store.lane(name);
    return tested(answer === "unreachable" ? "down" : "up", url, project);
  }

  async destinationTry(fresh: NewDestination, token: string | null) {
    await this.asked("destinationTry", fresh, token);
    return tested(fresh.url?.includes("down") ? "down" : "up", fresh.url, fresh.project);
  }

  async destinationSignIn(name: string, token: string) {
    const store = await this.asked("destinationSignIn", name, token);
    const lane = store.lane(name);
    lane.signedOut = false;
    lane.answer = "files";
    this.ring();
  }

  async settingList() {
    const store = await this.asked("settingList");
    return structuredClone(store.settings);
  }

  async settingSet(key: string, value: string) {
    const store = await this.asked("settingSet", key, value);
    const setting = store.settings.find((one) => one.key === key);
    if (!setting) throw problem("not_found", `There is no setting called ${key}.`);
    const number = value === "unset" ? setting.default : Number(value);
    if (number !== null && !(number >= setting.least && number <= setting.most)) {
      throw problem("invalid", `${key} takes ${setting.least} to ${setting.most} ${setting.unit}.`);
    }
    setting.value = number;
    this.ring();
    return structuredClone(setting);
  }

  // News and windows.

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

  pictureUrl(attachment: number): string {
    return this.pictures.get(attachment) ?? drawn(String(attachment));
  }
}

function tested(tracker: "up" | "down", url: string | null, project: string | null): Tested {
  if (tracker === "up") {
    const words = url
      ? `Gitea 1.24, signed in as ada, may file in ${project}.`
      : "The folder can be written.";
    return { works: true, words, hint: null };
  }
  const hint = "Add it anyway: issues wait until it answers.";
  return { works: false, words: `${hostOf(url ?? "")} does not answer.`, hint };
}
