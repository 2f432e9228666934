/** The fake host's drafts and what is attached to them. */
import type { Pasted } from "../host";
import type { DraftEdit, Preview } from "../types";
import { FakeEntries } from "./entries";
import { drawn } from "./picture";
import { leaves } from "./standing";
import { problem, type FakeDraft } from "./store";

export class FakeDrafts extends FakeEntries {
  /** What the file dialog of the desktop gives back. */
  picks: File[] = [];
  /** The files that were copied in a file manager, by name. */
  copied: string[] = [];
  private readonly pictures = new Map<number, string>();

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
      milestone: null,
      assignees: [],
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
    const { destination, body, milestone } = edit;
    const title = edit.title.trimEnd();
    const labels = [...edit.labels];
    const assignees = [...edit.assignees];
    Object.assign(draft, {
      destination,
      title,
      body,
      labels,
      milestone,
      assignees,
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

  async draftPreview(id: number): Promise<Preview> {
    const store = await this.asked("draftPreview", id);
    const draft = store.draft(id);
    const lane = draft.destination ? store.lane(draft.destination) : store.lanes[0];
    if (!lane) throw problem("refused", "There is nowhere to file it yet.", "Add a destination in Settings.");
    return leaves({ ...draft, files: draft.attachments }, lane);
  }

  async clipboardFiles(draft: number): Promise<Pasted> {
    const store = await this.asked("clipboardFiles", draft);
    const held = store.draft(draft);
    return { attached: this.copied.map((name) => this.keep(held, name, new Uint8Array(2048))), refused: [] };
  }

  async captureScreen(draft: number) {
    const store = await this.asked("captureScreen", draft);
    return this.keep(store.draft(draft), "screen.png", new Uint8Array(48_000));
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

  pictureUrl(attachment: number): string {
    return this.pictures.get(attachment) ?? drawn(String(attachment));
  }
}
