import { fireEvent, screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FakeHost } from "../src/host/fake/fake";
import { compose, desk, enqueued, settled } from "./desk";

const type = (field: HTMLElement, value: string) => fireEvent.input(field, { target: { value } });
const press = (field: HTMLElement, key: string) => fireEvent.keyDown(field, { key });
const later = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
};
const HOUR = 3_600_000;

const BUG = {
  name: "Bug report",
  about: "Something does not work",
  title: "[bug] ",
  labels: ["bug"],
  assignees: ["ada"],
  body: "**What happened**",
};
const WISH = { name: "Wish", about: null, title: "", labels: [], assignees: [], body: "### What is missing" };

/** A desk whose destination was read two hours ago. */
function offered(agoMs = 2 * HOUR): FakeHost {
  const host = desk();
  host.offer(
    "work",
    {
      labels: [
        { name: "bug", color: "#d73a4a", description: "Something does not work" },
        { name: "export", color: null, description: null },
      ],
      milestones: [
        { number: 1, title: "2.0" },
        { number: 2, title: "Later" },
      ],
      assignees: [
        { login: "ada", name: "Ada Lovelace" },
        { login: "grace", name: "Grace Hopper" },
      ],
      templates: [BUG, WISH],
      titles: [
        { number: "12", title: "The till does not open", url: "https://git.example/12", open: true },
        { number: "9", title: "The till opens twice", url: "https://git.example/9", open: false },
      ],
    },
    agoMs,
  );
  return host;
}

const draft = (host: FakeHost) => [...host.store.drafts.values()][0];
const options = () => screen.queryAllByRole("option").map((one) => one.textContent?.trim());
const button = (name: string | RegExp) => screen.getByRole("button", { name });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("what can be chosen from", () => {
  it("is asked for when the window opens and when the destination changes, and not otherwise", async () => {
    const host = offered();
    const { title } = await compose(host);
    const fresh = () =>
      host.calls.filter((call) => call.verb === "catalogueOpen" && call.args[1]).map((call) => call.args[0]);
    expect(fresh()).toEqual([null]);
    host.read();
    await settled();
    expect(host.calls.filter((call) => call.verb === "catalogueOpen").at(-1)?.args).toEqual([null, false]);
    const asked = host.count("catalogueOpen");
    await type(title, "Words");
    await later(1000);
    host.ring();
    await settled();
    expect(host.count("catalogueOpen"), "what is new is there: no more questions").toBe(asked);
    await fireEvent.keyDown(title, { key: "d", ctrlKey: true });
    await settled();
    await press(screen.getByRole("listbox"), "ArrowDown");
    await press(screen.getByRole("listbox"), "Enter");
    await later(500);
    expect(fresh()).toEqual([null, "reports"]);
    expect(screen.queryByRole("button", { name: "Milestone" }), "a folder has none").toBeNull();
    expect(screen.queryByRole("button", { name: "Template" })).toBeNull();
  });

  it("is asked for again when it was read before the answer came", async () => {
    const host = offered();
    const asked = host.catalogueOpen.bind(host);
    vi.spyOn(host, "catalogueOpen").mockImplementationOnce(async (...args) => {
      const old = await asked(...args);
      host.read();
      await later(100);
      return old;
    });
    await compose(host);
    await later(500);
    await fireEvent.click(screen.getByRole("combobox", { name: "Add label" }));
    expect(screen.getByText("As of just now")).toBeTruthy();
    expect(host.count("catalogueOpen")).toBe(2);
  });

  it("is there offline, with its age and why it is not newer", async () => {
    const host = offered();
    const offer = host.offers.get("work");
    if (offer) offer.there = null;
    await compose(host);
    const field = screen.getByRole("combobox", { name: "Add label" });
    await fireEvent.click(field);
    expect(options()).toEqual(["bug Something does not work", "export"]);
    expect(screen.getByText("As of 2 hours ago, being fetched")).toBeTruthy();
    host.read();
    await settled();
    expect(screen.getByText("As of 2 hours ago. work does not answer.")).toBeTruthy();
    expect(options()).toHaveLength(2);
  });

  it("that was never read says so, and everything can be typed", async () => {
    const host = desk();
    const { title } = await compose(host);
    await type(title, "One");
    await fireEvent.click(button("Milestone"));
    await settled();
    const field = screen.getByRole("combobox", { name: "Milestone" });
    expect(document.activeElement).toBe(field);
    expect(screen.getByText("Not fetched yet")).toBeTruthy();
    await type(field, "3.0");
    await press(field, "Enter");
    await later(500);
    expect(draft(host)?.milestone).toBe("3.0");
  });

  it("that cannot be asked for leaves the window as it is", async () => {
    const host = offered();
    host.refuse("catalogueOpen", { code: "internal", message: "No.", hint: null });
    const { title } = await compose(host);
    await type(title, "One");
    await later(500);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(draft(host)?.title).toBe("One");
  });
});

describe("labels", () => {
  it("are found as they are typed, and picked by keyboard", async () => {
    const host = offered();
    await compose(host);
    const field = screen.getByRole("combobox", { name: "Add label" });
    await type(field, "exp");
    expect(options()).toEqual(["export"]);
    expect(field.getAttribute("aria-expanded")).toBe("true");
    await press(field, "ArrowDown");
    const active = document.getElementById(field.getAttribute("aria-activedescendant") ?? "");
    expect(active?.textContent?.trim()).toBe("export");
    await press(field, "Enter");
    expect(button("Remove label export")).toBeTruthy();
    await type(field, "BUG");
    await press(field, "Enter");
    await later(500);
    expect(draft(host)?.labels, "as the project writes it").toEqual(["export", "bug"]);
  });

  it("Esc closes the list first, and then the window", async () => {
    const host = offered();
    await compose(host);
    const field = screen.getByRole("combobox", { name: "Add label" });
    await type(field, "b");
    await press(field, "Escape");
    await settled();
    expect([options().length, host.closed]).toEqual([0, 0]);
    await press(field, "Escape");
    await settled();
    expect(host.closed).toBe(1);
  });

  it("a colour is drawn, and is no style that somebody else wrote", async () => {
    const host = offered();
    await compose(host);
    await fireEvent.click(screen.getByRole("combobox", { name: "Add label" }));
    const [first] = screen.getAllByRole("option");
    expect(first?.querySelector("circle")?.getAttribute("fill")).toBe("#d73a4a");
    expect(document.querySelector("[style]")).toBeNull();
  });
});

describe("milestone and assignees", () => {
  it("are picked by keyboard, saved, filed, and taken off again", async () => {
    const host = offered();
    const { title, file } = await compose(host);
    await type(title, "One");
    await fireEvent.click(button("Milestone"));
    await settled();
    const milestone = screen.getByRole("combobox", { name: "Milestone" });
    await press(milestone, "ArrowDown");
    await press(milestone, "ArrowDown");
    await press(milestone, "Enter");
    await settled();
    expect(screen.queryByRole("button", { name: "Milestone" }), "there is one").toBeNull();
    await fireEvent.click(button("Assignee"));
    await settled();
    const people = screen.getByRole("combobox", { name: "Assignee" });
    await type(people, "hopper");
    expect(options(), "by name too").toEqual(["grace Grace Hopper"]);
    await press(people, "ArrowDown");
    await press(people, "Enter");
    await type(people, "@ada");
    await type(people, "ada");
    await press(people, "Enter");
    await press(people, "Escape");
    await press(people, "Escape");
    await later(500);
    expect(draft(host)).toMatchObject({ milestone: "Later", assignees: ["grace", "ada"] });
    expect(host.closed, "Esc was for the list").toBe(0);
    await fireEvent.click(button("Take grace off"));
    await fireEvent.click(button("Take it out of Later"));
    await settled();
    expect(button("Milestone")).toBeTruthy();
    await fireEvent.click(file());
    await settled();
    expect(host.store.entries[0]).toMatchObject({ milestone: null, assignees: ["ada"] });
  });

  it("one that is typed and not entered travels too", async () => {
    const host = offered();
    const { title } = await compose(host);
    await type(title, "One");
    await fireEvent.click(button("Assignee"));
    await settled();
    await type(screen.getByRole("combobox", { name: "Assignee" }), "GRACE");
    await fireEvent.keyDown(title, { key: "Enter", ctrlKey: true });
    await settled();
    expect(host.store.entries[0]?.assignees).toEqual(["grace"]);
  });

  it("what was chosen for another destination stays to be seen", async () => {
    const host = offered();
    const fresh = await host.draftNew();
    await host.draftSave({
      ...fresh,
      title: "One",
      destination: "reports",
      milestone: "2.0",
      assignees: ["ada"],
    });
    await compose(host, fresh.id);
    expect(button("Take it out of 2.0")).toBeTruthy();
    expect(button("Take ada off")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Assignee" })).toBeNull();
  });
});

describe("templates", () => {
  async function choose(name: string) {
    await fireEvent.click(screen.getByRole("button", { name: /^Template/ }));
    await settled();
    await fireEvent.click(screen.getByRole("menuitem", { name: new RegExp(`^${name}`) }));
    await settled();
  }

  it("fill title, text, labels and people", async () => {
    const host = offered();
    const { title, body } = await compose(host);
    await fireEvent.click(button("Template"));
    await settled();
    expect(screen.getAllByRole("menuitem").map((one) => one.textContent?.trim())).toEqual([
      "Bug report Something does not work",
      "Wish",
    ]);
    const menu = screen.getByRole("menu");
    const about = document.getElementById(menu.getAttribute("aria-describedby") ?? "");
    expect(about?.textContent).toContain("As of 2\u00a0hours ago");
    await fireEvent.click(within(menu).getByRole("menuitem", { name: /^Bug report/ }));
    await settled();
    expect([title.value, body.value]).toEqual(["[bug] ", "**What happened**"]);
    expect(document.activeElement).toBe(body);
    expect(button("Template: Bug report")).toBeTruthy();
    await later(500);
    expect(draft(host)).toMatchObject({ labels: ["bug"], assignees: ["ada"] });
  });

  it("one that nobody touched makes way for another", async () => {
    const host = offered();
    const { title, body } = await compose(host);
    await choose("Bug report");
    await type(title, "[bug] It broke");
    await choose("Wish");
    expect([title.value, body.value]).toEqual(["It broke", "### What is missing"]);
    await later(500);
    expect(draft(host)).toMatchObject({ labels: [], assignees: [] });
  });

  it("never take the place of what was typed without asking", async () => {
    for (const [answer, text] of [
      ["Leave it", "All my words"],
      ["Put it below", "All my words\n\n**What happened**"],
      ["Replace it", "**What happened**"],
    ] as const) {
      const host = offered();
      const { title, body, unmount } = await compose(host);
      await type(title, "It broke");
      await type(body, "All my words");
      await choose("Bug report");
      expect([title.value, body.value], "not before there is an answer").toEqual([
        "It broke",
        "All my words",
      ]);
      expect(screen.getByText("“Bug report” would take the place of what you wrote.")).toBeTruthy();
      await fireEvent.click(button(answer));
      await later(500);
      expect(body.value, answer).toBe(text);
      expect(title.value).toBe(answer === "Leave it" ? "It broke" : "[bug] It broke");
      expect(draft(host)?.body).toBe(text);
      unmount();
    }
  });
});

describe("similar issues", () => {
  it("are shown under the title a moment after it is typed, and open in the browser", async () => {
    const host = offered();
    enqueued(host, "The till opens by itself");
    const { title } = await compose(host);
    await type(title, "till op");
    await later(100);
    expect(host.count("similarList"), "not with each key").toBe(0);
    await type(title, "till open");
    await later(300);
    expect(host.calls.filter((call) => call.verb === "similarList").map((call) => call.args)).toEqual([
      [null, "till open"],
    ]);
    const list = within(screen.getByRole("region", { name: "Similar issues" }));
    expect(list.getAllByRole("listitem").map((one) => one.textContent?.replace(/\s+/g, " ").trim())).toEqual([
      "The till does not open #12, open",
      "The till opens twice #9, closed",
      "The till opens by itself not filed yet",
    ]);
    expect(screen.getByText("3 similar issues")).toBeTruthy();
    await fireEvent.click(list.getByRole("button", { name: "The till does not open" }));
    await settled();
    expect(host.calls.at(-1)).toMatchObject({ verb: "similarShow", args: [null, "https://git.example/12"] });
  });

  it("are hidden once they are not wanted, and gone once the issue is saved", async () => {
    const host = offered();
    const { title } = await compose(host);
    await type(title, "till open");
    await later(300);
    await fireEvent.click(button("Hide similar issues"));
    await settled();
    expect(screen.queryByRole("region", { name: "Similar issues" })).toBeNull();
    await type(title, "till opens");
    await later(300);
    expect(host.count("similarList")).toBe(1);
    expect(document.activeElement).toBe(title);
  });

  it("that cannot be looked for hold up nothing", async () => {
    const host = offered();
    host.refuse("similarList", { code: "internal", message: "No.", hint: null });
    const { title, file } = await compose(host);
    await type(title, "till open");
    await later(300);
    expect(screen.queryByRole("alert")).toBeNull();
    await fireEvent.click(file());
    await settled();
    expect(host.store.entries).toHaveLength(1);
  });
});
