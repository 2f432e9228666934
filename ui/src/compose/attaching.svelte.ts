/** Pictures and files of a draft: in by capture, dialog, paste and drop; out with a way back. */
import type { Host } from "../host/host";
import { asProblem } from "../host/problem";
import type { AttachmentView, Problem } from "../host/types";
import type { Toasts } from "../window/toasts.svelte";
import { common, compose } from "../words";
import type { Writing } from "./writing.svelte";

/** Something that did not work, told until the person has read it. */
export interface Note {
  id: number;
  problem: Problem;
  again: (() => void) | null;
}

export class Attaching {
  notes = $state.raw<Note[]>([]);
  capturing = $state(false);
  private pasted = 0;
  private last = 0;

  constructor(
    private readonly host: Host,
    private readonly writing: Writing,
    private readonly toasts: Toasts,
  ) {}

  async capture(): Promise<void> {
    if (this.capturing) return;
    this.capturing = true;
    await this.writing.save();
    await this.add(
      async (draft) => [await this.host.captureScreen(draft)],
      () => this.capture(),
    );
    this.capturing = false;
  }

  pick(): Promise<void> {
    return this.add((draft) => this.host.draftAttachPick(draft), null);
  }

  /** Files from the clipboard or dropped by a browser: their bytes travel. One that cannot be read stops no other. */
  async files(files: File[], pasted = false): Promise<void> {
    for (const file of files) {
      const name = pasted && isNameless(file) ? compose.pasted(++this.pasted) : file.name;
      await this.add(async (draft) => {
        const bytes = new Uint8Array(await file.arrayBuffer());
        return [await this.host.draftAttach(draft, name, bytes)];
      }, null);
    }
  }

  /** Files dropped by the desktop: Rust reads them itself. */
  async paths(paths: string[]): Promise<void> {
    for (const path of paths) {
      await this.add(async (draft) => [await this.host.draftAttachPath(draft, path)], null);
    }
  }

  /** Files copied in a file manager: Rust finds and reads them. Says whether there were any. */
  async copied(): Promise<boolean> {
    let any = false;
    await this.add(async (draft) => {
      const { attached, refused } = await this.host.clipboardFiles(draft);
      any = attached.length + refused.length > 0;
      for (const problem of refused) this.note(problem);
      return attached;
    }, null);
    return any;
  }

  async remove(attachment: AttachmentView): Promise<void> {
    const { id } = this.writing;
    const back = async () => {
      try {
        await this.host.draftReattach(id, attachment.id);
        this.show([attachment]);
      } catch (error) {
        this.note(asProblem(error));
      }
    };
    this.writing.showAttachments((shown) => shown.filter((one) => one.id !== attachment.id));
    try {
      await this.host.draftDetach(id, attachment.id);
      this.toasts.show({
        words: compose.removed(attachment.name),
        act: { label: common.undo, take: () => void back() },
      });
    } catch (error) {
      this.show([attachment]);
      this.note(asProblem(error));
    }
  }

  note(problem: Problem, again: (() => void) | null = null): void {
    const notes = this.notes.filter((note) => note.problem.message !== problem.message);
    this.notes = [...notes, { id: ++this.last, problem, again }];
  }

  dismiss(id: number): void {
    this.notes = this.notes.filter((note) => note.id !== id);
  }

  private async add(
    take: (draft: number) => Promise<AttachmentView[]>,
    again: (() => void) | null,
  ): Promise<void> {
    if (this.writing.sealed) return;
    const draft = await this.writing.draft();
    // That there is none is told already.
    if (draft === null) return;
    try {
      this.show(await take(draft));
    } catch (error) {
      this.note(asProblem(error), again);
    }
  }

  /** In the order in which they were added, each once: the store may have told of them first. */
  private show(fresh: AttachmentView[]): void {
    this.writing.showAttachments((shown) => {
      const all = new Map([...shown, ...fresh].map((one) => [one.id, one]));
      return [...all.values()].sort((one, other) => one.id - other.id);
    });
  }
}

/** Screenshots on the clipboard all come as "image.png". */
function isNameless(file: File): boolean {
  return file.name === "" || /^image\.\w+$/.test(file.name);
}
