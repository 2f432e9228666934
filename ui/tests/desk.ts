/** The desk every test sits at: a fake host with two destinations, and the windows opened on it. */
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import Compose from "../src/compose/Compose.svelte";
import { FakeHost } from "../src/host/fake/fake";
import { settings } from "../src/host/fake/sample";
import type { FakeEntry, FakeLane } from "../src/host/fake/standing";
import { FakeStore } from "../src/host/fake/store";
import Outbox from "../src/outbox/Outbox.svelte";
import Settings from "../src/settings/Settings.svelte";

export function desk(): FakeHost {
  const host = new FakeHost(new FakeStore());
  const common = { answer: "files", paused: false, signedOut: false } as const;
  host.store.lanes = [
    {
      ...common,
      name: "work",
      tracker: "gitea",
      url: "https://git.example",
      project: "ada/demo",
      path: null,
    },
    { ...common, name: "reports", tracker: "folder", url: null, project: null, path: "~/Documents/Outtray" },
  ] satisfies FakeLane[];
  host.store.settings = settings();
  return host;
}

export function enqueued(host: FakeHost, title: string, rest: Partial<FakeEntry> = {}): FakeEntry {
  return host.enqueue({ title, destination: "work", ...rest });
}

export function refused(host: FakeHost, title = "Refused"): FakeEntry {
  return enqueued(host, title, { state: "attention", attempts: 1, said: "Refused: there is no such label." });
}

export async function compose(host: FakeHost, draft: number | null = null) {
  const view = render(Compose, { host, draft });
  await settled();
  return {
    ...view,
    user: userEvent.setup(),
    title: screen.getByLabelText<HTMLInputElement>("Title"),
    body: screen.getByLabelText<HTMLTextAreaElement>("Body, Markdown"),
    file: () => screen.getByRole("button", { name: /File issue/ }),
  };
}

export async function outbox(host: FakeHost, view = "") {
  const rendered = render(Outbox, { host, view });
  await settled();
  return { ...rendered, user: userEvent.setup() };
}

export async function settingsWindow(host: FakeHost, view = "destinations") {
  const rendered = render(Settings, { host, view });
  await settled();
  return { ...rendered, user: userEvent.setup() };
}

/** The real clock, whatever a test does to the one the windows see. */
const soon = globalThis.setTimeout;

/** Lets everything that was asked be answered: the fake host answers without waiting, files within a turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    await new Promise((done) => soon(done));
    await tick();
  }
}

export function rows(): string[] {
  return screen.queryAllByRole("row").map((row) => row.querySelector(".title")?.textContent ?? "");
}

export function row(title: string): HTMLElement {
  const found = screen.getAllByRole("row").find((one) => one.querySelector(".title")?.textContent === title);
  if (!found) throw new Error(`no row “${title}” among ${rows().join(", ")}`);
  return found;
}

/** The second line of a row. */
export function line(title: string): string {
  return row(title).querySelector(".line")?.textContent?.replace(/\s+/g, " ").trim() ?? "";
}
