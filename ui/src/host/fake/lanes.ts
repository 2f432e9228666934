/** The fake host's work, destinations and settings. */
import type { Shortcut } from "../host";
import type { ArchiveKind, Exported, Imported, NewDestination, Tested } from "../types";
import { FakeDrafts } from "./drafts";
import { hostOf, laneView, type FakeLane } from "./standing";
import { problem } from "./store";

export class FakeLanes extends FakeDrafts {
  /** Whether a keyring keeps tokens; without one they are remembered. */
  keyring = true;
  shortcuts: Shortcut[] = [
    { verb: "new", keys: "Ctrl+Shift+I", standing: "bound" },
    { verb: "capture", keys: "Ctrl+Shift+S", standing: "bound" },
  ];
  /** What an export and an import come to; nothing stands for a dialog that was cancelled. */
  exported: Exported | null = { kind: "copy", entries: 3, unfiled: 2, drafts: 1, files: 2, missing: 0 };
  imported: Imported | null = {
    kind: "copy",
    entries: 0,
    held: 0,
    already: 0,
    put_back: 0,
    drafts: 0,
    destinations: [],
  };
  private readonly remembered = new Set<string>();

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
    const lane: FakeLane = {
      ...fresh,
      name,
      ca: fresh.ca ?? null,
      answer: "files",
      paused: false,
      signedOut: false,
    };
    store.lanes.push(lane);
    if (token && !this.keyring) this.remembered.add(name);
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

  async destinationCertificate(name: string, ca: string | null) {
    const store = await this.asked("destinationCertificate", name, ca);
    const lane = store.lane(name);
    if (ca !== null && !/^[~/]/.test(ca)) {
      throw problem("invalid", `“${ca}” does not say where that file is.`, "Give the whole path.");
    }
    lane.ca = ca;
    this.ring();
    return laneView(lane, false, 0);
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
    if (!this.keyring) this.remembered.add(name);
    this.ring();
  }

  async destinationRemembered() {
    await this.asked("destinationRemembered");
    return [...this.remembered];
  }

  async outboxExport(kind: ArchiveKind) {
    await this.asked("outboxExport", kind);
    return this.exported && { ...this.exported, kind };
  }

  async outboxImport() {
    await this.asked("outboxImport");
    return this.imported;
  }

  async shortcutList() {
    await this.asked("shortcutList");
    return structuredClone(this.shortcuts);
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
