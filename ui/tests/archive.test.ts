import { fireEvent, screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { desk, settingsWindow, settled } from "./desk";

const press = async (name: string | RegExp) => {
  await fireEvent.click(screen.getByRole("button", { name }));
  await settled();
};
const outcome = () =>
  [...document.querySelectorAll(".outcome p")].map((line) => line.textContent?.trim()).join(" ");

describe("your outbox", () => {
  it("a copy is written where the person says, and what is in it is told", async () => {
    const host = desk();
    await settingsWindow(host, "outbox");
    host.exported = { kind: "copy", entries: 3, unfiled: 2, drafts: 1, files: 2, missing: 1 };
    await press("Export a copy…");
    expect(host.calls.find((call) => call.verb === "outboxExport")?.args).toEqual(["copy"]);
    expect(outcome()).toBe(
      "A copy of 3 issues and 1 draft is written. 1 attachment is not on this disk any more, and did not come along.",
    );
  });

  it("a dialog that is cancelled changes nothing and says nothing", async () => {
    const host = desk();
    host.exported = host.imported = null;
    await settingsWindow(host, "outbox");
    await press("Export a copy…");
    await press("Import…");
    expect(outcome()).toBe("");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("a move says what it means first, and happens only then", async () => {
    const host = desk();
    const { user } = await settingsWindow(host, "outbox");
    await press("Move to another computer…");
    expect(host.count("outboxExport")).toBe(0);
    expect(screen.getByText(/Sending is paused first/)).toBeTruthy();
    const now = screen.getByRole("button", { name: "Choose a file and move" });
    expect(document.activeElement).toBe(now);
    await user.keyboard("{Escape}");
    expect(screen.queryByText(/Sending is paused first/), "Esc leaves it").toBeNull();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Move to another computer…" }));

    await press("Move to another computer…");
    await press("Choose a file and move");
    expect(host.calls.find((call) => call.verb === "outboxExport")?.args).toEqual(["move"]);
    expect(outcome()).toBe("3 issues and 1 draft went into the file. 2 of them are filed here no more.");
    expect(screen.queryByText(/Sending is paused first/)).toBeNull();
  });

  it("what cannot be moved stays, in words, and can be tried again", async () => {
    const host = desk();
    await settingsWindow(host, "outbox");
    host.refuseNext("outboxExport", {
      code: "refused",
      message: "1 issue is being sent right now.",
      hint: "Nothing was moved.",
    });
    await press("Move to another computer…");
    await press("Choose a file and move");
    expect(screen.getByRole("alert").textContent).toContain(
      "1 issue is being sent right now. Nothing was moved.",
    );
    expect(screen.getByRole("button", { name: "Choose a file and move" })).toBeTruthy();
  });

  it("while a file is written nothing else begins", async () => {
    const host = desk();
    await settingsWindow(host, "outbox");
    const go = host.hold("outboxExport");
    await press("Export a copy…");
    await press("Import…");
    expect(screen.getByRole("button", { name: "Writing…" })).toBeTruthy();
    expect(host.count("outboxImport")).toBe(0);
    go();
    await settled();
    expect(screen.getByRole("button", { name: "Export a copy…" })).toBeTruthy();
  });

  it("an import tells what came, and each new destination has its next step", async () => {
    const host = desk();
    host.imported = {
      kind: "copy",
      entries: 5,
      held: 2,
      already: 4,
      put_back: 1,
      drafts: 1,
      destinations: [
        { name: "work", words: "Gitea, ada/demo on git.example", paused: false, needs_sign_in: true },
        { name: "hook", words: "Webhook on hooks.example", paused: true, needs_sign_in: false },
      ],
    };
    await settingsWindow(host, "outbox");
    await press("Import…");
    expect(outcome()).toBe(
      "5 issues and 1 draft came. 2 are held, since this is a copy. 1 is put back. 4 were here already.",
    );
    await press("Open outbox");
    expect(host.opened).toEqual([{ which: "outbox", draft: null }]);
    const place = (name: string) => screen.getByText(name).closest(".setting")?.textContent ?? "";
    expect(place("hook")).toContain("Paused until you have seen where it points.");
    expect(place("work")).toContain("It needs a sign-in.");
    await press("Sign in");
    expect(document.activeElement).toBe(screen.getByLabelText("Token for work"));
  });

  it("a paused destination that came is let go", async () => {
    const host = desk();
    const [lane] = host.store.lanes;
    if (lane) lane.paused = true;
    host.imported = {
      kind: "move",
      entries: 1,
      held: 0,
      already: 0,
      put_back: 0,
      drafts: 0,
      destinations: [{ name: "work", words: "Gitea", paused: true, needs_sign_in: false }],
    };
    await settingsWindow(host, "outbox");
    await press("Import…");
    await press("Resume");
    expect(host.store.lanes[0]?.paused).toBe(false);
    expect(screen.queryByRole("button", { name: "Resume" })).toBeNull();
    expect(outcome(), "what came stays to be read").toBe("1 issue came.");
  });

  it("an archive that is none is refused beside the button", async () => {
    const host = desk();
    await settingsWindow(host, "outbox");
    host.refuseNext("outboxImport", {
      code: "invalid",
      message: "This is no outbox that Outtray wrote.",
      hint: "Nothing was imported.",
    });
    await press("Import…");
    expect(screen.getByRole("alert").textContent).toContain("This is no outbox that Outtray wrote.");
  });
});
