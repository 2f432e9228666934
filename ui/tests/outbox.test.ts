import { fireEvent, screen, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it, vi } from "vitest";
import { desk, enqueued, line, outbox, refused, row, rows, settled } from "./desk";

const headings = () => [...document.querySelectorAll(".section-head")].map((head) => head.textContent);

afterEach(() => void vi.useRealTimers());

describe("the list", () => {
  it("groups by urgency, and sending comes first among the waiting", async () => {
    const host = desk();
    enqueued(host, "Waits");
    enqueued(host, "Is sent", { leased: true });
    refused(host);
    enqueued(host, "Done", {
      state: "filed",
      filedAt: host.store.stamp(),
      receipt: { number: "482", url: "https://git.example/ada/demo/issues/482" },
    });
    await outbox(host);
    expect(headings()).toEqual(["Needs you", "Waiting", "Filed today"]);
    expect(rows()).toEqual(["Refused", "Is sent", "Waits", "Done"]);
    expect(line("Refused")).toBe("work · Refused: there is no such label");
    expect(line("Is sent")).toBe("work · Creating the issue");
    expect(line("Done")).toContain("work · #482");
  });

  it("a token that no keyring keeps is told when it was given", async () => {
    const host = desk();
    host.keyring = false;
    enqueued(host, "One");
    const work = host.store.lanes[0];
    if (work) work.signedOut = true;
    await outbox(host);
    await fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
    const field = screen.getByLabelText("Token for work");
    await fireEvent.input(field, { target: { value: "secret" } });
    await fireEvent.submit(field);
    await settled();
    expect(screen.getByText("No keyring answers here, so its token is kept until you quit.")).toBeTruthy();
  });

  it("a signed-out lane is one item, and its entries are not told again", async () => {
    const host = desk();
    enqueued(host, "One");
    enqueued(host, "Two");
    const work = host.store.lanes[0];
    if (work) work.signedOut = true;
    await outbox(host);
    expect(rows()).toEqual(["work is signed out"]);
    expect(line("work is signed out")).toBe("ada/demo · 2 issues wait for it");
    await fireEvent.click(screen.getByRole("button", { name: /^Waiting/ }));
    expect(rows()).toEqual(["One", "Two"]);
    expect(line("One")).toBe("work · Held until you sign in");
  });

  it("asks for the token in place, signs in, and everything goes on", async () => {
    const host = desk();
    enqueued(host, "One");
    const work = host.store.lanes[0];
    if (work) work.signedOut = true;
    await outbox(host);
    await fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
    const field = screen.getByLabelText("Token for work");
    expect(document.activeElement).toBe(field);
    expect(field.getAttribute("type")).toBe("password");
    await fireEvent.input(field, { target: { value: " secret " } });
    await fireEvent.submit(field);
    await settled();
    expect(host.calls.find((call) => call.verb === "destinationSignIn")?.args).toEqual(["work", "secret"]);
    expect(screen.queryByLabelText("Token for work")).toBeNull();
    host.drain();
    await settled();
    expect(host.store.entries[0]?.state).toBe("filed");
  });

  it("what was filed without a file shows it, sends just that again, or is left at that", async () => {
    const host = desk();
    enqueued(host, "Half", {
      state: "attention",
      receipt: { number: "7", url: "https://git.example/ada/demo/issues/7" },
      said: "Filed as #7 with 1 of 2 files. large.png is too large for git.example.",
      files: [
        { id: 1, name: "small.png", media_type: "image/png", size: 10, is_picture: true },
        { id: 2, name: "large.png", media_type: "image/png", size: 90, is_picture: true },
      ],
      done: 4,
    });
    await outbox(host);
    const acts = () =>
      within(row("Half"))
        .getAllByRole("button")
        .map((button) => button.textContent.trim());
    expect(acts()).toEqual(["Retry", "Show what is missing"]);
    await fireEvent.click(within(row("Half")).getByRole("button", { name: "Show what is missing" }));
    expect(host.calls.filter((call) => call.verb === "entryFilesShow").map((call) => call.args)).toEqual([
      [1],
    ]);
    await fireEvent.click(row("Half"));
    await fireEvent.keyDown(row("Half"), { key: "Enter" });
    await settled();
    expect(screen.getByText(/A retry sends only what is missing/)).toBeTruthy();
    expect(screen.getByText("missing").title).toContain("large.png is too large");
    await fireEvent.click(screen.getByRole("button", { name: "Leave it at that" }));
    await settled();
    expect(host.store.entries[0]?.state).toBe("filed");
  });

  it("follows the store: what the drainer does is seen without asking", async () => {
    const host = desk();
    enqueued(host, "One");
    await outbox(host);
    expect(line("One")).toBe("work · Goes next");
    host.store.step();
    host.ring();
    await settled();
    expect(line("One")).toBe("work · Creating the issue");
    host.drain();
    await settled();
    expect(headings()).toEqual(["Filed today"]);
  });

  it("offline says when, in the reader's time, and what else would do", async () => {
    const host = desk();
    const work = host.store.lanes[0];
    if (work) work.answer = "unreachable";
    enqueued(host, "One");
    host.drain();
    await outbox(host);
    expect(line("One")).toMatch(/^work · Offline, next try \d\d:\d\d or when the network is back$/);
    expect(screen.getByText(/^Offline$/)).toBeTruthy();
    expect(screen.getByText(/1 waiting, next try/)).toBeTruthy();
  });

  it("one that is open already turns to what needs the person when the tray says so", async () => {
    const host = desk();
    refused(host);
    enqueued(host, "Another");
    await outbox(host);
    expect(screen.getByText("Another")).toBeTruthy();
    host.turn("needs-you");
    await settled();
    expect(screen.queryByText("Another")).toBeNull();
    expect(row("Refused")).toBeTruthy();
  });

  it("Retry sends it again", async () => {
    const host = desk();
    refused(host);
    await outbox(host, "needs-you");
    await fireEvent.click(within(row("Refused")).getByRole("button", { name: "Retry" }));
    await settled();
    expect(host.count("entryRetry")).toBe(1);
    expect(screen.getByText("No issue needs you.")).toBeTruthy();
    host.drain();
    expect(host.store.entries[0]).toMatchObject({ state: "filed", attempts: 2 });
  });

  it("Retry all tells how many", async () => {
    const host = desk();
    refused(host, "One");
    refused(host, "Two");
    await outbox(host);
    await fireEvent.click(screen.getByRole("button", { name: "Retry all" }));
    await settled();
    expect(screen.getByText("2 issues tried again")).toBeTruthy();
  });

  it("Withdraw takes it back, and the toast puts it back", async () => {
    const host = desk();
    enqueued(host, "One");
    await outbox(host);
    await fireEvent.click(within(row("One")).getByRole("button", { name: "Withdraw" }));
    await settled();
    expect(host.store.entries[0]?.state).toBe("withdrawn");
    expect(screen.getByText("Withdrawn “One”")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Put back" }));
    await settled();
    expect(host.store.entries[0]?.state).toBe("waiting");
  });

  it("a wish is told in words", async () => {
    const host = desk();
    enqueued(host, "One", { leased: true });
    await outbox(host);
    await fireEvent.click(row("One"));
    await settled();
    const details = screen.getByRole("complementary");
    await fireEvent.click(within(details).getByRole("button", { name: "Withdraw" }));
    await settled();
    expect(line("One")).toBe("work · Withdraw asked for: it will be taken back at the next safe moment");
    expect(screen.getByText("It is taken back at the next safe moment.")).toBeTruthy();
  });

  it("what only the person can tell is asked with two plain answers", async () => {
    const host = desk();
    enqueued(host, "Doubtful", { state: "attention", doubt: true, said: "Sent, but no answer came." });
    await outbox(host);
    expect(line("Doubtful")).toBe("work · Sent, waiting to confirm");
    const buttons = within(row("Doubtful")).getAllByRole("button");
    expect(buttons.map((button) => button.textContent)).toEqual(["It’s there", "Send again"]);
    await fireEvent.click(within(row("Doubtful")).getByRole("button", { name: "It’s there" }));
    await settled();
    const field = screen.getByLabelText("Where is it?");
    await fireEvent.input(field, { target: { value: "nowhere" } });
    await fireEvent.submit(field);
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("That is not the address of an issue.");
    await fireEvent.input(field, { target: { value: "https://git.example/ada/demo/issues/7" } });
    await fireEvent.submit(field);
    await settled();
    expect(host.store.entries[0]).toMatchObject({ state: "filed", receipt: { number: "7" } });
    expect(screen.queryByLabelText("Where is it?")).toBeNull();
  });

  it("an act that is refused is told where it was asked", async () => {
    const host = desk();
    enqueued(host, "One");
    await outbox(host);
    host.refuseNext("entryWithdraw", {
      code: "refused",
      message: "It is filed already.",
      hint: "Close it there.",
    });
    await fireEvent.click(within(row("One")).getByRole("button", { name: "Withdraw" }));
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("It is filed already. Close it there.");
  });

  it("search narrows by title, and Esc clears it", async () => {
    const host = desk();
    enqueued(host, "Crash on save");
    enqueued(host, "Typo");
    const { user } = await outbox(host);
    const field = screen.getByRole("searchbox");
    await user.type(field, "crash");
    expect(rows()).toEqual(["Crash on save"]);
    await user.type(field, "ing");
    expect(screen.getByText("Nothing matches “crashing”.")).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(rows()).toHaveLength(2);
  });

  it("nothing at all teaches the key", async () => {
    const host = desk();
    await outbox(host);
    expect(screen.getByText("Nothing waiting")).toBeTruthy();
    await fireEvent.click(screen.getAllByRole("button", { name: /New issue/ })[1] as HTMLElement);
    expect(host.opened).toEqual([{ which: "compose", draft: null }]);
  });

  it("all work and one lane can be paused and resumed", async () => {
    const host = desk();
    enqueued(host, "One");
    await outbox(host);
    await fireEvent.click(screen.getByRole("button", { name: "Pause sending" }));
    await settled();
    expect(line("One")).toBe("work · Held: work is paused");
    await fireEvent.click(screen.getByRole("button", { name: "Resume sending" }));
    await settled();
    await fireEvent.click(screen.getByTitle("Gitea, ada/demo on git.example"));
    await fireEvent.click(screen.getByRole("button", { name: "Pause" }));
    await settled();
    expect(host.store.lanes[0]?.paused).toBe(true);
    expect(line("One")).toBe("Held: work is paused");
    await fireEvent.click(screen.getByRole("button", { name: "Resume" }));
    await settled();
    expect(host.store.lanes[0]?.paused).toBe(false);
  });

  it("the rail says that work is paused also where something needs you", async () => {
    const host = desk();
    enqueued(host, "One");
    refused(host);
    await outbox(host);
    const foot = () => document.querySelector(".rail-foot p")?.textContent?.trim() ?? "";
    expect(foot()).toBe("1 needs you1 waiting");
    await host.workPause(null, null);
    await settled();
    expect(foot()).toBe("1 needs you1 waiting, paused");
  });

  it("a double click opens a draft, and what is filed", async () => {
    const host = desk();
    const draft = await host.draftNew();
    await host.draftSave({ ...draft, title: "Half a thought" });
    const receipt = { number: "482", url: "https://git.example/ada/demo/issues/482" };
    enqueued(host, "Done", { state: "filed", filedAt: host.store.stamp(), receipt });
    refused(host);
    await outbox(host);
    await fireEvent.dblClick(row("Done"));
    await settled();
    expect(host.calls.filter((call) => call.verb === "entryShow")).toHaveLength(1);
    await fireEvent.dblClick(row("Refused"));
    await settled();
    expect(host.count("entryRetry"), "nothing is sent by a double click").toBe(0);
    await fireEvent.click(screen.getByRole("button", { name: /^Drafts/ }));
    await fireEvent.dblClick(row("Half a thought"));
    expect(host.opened).toEqual([{ which: "compose", draft: draft.id }]);
  });

  it("a folder’s long name is cut in the middle, and stands in the row", async () => {
    const host = desk();
    const number = "2026-11-30-the-roof-leaks-since-tuesday-019ad3f2-77aa-7bbb-8ccc-0123456789ab";
    const receipt = { number, url: `file:///home/ada/Documents/Outtray/${number}` };
    const filed = { state: "filed", filedAt: host.store.stamp(), receipt } as const;
    enqueued(host, "The roof leaks", { ...filed, destination: "reports" });
    await outbox(host);
    expect(line("The roof leaks")).toMatch(/^reports · 2026-11-30-the-roof-leaks-si…456789ab/);
  });

  it("what an issue was filed with stands in its row and under its receipt", async () => {
    const host = desk();
    const receipt = { number: "7", url: "https://git.example/ada/demo/issues/7" };
    const filed = { state: "filed", filedAt: host.store.stamp(), receipt } as const;
    const missing = "Filed without what ada/demo does not have: the label “p1”.";
    const twice = "It is there more than once: #7, #8. Close all but one at the tracker.";
    enqueued(host, "Crash", { ...filed, said: missing });
    enqueued(host, "Two of them", { ...filed, said: twice });
    await outbox(host);
    expect(line("Crash")).toMatch(/^work · #7 · Filed without what .* the label “p1”/);
    expect(line("Two of them")).toMatch(/^work · #7 · It is there more than once: #7, #8\./);
    const loud = (title: string) => row(title).querySelector(".say") !== null;
    expect([loud("Crash"), loud("Two of them")]).toEqual([false, true]);
    await fireEvent.click(row("Crash"));
    await settled();
    const about = within(screen.getByRole("region", { name: "About this issue" }));
    expect(about.getByText("Filed as #7")).toBeTruthy();
    expect(about.getByText(missing)).toBeTruthy();
  });

  it("a wish is told in the store’s own words, and so is a refusal", async () => {
    const host = desk();
    const doubt = { state: "attention", doubt: true, said: "Sent, but no answer came." } as const;
    const entry = enqueued(host, "In doubt", doubt);
    await outbox(host);
    const words = "It is sent again in 40 s. Until then the first one may still arrive.";
    const sendAgain = vi.spyOn(host, "entrySendAgain");
    sendAgain.mockResolvedValueOnce({ id: entry.id, state: "attention", wish: true, words });
    const [button] = screen.getAllByRole("button", { name: "Send again" });
    if (!button) throw new Error("nobody is asked");
    await fireEvent.click(button);
    await settled();
    expect(screen.getByText(words)).toBeTruthy();
    const message = "Another Outtray process may still be sending it.";
    sendAgain.mockRejectedValueOnce({ code: "refused", message, hint: null });
    await fireEvent.click(button);
    await settled();
    expect(screen.getByRole("alert").textContent).toContain(message);
  });

  it("a discarded draft can be had back until the toast is gone", async () => {
    vi.useFakeTimers();
    const host = desk();
    const draft = await host.draftNew();
    await host.draftSave({ ...draft, title: "Half a thought" });
    await outbox(host);
    await fireEvent.click(screen.getByRole("button", { name: /Drafts/ }));
    const discard = () =>
      fireEvent.click(within(row("Half a thought")).getByRole("button", { name: "Discard" }));
    await discard();
    expect(rows()).toEqual([]);
    await fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    await settled();
    expect(rows()).toEqual(["Half a thought"]);
    expect(host.count("draftDiscard")).toBe(0);
    await discard();
    await vi.advanceTimersByTimeAsync(6100);
    expect(host.store.drafts.size).toBe(0);
  });

  it("a thousand rows draw only what is near the eye", async () => {
    const height = vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(520);
    const host = desk();
    for (let at = 0; at < 1000; at++) enqueued(host, `Issue ${at}`);
    await outbox(host);
    expect(document.querySelectorAll(".row").length).toBeLessThan(50);
    expect(document.querySelector("[role=grid]")?.getAttribute("aria-rowcount")).toBe("1000");
    height.mockRestore();
  });
});

describe("the keyboard", () => {
  it("begins at the first item that needs the person", async () => {
    const host = desk();
    enqueued(host, "Waits");
    refused(host);
    await outbox(host);
    expect(document.activeElement).toBe(row("Refused"));
  });

  it("arrows, Home and End move one tab stop", async () => {
    const host = desk();
    for (const title of ["One", "Two", "Three"]) enqueued(host, title);
    const { user } = await outbox(host);
    await user.keyboard("{ArrowDown}");
    expect(document.activeElement).toBe(row("Two"));
    await user.keyboard("{End}");
    expect(document.activeElement).toBe(row("Three"));
    await user.keyboard("{ArrowDown}{Home}");
    expect(document.activeElement).toBe(row("One"));
    expect(screen.getAllByRole("row").filter((one) => one.tabIndex === 0)).toHaveLength(1);
  });

  it("the right arrow goes into a row's buttons, the left one back", async () => {
    const host = desk();
    enqueued(host, "Doubtful", { state: "attention", doubt: true, said: "Sent, but no answer came." });
    const { user } = await outbox(host);
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement?.textContent).toBe("It’s there");
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement?.textContent).toBe("Send again");
    await user.keyboard("{Enter}");
    await settled();
    expect(host.count("entrySendAgain")).toBe(1);
  });

  it("Enter does the one next step", async () => {
    const host = desk();
    refused(host);
    const { user } = await outbox(host);
    await user.keyboard("{Enter}");
    await settled();
    expect(host.count("entryRetry")).toBe(1);
  });

  it("letters act on the row, and only while the list has the focus", async () => {
    const host = desk();
    enqueued(host, "One");
    const { user } = await outbox(host);
    await user.keyboard("/");
    expect(document.activeElement).toBe(screen.getByRole("searchbox"));
    await user.keyboard("w");
    await settled();
    expect(host.count("entryWithdraw"), "w was typed, not meant").toBe(0);
    await user.keyboard("{Escape}");
    await settled();
    expect(document.activeElement).toBe(row("One"));
    await user.keyboard("w");
    await settled();
    expect(host.count("entryWithdraw")).toBe(1);
  });

  it("o opens and c copies the link of a filed issue", async () => {
    const host = desk();
    const receipt = { number: "482", url: "https://git.example/ada/demo/issues/482" };
    enqueued(host, "Done", { state: "filed", filedAt: host.store.stamp(), receipt });
    const { user } = await outbox(host);
    await user.keyboard("o");
    await user.keyboard("c");
    await settled();
    expect(host.count("entryShow")).toBe(1);
    expect(await navigator.clipboard.readText()).toBe(receipt.url);
    expect(screen.getByText("Link copied")).toBeTruthy();
  });

  it("Ctrl+N, Ctrl+comma, Ctrl+W and Ctrl+Q mean the same as everywhere", async () => {
    const host = desk();
    enqueued(host, "One");
    const { user } = await outbox(host);
    await user.keyboard(
      "{Control>}n{/Control}{Control>},{/Control}{Control>}w{/Control}{Control>}q{/Control}",
    );
    await settled();
    expect(host.opened.map((one) => one.which)).toEqual(["compose", "settings"]);
    expect([host.closed, host.quitted]).toEqual([1, ["asked"]]);
  });

  it("a question mark and F1 show the keys", async () => {
    const host = desk();
    enqueued(host, "One");
    const { user } = await outbox(host);
    await user.keyboard("?");
    expect(screen.getByRole("dialog", { name: "Keys" })).toBeTruthy();
  });
});
