/** The fake host's entries. */
import type { Acted, EntryState } from "../types";
import { FakeCaller } from "./caller";
import { leaves, type FakeEntry } from "./standing";
import { problem } from "./store";

export class FakeEntries extends FakeCaller {
  /** What the folder dialog of the desktop gives back. */
  folder: string | null = "/home/ada/Reports";
  /** Attachments that are not on this computer any more. */
  missing: string[] = [];

  /** Puts an entry into the outbox; what is not said is as of an entry that was just saved. */
  enqueue(given: Partial<FakeEntry> & { title: string; destination: string }): FakeEntry {
    const id = this.store.entries.length + 1;
    const entry: FakeEntry = {
      body: "",
      labels: [],
      milestone: null,
      assignees: [],
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
      isHeldCopy: false,
      ...given,
      id,
      key: given.key ?? `0197-e${id}`,
    };
    this.store.entries.push(entry);
    return entry;
  }

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

  async entryLeave(id: number) {
    const store = await this.asked("entryLeave", id);
    return this.acted(store.entry(id), "It stays filed as it is.", { state: "filed" });
  }

  async entryFilesShow(id: number) {
    await this.asked("entryFilesShow", id);
  }

  async entryShow(id: number) {
    await this.asked("entryShow", id);
  }

  async entryMove(id: number, destination: string) {
    const store = await this.asked("entryMove", id, destination);
    const entry = store.entry(id);
    const { name } = store.lane(destination);
    if (entry.leased || entry.doubt)
      return this.acted(entry, `It goes to ${name} at the next safe moment.`, { wish: "move" });
    return this.acted(entry, `It goes to ${name}.`, { destination: name, state: "waiting", until: null });
  }

  async entryPreview(id: number) {
    const store = await this.asked("entryPreview", id);
    const entry = store.entry(id);
    return leaves(entry, store.lane(entry.destination));
  }

  async entrySave(id: number) {
    const store = await this.asked("entrySave", id);
    const entry = store.entry(id);
    if (!this.folder) return null;
    return { path: `${this.folder}/${entry.key}`, files: entry.files.length, missing: this.missing };
  }

  private acted(entry: FakeEntry, words: string, changed: Partial<FakeEntry>): Acted {
    Object.assign(entry, changed);
    this.ring();
    return { id: entry.id, state: entry.state, wish: entry.wish !== null, words };
  }
}
