import { fireEvent, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { compose, desk, settled } from "./desk";

const type = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });
const later = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
};

const DISK_FULL = { code: "disk_full", message: "The disk is full.", hint: "Make some room." } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("autosave", () => {
  it("saves what was typed within half a second", async () => {
    const host = desk();
    const { title, body } = await compose(host);
    await type(title, "Crash on save");
    await type(body, "It went away.");
    expect(host.count("draftSave")).toBe(0);
    await later(500);
    expect(host.count("draftSave")).toBe(1);
    expect([...host.store.drafts.values()][0]).toMatchObject({
      title: "Crash on save",
      body: "It went away.",
    });
    expect(screen.getByText("Draft saved on this computer")).toBeTruthy();
  });

  it("saves whoever writes without a pause, each word within half a second, one save at a time", async () => {
    const host = desk();
    const { body } = await compose(host);
    let text = "";
    const written = new Map<string, number>();
    const saved = () => host.calls.filter((call) => call.verb === "draftSave").map(({ args }) => args[0]);
    for (let key = 0; key < 60; key++) {
      text += "x";
      written.set(text, key * 50);
      await type(body, text);
      await later(50);
      const kept = (saved().at(-1) as { body: string } | undefined)?.body ?? "";
      for (const [words, at] of written) {
        if (key * 50 + 50 - at >= 500) expect(kept.length, words).toBeGreaterThanOrEqual(words.length);
      }
    }
    expect(saved().length, "and not with each key").toBeLessThan(12);
  });

  it("sends one save after the other, and the last words win", async () => {
    const host = desk();
    const { title } = await compose(host);
    const open = host.hold("draftSave");
    await type(title, "One");
    await later(500);
    await type(title, "One two");
    await later(500);
    expect(host.count("draftSave"), "the second waits for the first").toBe(1);
    open();
    await later(500);
    expect(host.count("draftSave")).toBe(2);
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "One two", revision: 3 });
  });

  it("saves at once when the window loses the focus or is hidden", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "One");
    await fireEvent.blur(window);
    await settled();
    expect(host.count("draftSave")).toBe(1);
    await type(title, "Two");
    await fireEvent(window, new Event("pagehide"));
    await settled();
    expect(host.count("draftSave")).toBe(2);
  });

  it("says that words are not saved, keeps them, and saves them on the next try", async () => {
    const host = desk();
    const { title } = await compose(host);
    host.refuseNext("draftSave", {
      code: "disk_full",
      message: "The disk is full.",
      hint: "Make some room.",
    });
    await type(title, "Precious");
    await later(500);
    expect(screen.getByRole("alert").textContent).toContain("The disk is full. Make some room.");
    expect(screen.getByText("Not saved yet")).toBeTruthy();
    expect(title.value).toBe("Precious");
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await settled();
    expect(screen.queryByRole("alert")).toBeNull();
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "Precious" });
  });

  it("tries again by itself once the disk has room", async () => {
    const host = desk();
    const { title } = await compose(host);
    host.refuseNext("draftSave", DISK_FULL);
    await type(title, "Precious");
    await later(500);
    expect(screen.getByRole("alert")).toBeTruthy();
    await later(5000);
    expect(screen.queryByRole("alert")).toBeNull();
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "Precious" });
  });

  it("a window that cannot even begin a draft says so, and its words are saved as soon as it can", async () => {
    const host = desk();
    const room = host.refuse("draftNew", DISK_FULL);
    const { title } = await compose(host);
    const told = () => screen.getByRole("alert").textContent;
    expect(told()).toContain("What you write here cannot be saved now. The disk is full. Make some room.");
    expect(screen.getByText("Nothing can be saved now"), "the foot is true").toBeTruthy();
    await type(title, "Precious");
    await later(500);
    expect(told()).toContain("Your words are not saved yet. The disk is full.");
    expect(screen.getByText("Not saved yet")).toBeTruthy();
    await fireEvent.keyDown(title, { key: "Enter", ctrlKey: true });
    await settled();
    expect(screen.getAllByRole("alert"), "told once").toHaveLength(1);
    expect(told()).toContain("The disk is full.");
    await fireEvent.click(screen.getByRole("button", { name: /Attach/ }));
    await settled();
    expect(host.count("draftAttachPick"), "there is no draft to attach to").toBe(0);
    room();
    await later(5000);
    expect(screen.queryByRole("alert")).toBeNull();
    expect([...host.store.drafts.values()]).toMatchObject([{ title: "Precious" }]);
  });

  it("takes a title that the store tidied as saved", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Ends in a space ");
    await later(2000);
    expect(host.count("draftSave")).toBe(1);
    expect(title.value, "nothing jumps under the cursor").toBe("Ends in a space ");
  });
});

describe("leaving", () => {
  it("Esc saves, closes, and keeps the draft", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Half a thought");
    await fireEvent.keyDown(title, { key: "Escape" });
    await settled();
    expect(host.closed).toBe(1);
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "Half a thought" });
  });

  it("Esc does not close a window whose words cannot be saved", async () => {
    const host = desk();
    const { title } = await compose(host);
    host.refuseNext("draftSave", { code: "read_only", message: "The folder cannot be written.", hint: null });
    await type(title, "Half a thought");
    await fireEvent.keyDown(title, { key: "Escape" });
    await settled();
    expect(host.closed).toBe(0);
    expect(title.value).toBe("Half a thought");
    expect(screen.getByRole("alert").textContent, "it says why").toContain(
      "This window stays open: your words are not saved yet. The folder cannot be written.",
    );
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await settled();
    expect(host.closed, "and then does what was asked for").toBe(1);
  });

  it("a window the desktop closes saves first", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Half a thought");
    host.askToGo("close");
    await settled();
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "Half a thought" });
    expect(host.closed).toBe(1);
  });

  it("a window the desktop closes comes back when its words cannot be saved", async () => {
    const host = desk();
    const { title } = await compose(host);
    host.refuse("draftSave", DISK_FULL);
    await type(title, "Half a thought");
    host.askToGo("close");
    await settled();
    expect([host.closed, host.stayed]).toEqual([0, 1]);
    expect(title.value).toBe("Half a thought");
    expect(screen.getByRole("alert").textContent).toContain("This window stays open");
    expect(screen.queryByRole("button", { name: "Quit anyway" }), "nobody wants to quit").toBeNull();
  });

  it("so does one without a draft: no word is lost because none could be begun", async () => {
    const host = desk();
    host.refuse("draftNew", DISK_FULL);
    const { title } = await compose(host);
    await type(title, "Half a thought");
    host.askToGo("close");
    await settled();
    expect([host.closed, host.stayed]).toEqual([0, 1]);
  });

  it("quitting stops for words that cannot be saved, says why, and offers both ways", async () => {
    const host = desk();
    const { title } = await compose(host);
    const room = host.refuse("draftSave", DISK_FULL);
    await type(title, "Half a thought");
    host.askToGo("quit");
    host.askToGo("quit");
    await settled();
    expect([host.closed, host.stayed], "answered once").toEqual([0, 1]);
    expect(screen.getByRole("alert").textContent).toContain(
      "Outtray has not quit: your words are not saved yet. The disk is full. Make some room.",
    );
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(host.quitted, "every window is asked anew").toEqual(["asked"]);
    await fireEvent.click(screen.getByRole("button", { name: "Quit anyway" }));
    expect(host.quitted).toEqual(["asked", "anyway"]);
    room();
    host.askToGo("quit");
    await settled();
    expect(host.closed).toBe(1);
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "Half a thought" });
  });

  it("Ctrl+Q leaves the asking to the app, which asks every window", async () => {
    const host = desk();
    const { title } = await compose(host);
    host.refuse("draftSave", DISK_FULL);
    await type(title, "Half a thought");
    await fireEvent.keyDown(title, { key: "q", ctrlKey: true });
    await settled();
    expect(host.quitted).toEqual(["asked"]);
  });

  it("two versions that cannot both be kept hold the window", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Mine");
    const [draft] = host.store.drafts.values();
    if (!draft) throw new Error("no draft");
    await host.draftSave({ ...draft, title: "Theirs" });
    await later(500);
    host.refuseNext("draftNew", DISK_FULL);
    host.askToGo("quit");
    await settled();
    expect([host.closed, host.stayed]).toEqual([0, 1]);
    expect(screen.getByRole("alert").textContent).toContain("Outtray has not quit");
    host.askToGo("quit");
    await settled();
    expect(host.closed).toBe(1);
    expect([...host.store.drafts.values()].map((one) => one.title).sort()).toEqual(["Mine", "Theirs"]);
  });
});

describe("filing", () => {
  it("an empty title is asked for in words, and nothing is lost", async () => {
    const host = desk();
    const { body, title, file } = await compose(host);
    await type(body, "All my words");
    await fireEvent.keyDown(body, { key: "Enter", ctrlKey: true });
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("An issue needs a title.");
    expect(document.activeElement).toBe(title);
    expect(title.getAttribute("aria-invalid")).toBe("true");
    const why = document.getElementById(file().getAttribute("aria-describedby") ?? "");
    expect(why?.textContent, "the button says why").toContain("An issue needs a title.");
    expect(host.count("draftFile")).toBe(0);
    expect(body.value).toBe("All my words");
    await type(title, "Now it has one");
    await settled();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("saves first, then files, seals the sheet and closes by itself", async () => {
    const host = desk();
    const { title, file } = await compose(host);
    await type(title, "Crash on save");
    await fireEvent.click(file());
    await settled();
    expect(host.calls.map((call) => call.verb).filter((verb) => /Save|File/.test(verb))).toEqual([
      "draftSave",
      "draftFile",
    ]);
    expect(screen.getByRole("status").textContent).toContain("Saved");
    expect(title.readOnly).toBe(true);
    expect(screen.queryByRole("button", { name: "Undo" }), "no undo that cannot be kept").toBeNull();
    expect(host.closed).toBe(0);
    await later(1600);
    expect(host.closed).toBe(1);
    expect(host.store.entries[0]).toMatchObject({ title: "Crash on save", state: "waiting" });
  });

  it("a second press files nothing twice", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Once");
    const open = host.hold("draftFile");
    await fireEvent.keyDown(title, { key: "Enter", ctrlKey: true });
    await fireEvent.keyDown(title, { key: "Enter", ctrlKey: true });
    await settled();
    open();
    await settled();
    expect(host.count("draftFile")).toBe(1);
  });

  it("the sealed window stays while somebody is about to press its button", async () => {
    const host = desk();
    const { title, file } = await compose(host);
    await type(title, "Crash on save");
    await fireEvent.click(file());
    await settled();
    const button = screen.getByRole("button", { name: "Open outbox" });
    await fireEvent.focusIn(button);
    await later(5000);
    expect(host.closed).toBe(0);
    await fireEvent.click(button);
    await settled();
    expect(host.opened).toEqual([{ which: "outbox", draft: null }]);
    expect(host.closed).toBe(1);
  });

  it("a label that is typed and not entered travels too", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Labelled");
    await type(screen.getByLabelText("Add label"), "bug");
    await fireEvent.keyDown(title, { key: "Enter", ctrlKey: true });
    await settled();
    expect(host.store.entries[0]?.labels).toEqual(["bug"]);
  });

  it("a full outbox is told at the foot, and the draft is safe", async () => {
    const host = desk();
    host.store.mostEntries = 0;
    const { title, file } = await compose(host);
    await type(title, "One too many");
    await fireEvent.click(file());
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("The outbox is full. Your draft is safe");
    expect([...host.store.drafts.values()][0]).toMatchObject({ title: "One too many" });
    await fireEvent.click(screen.getByRole("button", { name: "Open outbox" }));
    expect(host.opened[0]?.which).toBe("outbox");
    expect(host.closed).toBe(0);
  });

  it("a filing that is refused is told with its next step, and can be tried again", async () => {
    const host = desk();
    host.refuseNext("draftFile", {
      code: "busy",
      message: "The store is busy.",
      hint: "Try again in a moment.",
    });
    const { title, file } = await compose(host);
    await type(title, "Crash on save");
    await fireEvent.click(file());
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("The store is busy. Try again in a moment.");
    expect(title.readOnly).toBe(false);
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await settled();
    expect(host.store.entries).toHaveLength(1);
  });
});

describe("several windows", () => {
  it("the other window's words appear here while nothing is unsaved", async () => {
    const host = desk();
    const { title } = await compose(host);
    const [draft] = host.store.drafts.values();
    if (!draft) throw new Error("no draft");
    await host.draftSave({ ...draft, title: "From over there" });
    await settled();
    expect(title.value).toBe("From over there");
  });

  it("two versions are both kept, whichever is picked", async () => {
    for (const pick of ["Load it", "Keep mine"]) {
      const host = desk();
      const { title, unmount } = await compose(host);
      await type(title, "Mine");
      const [draft] = host.store.drafts.values();
      if (!draft) throw new Error("no draft");
      await host.draftSave({ ...draft, title: "Theirs" });
      await later(500);
      expect(screen.getByText("Another window changed this draft.")).toBeTruthy();
      expect(title.value, "nothing is taken away").toBe("Mine");
      await fireEvent.click(screen.getByRole("button", { name: pick }));
      await later(500);
      expect(title.value).toBe(pick === "Load it" ? "Theirs" : "Mine");
      const titles = [...host.store.drafts.values()].map((one) => one.title).sort();
      expect(titles, pick).toEqual(["Mine", "Theirs"]);
      expect(screen.getByText("The other version is kept as a draft")).toBeTruthy();
      expect(screen.queryByText("Another window changed this draft.")).toBeNull();
      unmount();
    }
  });

  it("leaving with two versions keeps both", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "Mine");
    const [draft] = host.store.drafts.values();
    if (!draft) throw new Error("no draft");
    await host.draftSave({ ...draft, title: "Theirs" });
    await later(500);
    await fireEvent.keyDown(title, { key: "Escape" });
    await settled();
    expect(host.closed).toBe(1);
    expect([...host.store.drafts.values()].map((one) => one.title).sort()).toEqual(["Mine", "Theirs"]);
  });

  it("a draft that was filed elsewhere says so, and its unsaved words can go on", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "First");
    await later(500);
    const [draft] = host.store.drafts.values();
    if (!draft) throw new Error("no draft");
    await host.draftFile(draft.id, draft.revision);
    await settled();
    expect(screen.getByText("This draft was filed meanwhile.")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Keep as a new draft" }));
    await later(500);
    expect([...host.store.drafts.values()].map((one) => one.title)).toEqual(["First"]);
  });

  it("earlier drafts are offered, not forced", async () => {
    const host = desk();
    const earlier = await host.draftNew();
    await host.draftSave({ ...earlier, title: "Yesterday's" });
    const { title } = await compose(host);
    expect(title.value).toBe("");
    expect(screen.getByText(/Continue “Yesterday's”\?/)).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Open" }));
    await settled();
    expect(host.opened, "where it stands already, or anew").toEqual([
      { which: "compose", draft: earlier.id },
    ]);
    expect(host.closed, "the blank one goes").toBe(1);
  });
});

describe("fields", () => {
  it("a newline pasted into the title becomes a space", async () => {
    const host = desk();
    const { title } = await compose(host);
    title.focus();
    const pasted = { types: ["text/plain"], files: [], getData: () => "Crash\r\n when saving\n" };
    await fireEvent.paste(title, { clipboardData: pasted });
    expect(title.value).toBe("Crash when saving");
  });

  it("Enter and comma add labels, Backspace takes the last away", async () => {
    vi.useRealTimers();
    const host = desk();
    const { user } = await compose(host);
    const field = screen.getByLabelText("Add label");
    await user.type(field, "bug{Enter}export,bug,");
    expect(screen.getAllByRole("button", { name: /Remove label/ })).toHaveLength(2);
    await user.type(field, "{Backspace}");
    expect(screen.getAllByRole("button", { name: /Remove label/ })).toHaveLength(1);
  });

  it("the destination is picked by keyboard", async () => {
    const host = desk();
    const { title } = await compose(host);
    await fireEvent.keyDown(title, { key: "d", ctrlKey: true });
    await settled();
    const list = screen.getByRole("listbox");
    expect(document.activeElement).toBe(list);
    await fireEvent.keyDown(list, { key: "ArrowDown" });
    await fireEvent.keyDown(list, { key: "Enter" });
    await later(500);
    expect(screen.queryByRole("listbox")).toBeNull();
    expect([...host.store.drafts.values()][0]?.destination).toBe("reports");
  });

  it("Esc in the listbox closes the listbox and not the window", async () => {
    const host = desk();
    const { title } = await compose(host);
    await fireEvent.keyDown(title, { key: "d", ctrlKey: true });
    await settled();
    await fireEvent.keyDown(screen.getByRole("listbox"), { key: "Escape" });
    await settled();
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(host.closed).toBe(0);
  });

  it("Ctrl+Z takes back and Ctrl+Shift+Z and Ctrl+Y bring again, in every field", async () => {
    const host = desk();
    const { title, body } = await compose(host);
    const commands = vi.mocked(document.execCommand);
    for (const field of [title, body, screen.getByLabelText("Add label")]) {
      commands.mockClear();
      await fireEvent.keyDown(field, { key: "z", ctrlKey: true });
      await fireEvent.keyDown(field, { key: "Z", ctrlKey: true, shiftKey: true });
      await fireEvent.keyDown(field, { key: "y", ctrlKey: true });
      await fireEvent.keyDown(field, { key: "z" });
      expect(commands.mock.calls.map(([command]) => command)).toEqual(["undo", "redo", "redo"]);
    }
    commands.mockClear();
    await fireEvent.keyDown(screen.getByRole("button", { name: /File issue/ }), { key: "z", ctrlKey: true });
    expect(commands).not.toHaveBeenCalled();
  });

  it("Ctrl+B makes the selection bold and saves it", async () => {
    const host = desk();
    const { body } = await compose(host);
    await type(body, "the last order");
    body.setSelectionRange(4, 8);
    await fireEvent.keyDown(body, { key: "b", ctrlKey: true });
    expect(body.value).toBe("the **last** order");
    expect(body.value.slice(body.selectionStart, body.selectionEnd)).toBe("last");
    await later(500);
    expect([...host.store.drafts.values()][0]?.body).toBe("the **last** order");
  });
});
