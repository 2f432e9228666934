import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { compose, desk, enqueued, line, outbox, refused, row, settled } from "./desk";

const sheet = () => within(screen.getByRole("dialog", { name: "What leaves" }));
const details = () => screen.getByRole("complementary", { name: "Details" });

/** Picks from the menu of the details. */
async function more(item: string) {
  await fireEvent.click(within(details()).getByRole("button", { name: "More for this issue" }));
  await fireEvent.click(screen.getByRole("menuitem", { name: item }));
  await settled();
}

describe("a preview of what leaves", () => {
  it("shows the words on screen as the tracker gets them, by the key", async () => {
    const host = desk();
    const { title, body } = await compose(host);
    await fireEvent.input(title, { target: { value: "The roof leaks" } });
    await fireEvent.input(body, { target: { value: "It rains in." } });
    host.copied = ["roof.png"];
    const draft = [...host.store.drafts.values()][0];
    await host.draftAttach(draft?.id ?? 0, "roof.png", new Uint8Array(2048));
    await fireEvent.keyDown(body, { key: "P", code: "KeyP", ctrlKey: true, shiftKey: true });
    await settled();
    expect(sheet().getByText("The roof leaks")).toBeTruthy();
    expect(sheet().getByRole("region", { name: "Text" }).textContent).toBe(
      `It rains in.\n\n![roof.png](…)\n\n<!-- outtray:${draft?.key} -->`,
    );
    expect(sheet().getByText("roof.png")).toBeTruthy();
    expect(sheet().getByText("To work: Gitea, ada/demo on git.example")).toBeTruthy();
    expect(sheet().getByText(/stands for an address that the tracker gives/)).toBeTruthy();
    await fireEvent.click(sheet().getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("is of what is saved: while nothing can be saved there is none, and that is told", async () => {
    const host = desk();
    const { title } = await compose(host);
    const saved = host.refuse("draftSave", { code: "disk_full", message: "The disk is full.", hint: null });
    await fireEvent.input(title, { target: { value: "A word" } });
    await fireEvent.click(screen.getByRole("button", { name: "Preview" }));
    await settled();
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByText(/Your words are not saved yet\. The disk is full\./)).toBeTruthy();
    saved();
    await fireEvent.click(screen.getByRole("button", { name: "Preview" }));
    await settled();
    expect(sheet().getByText("A word")).toBeTruthy();
  });

  it("of an entry stands behind its details", async () => {
    const host = desk();
    refused(host, "Refused");
    await outbox(host);
    await more("Preview what leaves");
    expect(host.calls.find((call) => call.verb === "entryPreview")?.args).toEqual([1]);
    expect(sheet().getByText("Refused")).toBeTruthy();
  });
});

describe("what does not get there", () => {
  it("is saved as files where the person says", async () => {
    const host = desk();
    const entry = refused(host);
    host.missing = ["log.txt"];
    await outbox(host);
    await more("Save as files…");
    expect(
      screen.getByText(`Saved in /home/ada/Reports/${entry.key}. Not on this computer any more: log.txt.`),
    ).toBeTruthy();
  });

  it("is not saved when the person cancels, and why it cannot be is told", async () => {
    const host = desk();
    refused(host);
    host.folder = null;
    await outbox(host);
    await more("Save as files…");
    expect(screen.queryByText(/Saved in/)).toBeNull();
    host.refuseNext("entrySave", {
      code: "refused",
      message: "It is saved there already: /home/ada/Reports/x.",
      hint: "Choose another folder.",
    });
    await more("Save as files…");
    expect(screen.getByRole("alert").textContent).toContain("It is saved there already");
  });

  it("is moved to another destination", async () => {
    const host = desk();
    const [, reports] = host.store.lanes;
    if (reports) host.store.lanes.push({ ...reports, name: "home", path: "~/Home" });
    refused(host);
    await outbox(host);
    await more("Move to…");
    const where = within(details()).getByLabelText("Where does it go instead?");
    expect(document.activeElement).toBe(where);
    expect([...where.querySelectorAll("option")].map((option) => option.textContent)).toEqual([
      "reports, ~/Documents/Outtray",
      "home, ~/Home",
    ]);
    await fireEvent.change(where, { target: { value: "home" } });
    await fireEvent.click(within(details()).getByRole("button", { name: "Move" }));
    await settled();
    expect(host.calls.find((call) => call.verb === "entryMove")?.args).toEqual([1, "home"]);
    expect(screen.getByText("It goes to home.")).toBeTruthy();
    expect(screen.queryByLabelText("Where does it go instead?")).toBeNull();
  });

  it("while it is in hand, the move is a wish and says so", async () => {
    const host = desk();
    enqueued(host, "One", { leased: true });
    await outbox(host);
    await more("Move to…");
    await fireEvent.click(within(details()).getByRole("button", { name: "Move" }));
    await settled();
    expect(screen.getByText("It goes to reports at the next safe moment.")).toBeTruthy();
    expect(line("One")).toBe("work · Move asked for: it goes elsewhere at the next safe moment");
    expect(details().textContent).toContain("Move asked for");
  });

  it("what is filed already is not offered to be moved", async () => {
    const host = desk();
    enqueued(host, "Done", {
      state: "filed",
      filedAt: host.store.stamp(),
      receipt: { number: "482", url: "https://git.example/ada/demo/issues/482" },
    });
    await outbox(host);
    await fireEvent.click(within(details()).getByRole("button", { name: "More for this issue" }));
    const items = screen.getAllByRole("menuitem").map((item) => item.textContent?.trim());
    expect(items).toEqual(["Preview what leaves", "Save as files…"]);
  });
});

describe("a copy that is held", () => {
  it("says what it is, and neither answer is the obvious one", async () => {
    const host = desk();
    const said = "This came as a copy. File it here, or withdraw it if the other computer does.";
    enqueued(host, "Copied", { state: "attention", isHeldCopy: true, said });
    const { user } = await outbox(host);
    const buttons = within(row("Copied")).getAllByRole("button");
    expect(buttons.map((button) => button.textContent?.trim())).toEqual(["File it here", "Withdraw"]);
    expect(details().textContent).toContain("This came as a copy.");
    expect(within(details()).getByRole("button", { name: "File it here" }).className).not.toContain(
      "primary",
    );
    row("Copied").focus();
    await user.keyboard("{Enter}");
    expect(host.count("entryRetry"), "Enter opens the details").toBe(0);
    await fireEvent.click(within(row("Copied")).getByRole("button", { name: "File it here" }));
    await settled();
    expect(host.count("entryRetry")).toBe(1);
  });
});
