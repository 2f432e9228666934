import { fireEvent, screen, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { desk, enqueued, settingsWindow, settled } from "./desk";

async function filledForm(url: string) {
  await fireEvent.click(screen.getByRole("button", { name: "Add a destination" }));
  const fill = (label: string, value: string) =>
    fireEvent.input(screen.getByLabelText(label), { target: { value } });
  await fill("Name", "intranet");
  await fill("Address", url);
  await fill("Project", "it/portal");
  await fill("Token", "secret");
  return within(screen.getByRole("form", { name: "Add a destination" }));
}

describe("destinations", () => {
  it("one that does not answer is told so, and can be added all the same", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("https://down.example");
    await fireEvent.click(form.getByRole("button", { name: "Test" }));
    await settled();
    expect(form.getByRole("status").textContent).toContain(
      "down.example does not answer. Add it anyway: issues wait until it answers.",
    );
    await fireEvent.click(form.getByRole("button", { name: "Add it anyway" }));
    await settled();
    const added = host.calls.find((call) => call.verb === "destinationAdd")?.args;
    expect(added).toEqual([
      {
        name: "intranet",
        tracker: "gitea",
        url: "https://down.example",
        project: "it/portal",
        path: null,
        branch: null,
        honours_key: false,
        ca: null,
      },
      "secret",
    ]);
    expect(screen.getByText("intranet")).toBeTruthy();
    expect(screen.queryByRole("form"), "the form and its token are gone").toBeNull();
    expect(screen.getByText("intranet is added.")).toBeTruthy();
  });

  it("the tray's *Sign in* opens the field of that destination, and does so again", async () => {
    const host = desk();
    const work = host.store.lanes.find((lane) => lane.name === "work");
    if (work) work.signedOut = true;
    await settingsWindow(host, "sign-in/work");
    const field = () => screen.queryByLabelText("Token for work");
    expect(document.activeElement).toBe(field());
    await fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(field()).toBeNull();
    await fireEvent.click(screen.getByRole("button", { name: "Sending" }));
    host.turn("sign-in/work");
    await settled();
    expect(document.activeElement).toBe(field());
    expect(field()).not.toBeNull();
  });

  it("each tracker asks for what it needs, and for nothing else", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("https://hooks.example/in");
    const choose = (kind: string) =>
      fireEvent.change(form.getByLabelText("Tracker"), { target: { value: kind } });
    const fields = () =>
      ["Address", "Project", "Token", "Folder", "Branch for pictures"].filter((name) =>
        form.queryByLabelText(name),
      );
    const expected: Record<string, string[]> = {
      github: ["Address", "Project", "Token", "Branch for pictures"],
      gitlab: ["Address", "Project", "Token"],
      redmine: ["Address", "Project", "Token"],
      folder: ["Folder"],
      webhook: ["Address", "Token"],
    };
    for (const [kind, names] of Object.entries(expected)) {
      await choose(kind);
      expect(fields(), kind).toEqual(names);
    }
    await fireEvent.click(form.getByLabelText("It recognises an Idempotency-Key it has seen"));
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    const added = host.calls.find((call) => call.verb === "destinationAdd")?.args[0];
    expect(added).toMatchObject({ tracker: "webhook", project: null, branch: null, honours_key: true });
  });

  it("one that works says as whom", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("https://git.example");
    await fireEvent.click(form.getByRole("button", { name: "Test" }));
    await settled();
    expect(form.getByRole("status").textContent).toMatch(/Works\. Gitea .* signed in as ada/);
    await fireEvent.input(form.getByLabelText("Project"), { target: { value: "it/other" } });
    expect(form.getByRole("status").textContent?.trim(), "a finding is of what was filled in then").toBe("");
  });

  it("a name that is taken is refused beside the form, and nothing typed is lost", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("https://git.example");
    await fireEvent.input(form.getByLabelText("Name"), { target: { value: "work" } });
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    expect(form.getByRole("status").textContent).toContain("There is a destination called work already.");
    expect((form.getByLabelText("Address") as HTMLInputElement).value).toBe("https://git.example");
  });

  it("one whose token cannot be kept is not added, in words, and can be added once it can", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("https://git.example");
    host.refuseNext("destinationAdd", {
      code: "keyring",
      message: "The keyring is locked.",
      hint: "Unlock it and try again.",
    });
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    expect(form.getByRole("status").textContent).toContain(
      "The keyring is locked. Nothing was added. Unlock it and try again.",
    );
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    expect(screen.getByText("intranet is added.")).toBeTruthy();
  });

  it("where no keyring answers, the form, the result and the row say how long the token is kept", async () => {
    const host = desk();
    host.keyring = false;
    await settingsWindow(host);
    const form = await filledForm("https://git.example");
    const about = form.getByLabelText("Token").getAttribute("aria-describedby") ?? "";
    expect(document.getElementById(about)?.textContent).toContain("or in memory until you quit");
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    const told = "No keyring answers here, so its token is kept until you quit.";
    expect(screen.getByText(`intranet is added. ${told}`)).toBeTruthy();
    const row = screen.getByText("intranet").closest("li");
    expect(row?.textContent).toContain(told);
    expect(screen.getByText("work").closest("li")?.textContent).not.toContain(told);
  });

  it("a folder asks for its path and for no token", async () => {
    const host = desk();
    await settingsWindow(host);
    await fireEvent.click(screen.getByRole("button", { name: "Add a destination" }));
    await fireEvent.change(screen.getByLabelText("Tracker"), { target: { value: "folder" } });
    await settled();
    expect(screen.queryByLabelText("Token")).toBeNull();
    await fireEvent.input(screen.getByLabelText("Name"), { target: { value: "notes" } });
    await fireEvent.input(screen.getByLabelText("Folder"), { target: { value: "~/Notes" } });
    await fireEvent.click(screen.getByRole("button", { name: "Add destination" }));
    await settled();
    expect(host.store.lanes.at(-1)).toMatchObject({
      name: "notes",
      tracker: "folder",
      path: "~/Notes",
      url: null,
    });
  });

  it("one with issues waiting is not removed, in words", async () => {
    const host = desk();
    enqueued(host, "One");
    await settingsWindow(host);
    await fireEvent.click(screen.getByRole("button", { name: "More for work" }));
    await fireEvent.click(screen.getByRole("menuitem", { name: "Remove" }));
    await settled();
    expect(
      screen.getByText(/1 issue is still to be filed at work\. Move or withdraw them first\./),
    ).toBeTruthy();
    expect(host.store.lanes).toHaveLength(2);
  });

  it("the menu is worked by arrows, and Esc gives the focus back", async () => {
    const host = desk();
    const { user } = await settingsWindow(host);
    const button = screen.getByRole("button", { name: "More for work" });
    button.focus();
    await user.keyboard("{ArrowDown}");
    await settled();
    expect(document.activeElement?.textContent).toContain("Sign in with another token");
    await user.keyboard("{End}");
    expect(document.activeElement?.textContent).toContain("Remove");
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(button);
  });

  it("signing in sends the token once and tests", async () => {
    const host = desk();
    const work = host.store.lanes[0];
    if (work) work.signedOut = true;
    await settingsWindow(host);
    await fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
    const field = screen.getByLabelText("Token for work");
    await fireEvent.input(field, { target: { value: "secret" } });
    await fireEvent.submit(field);
    await settled();
    expect(host.calls.find((call) => call.verb === "destinationSignIn")?.args).toEqual(["work", "secret"]);
    expect(screen.getByText(/signed in as ada/)).toBeTruthy();
    expect(screen.queryByLabelText("Token for work")).toBeNull();
  });
});

describe("a certificate of one's own", () => {
  it("is named when a destination is added", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("https://git.example");
    await fireEvent.input(form.getByLabelText("Certificate"), { target: { value: "~/ca.pem" } });
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    expect(host.calls.find((call) => call.verb === "destinationAdd")?.args[0]).toMatchObject({
      ca: "~/ca.pem",
    });
  });

  it("is changed and taken away, and a bad path is refused in words and stays to be mended", async () => {
    const host = desk();
    await settingsWindow(host);
    const open = async () => {
      await fireEvent.click(screen.getByRole("button", { name: "More for work" }));
      await fireEvent.click(screen.getByRole("menuitem", { name: "Certificate file…" }));
      await settled();
      return screen.getByLabelText<HTMLInputElement>("Certificate file for work");
    };
    const set = async (field: HTMLInputElement, value: string) => {
      await fireEvent.input(field, { target: { value } });
      await fireEvent.submit(field);
      await settled();
    };
    const field = await open();
    expect(document.activeElement).toBe(field);
    await set(field, "ca.pem");
    expect(screen.getByText(/does not say where that file is\. Give the whole path\./)).toBeTruthy();
    expect(field.value).toBe("ca.pem");
    await set(field, "~/ca.pem");
    expect(host.store.lanes[0]?.ca).toBe("~/ca.pem");
    expect(screen.queryByLabelText("Certificate file for work")).toBeNull();
    const again = await open();
    expect(again.value).toBe("~/ca.pem");
    await set(again, "");
    expect(host.store.lanes[0]?.ca).toBeNull();
  });
});

describe("keys", () => {
  it("are shown as the desktop really bound them", async () => {
    const host = desk();
    host.shortcuts = [
      { verb: "new", keys: "Ctrl+Shift+I", standing: "bound" },
      { verb: "capture", keys: "Ctrl+Shift+S", standing: "taken" },
    ];
    await settingsWindow(host, "keys");
    const told = (name: string) => screen.getByText(name).closest(".setting")?.textContent ?? "";
    expect(told("New issue")).toMatch(/They open Outtray, whichever program is in front\.\s*CtrlShiftI/);
    expect(told("Capture the screen into a new issue")).toContain("Another program holds these keys");
  });

  it("that only the desktop can bind are told with the command to bind", async () => {
    const host = desk();
    host.shortcuts = [{ verb: "new", keys: "Ctrl+Shift+I", standing: "desktop" }];
    await settingsWindow(host, "keys");
    expect(screen.getByText(/give “outtray --new” a key in its settings/)).toBeTruthy();
    expect(screen.queryByText("I"), "no key that does not work").toBeNull();
  });
});

describe("sending", () => {
  it("a number applies when the field is left, in the unit of the store", async () => {
    const host = desk();
    await settingsWindow(host, "sending");
    const field = screen.getByLabelText<HTMLInputElement>("Time for one step");
    expect(field.value, "60000 ms").toBe("60");
    await fireEvent.input(field, { target: { value: "90" } });
    await fireEvent.blur(field);
    await settled();
    expect(host.calls.find((call) => call.verb === "settingSet")?.args).toEqual([
      "drain.stage_timeout_ms",
      "90000",
    ]);
    expect(field.value).toBe("90");
  });

  it("a bad value is refused in words beside the field, and stays to be mended", async () => {
    const host = desk();
    await settingsWindow(host, "sending");
    const field = screen.getByLabelText<HTMLInputElement>("Send several at a time");
    for (const [typed, why] of [
      ["40", "Between 1 and 16\u00a0at once."],
      ["many", "That is not a number."],
      ["2.5", "That has to be a whole number."],
    ] as const) {
      await fireEvent.input(field, { target: { value: typed } });
      await fireEvent.keyDown(field, { key: "Enter" });
      await settled();
      expect(screen.getByRole("alert").textContent).toBe(why);
      expect(field.value).toBe(typed);
      expect(field.getAttribute("aria-invalid")).toBe("true");
    }
    expect(host.count("settingSet")).toBe(0);
    await fireEvent.keyDown(field, { key: "Escape" });
    expect(field.value).toBe("3");
  });

  it("an empty field goes back to the default", async () => {
    const host = desk();
    await settingsWindow(host, "sending");
    const field = screen.getByLabelText<HTMLInputElement>("Send several at a time");
    await fireEvent.input(field, { target: { value: "5" } });
    await fireEvent.blur(field);
    await settled();
    await fireEvent.input(field, { target: { value: "" } });
    await fireEvent.blur(field);
    await settled();
    expect(host.calls.filter((call) => call.verb === "settingSet").at(-1)?.args).toEqual([
      "drain.workers",
      "unset",
    ]);
    expect(field.value).toBe("3");
  });

  it("what outtrayctl sets is seen here", async () => {
    const host = desk();
    await settingsWindow(host, "sending");
    await host.settingSet("drain.workers", "7");
    await settled();
    expect(screen.getByLabelText<HTMLInputElement>("Send several at a time").value).toBe("7");
  });
});

describe("the project of a new destination", () => {
  it("is offered from what the token may file in, and can be typed all the same", async () => {
    const host = desk();
    host.projects = [
      { project: "ada/shop", name: null },
      { project: "ada/site", name: "The site" },
    ];
    await settingsWindow(host);
    const form = await filledForm("https://git.example");
    const field = form.getByLabelText<HTMLInputElement>("Project");
    await fireEvent.input(field, { target: { value: "" } });
    await fireEvent.focus(field);
    await settled();
    expect(host.calls.find((call) => call.verb === "projectList")?.args[1]).toBe("secret");
    expect(
      within(form.getByRole("listbox"))
        .getAllByRole("option")
        .map((one) => one.textContent?.trim()),
    ).toEqual(["ada/shop", "ada/site The site"]);
    await fireEvent.keyDown(field, { key: "ArrowDown" });
    await fireEvent.keyDown(field, { key: "ArrowDown" });
    await fireEvent.keyDown(field, { key: "Enter" });
    expect(field.value).toBe("ada/site");
    expect(host.count("destinationAdd"), "Enter was for the list").toBe(0);
    await fireEvent.focus(field);
    await settled();
    expect(host.count("projectList"), "the same is asked once").toBe(1);
    await fireEvent.input(field, { target: { value: "ada/new" } });
    await fireEvent.click(form.getByRole("button", { name: "Add destination" }));
    await settled();
    const added = host.calls.find((call) => call.verb === "destinationAdd")?.args[0];
    expect(added).toMatchObject({ project: "ada/new" });
  });

  it("is not asked for before there is an address and a token, and why it is not told is said beside it", async () => {
    const host = desk();
    await settingsWindow(host);
    const form = await filledForm("");
    const field = form.getByLabelText<HTMLInputElement>("Project");
    await fireEvent.focus(field);
    await settled();
    expect(host.count("projectList")).toBe(0);
    host.refuseNext("projectList", {
      code: "unreachable",
      message: "git.example does not answer.",
      hint: null,
    });
    await fireEvent.input(form.getByLabelText("Address"), { target: { value: "https://git.example" } });
    await fireEvent.focus(field);
    await settled();
    expect(form.getByText("git.example does not answer.")).toBeTruthy();
    expect(field.value, "what is typed stays").toBe("it/portal");
    host.projects = [{ project: "it/portal", name: null }];
    await fireEvent.focus(field);
    await settled();
    expect(within(form.getByRole("listbox")).getAllByRole("option")).toHaveLength(1);
  });
});
