/** The door to Rust: what is asked there is what Rust answers to. */
import { readFileSync } from "node:fs";
import { mockIPC } from "@tauri-apps/api/mocks";
import { describe, expect, it } from "vitest";
import { tauri } from "../src/host/tauri";
import { asProblem } from "../src/host/problem";

const asked: { command: string; args: unknown }[] = [];

async function askEverything(): Promise<void> {
  mockIPC((command, args) => void asked.push({ command, args }));
  const edit = {
    id: 1,
    revision: 1,
    destination: null,
    title: "",
    body: "",
    labels: [],
    milestone: null,
    assignees: [],
  };
  const fresh = {
    name: "n",
    tracker: "folder",
    url: null,
    project: null,
    path: "/p",
    branch: null,
    honours_key: false,
    ca: null,
  } as const;
  await Promise.all([
    tauri.draftNew(),
    tauri.draftList(),
    tauri.draftOpen(1),
    tauri.draftSave(edit),
    tauri.draftDiscard(1),
    tauri.draftAttach(1, "ü.png", new Uint8Array([1, 2])),
    tauri.draftAttachPick(1),
    tauri.draftAttachPath(1, "/p"),
    tauri.draftDetach(1, 2),
    tauri.draftReattach(1, 2),
    tauri.draftFile(1, 2),
    tauri.draftPreview(1),
    tauri.clipboardFiles(1),
    tauri.captureScreen(1),
    tauri.entryList(null),
    tauri.entryOpen(1),
    tauri.entryRetry(1),
    tauri.entryRetryAll(),
    tauri.entryWithdraw(1),
    tauri.entryRestore(1),
    tauri.entryResolveThere(1, "u"),
    tauri.entrySendAgain(1),
    tauri.entryLeave(1),
    tauri.entryFilesShow(1),
    tauri.entryShow(1),
    tauri.entryMove(1, "n"),
    tauri.entryPreview(1),
    tauri.entrySave(1),
    tauri.outboxExport("copy"),
    tauri.outboxImport(),
    tauri.workPause(null, 5),
    tauri.workResume(null),
    tauri.destinationList(),
    tauri.destinationAdd(fresh, "t"),
    tauri.destinationRemove("n"),
    tauri.destinationCertificate("n", null),
    tauri.destinationTest("n"),
    tauri.destinationTry(fresh, null),
    tauri.destinationSignIn("n", "t"),
    tauri.destinationRemembered(),
    tauri.projectList(fresh, "t"),
    tauri.catalogueOpen(null, true),
    tauri.similarList("n", "t"),
    tauri.similarShow("n", "u"),
    tauri.settingList(),
    tauri.settingSet("k", "1"),
    tauri.shortcutList(),
    tauri.attentionNow(),
    tauri.windowOpen("outbox", null),
    tauri.windowClose(),
    tauri.windowStay(),
    tauri.appQuit(false),
  ]);
}

describe("the door", () => {
  it("asks for every command that Rust grants, and for no other", async () => {
    await askEverything();
    const build = readFileSync(`${process.cwd()}/../src-tauri/build.rs`, "utf8");
    const list = /COMMANDS: &\[&str\] = &\[([^\]]*)\]/.exec(build)?.[1] ?? "";
    const granted = [...list.matchAll(/"(\w+)"/g)].map((match) => match[1]);
    expect([...new Set(asked.map((one) => one.command))].sort()).toEqual(granted.sort());
  });

  it("names arguments as Rust does, and sends bytes as bytes", async () => {
    const argsOf = (command: string) => asked.find((one) => one.command === command)?.args;
    expect(argsOf("draft_detach")).toEqual({ draft: 1, attachment: 2 });
    expect(argsOf("destination_add")).toMatchObject({ new: { name: "n" }, token: "t" });
    expect(argsOf("work_pause")).toEqual({ destination: null, minutes: 5 });
    expect(argsOf("draft_attach")).toEqual(new Uint8Array([1, 2]));
  });

  it("tells what is no problem of Rust's as it is", () => {
    const problem = { code: "busy", message: "Busy.", hint: null };
    expect(asProblem(problem)).toBe(problem);
    expect(asProblem(new Error("not allowed"))).toEqual({
      code: "internal",
      message: "not allowed",
      hint: null,
    });
    expect(asProblem("gone")).toEqual({ code: "internal", message: "gone", hint: null });
  });
});
