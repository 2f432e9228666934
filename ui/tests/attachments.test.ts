import { fireEvent, screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { compose, desk, settled } from "./desk";

const picture = (name: string) => new File([new Uint8Array(2000)], name, { type: "image/png" });
const clipboard = (text: string) => ({
  clipboardData: { types: text ? ["text/plain"] : [], files: [], getData: () => text },
});
const attached = () => [...document.querySelectorAll(".thumb .name")].map((name) => name.textContent);

describe("attachments", () => {
  it("come by dialog, by capture, by paste and by drop", async () => {
    const host = desk();
    host.picks = [picture("from-dialog.png")];
    const { body } = await compose(host);
    await fireEvent.click(screen.getByRole("button", { name: /Attach/ }));
    await settled();
    await fireEvent.click(screen.getByRole("button", { name: "Capture" }));
    await settled();
    const image = { types: ["Files"], files: [picture("image.png")], getData: () => "" };
    await fireEvent.paste(body, { clipboardData: image });
    await settled();
    host.drag({ kind: "over" });
    await settled();
    expect(screen.getByText("Drop files to attach them")).toBeTruthy();
    host.drag({ kind: "dropped", paths: ["/home/ada/Pictures/dropped.png"] });
    await settled();
    expect(screen.queryByText("Drop files to attach them")).toBeNull();
    expect(attached()).toEqual(["from-dialog.png", "screen.png", "pasted-1.png", "dropped.png"]);
  });

  it("text with a picture beside it is pasted as text", async () => {
    const host = desk();
    const { body } = await compose(host);
    const cells = { types: ["text/plain", "Files"], files: [picture("image.png")], getData: () => "1\t2" };
    await fireEvent.paste(body, { clipboardData: cells });
    await settled();
    expect(attached()).toEqual([]);
  });

  it("files copied in a file manager are attached, whether or not their paths are there as text", async () => {
    const host = desk();
    const { body } = await compose(host);
    for (const [name, text] of [
      ["one.png", "/home/ada/one.png\n/home/ada/two.log"],
      ["three.png", "file:///home/ada/three.png"],
      ["four.png", ""],
    ] as const) {
      host.copied = [name];
      expect(await fireEvent.paste(body, clipboard(text)), `the paths of ${name} are not typed`).toBe(false);
      await settled();
    }
    expect(attached()).toEqual(["one.png", "three.png", "four.png"]);
    expect(body.value).toBe("");
  });

  it("a path that is only text is typed, and other text does not even ask", async () => {
    const host = desk();
    const { body, title } = await compose(host);
    await fireEvent.paste(body, clipboard("/etc/hosts is wrong\n/etc/fstab too"));
    await fireEvent.paste(title, clipboard("/etc/hosts\n/etc/fstab"));
    await settled();
    expect(body.value).toBe("/etc/hosts is wrong\n/etc/fstab too");
    expect(title.value).toBe("/etc/hosts /etc/fstab");
    expect(host.count("clipboardFiles")).toBe(2);
    expect(await fireEvent.paste(body, clipboard("see\n/etc/hosts"))).toBe(true);
    expect(host.count("clipboardFiles")).toBe(2);
    expect(attached()).toEqual([]);
  });

  it("one that was copied and cannot be attached is told, and its path is not typed", async () => {
    const host = desk();
    const { body } = await compose(host);
    const gone = { code: "invalid", message: "“gone.png” is not there any more.", hint: null } as const;
    vi.spyOn(host, "clipboardFiles").mockResolvedValueOnce({ attached: [], refused: [gone] });
    await fireEvent.paste(body, clipboard("/tmp/gone.png"));
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("“gone.png” is not there any more.");
    expect(body.value).toBe("");
  });

  it("Delete removes one, and Undo brings it back to its place", async () => {
    const host = desk();
    host.picks = [picture("one.png"), picture("two.png"), picture("three.png")];
    await compose(host);
    await fireEvent.click(screen.getByRole("button", { name: /Attach/ }));
    await settled();
    await fireEvent.keyDown(screen.getByRole("button", { name: /two\.png\. Open/ }), { key: "Delete" });
    await settled();
    expect(attached()).toEqual(["one.png", "three.png"]);
    expect(
      document.activeElement?.getAttribute("aria-label"),
      "focus goes to the one in its place",
    ).toContain("three.png");
    expect(screen.getByText("Removed two.png")).toBeTruthy();
    await fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    await settled();
    expect(attached()).toEqual(["one.png", "two.png", "three.png"]);
    expect([...host.store.drafts.values()][0]?.attachments).toHaveLength(3);
  });

  it("one that cannot be read is told, and stops no other", async () => {
    const host = desk();
    await compose(host);
    host.refuseNext("draftAttachPath", {
      code: "invalid",
      message: "“gone.png” is not there any more.",
      hint: "Attach it again from where it is now.",
    });
    host.drag({ kind: "dropped", paths: ["/tmp/gone.png", "/tmp/here.png"] });
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("“gone.png” is not there any more.");
    expect(attached()).toEqual(["here.png"]);
    await fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("a capture that is not possible is told, and can be tried again", async () => {
    const host = desk();
    await compose(host);
    host.refuseNext("captureScreen", {
      code: "capture",
      message: "The desktop did not allow the screenshot.",
      hint: "Allow it when asked.",
    });
    await fireEvent.click(screen.getByRole("button", { name: "Capture" }));
    await settled();
    expect(screen.getByRole("alert").textContent).toContain("The desktop did not allow the screenshot.");
    await fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await settled();
    expect(attached()).toEqual(["screen.png"]);
  });

  it("names are shown as they are, never as markup", async () => {
    const host = desk();
    host.picks = [picture('<img src=x onerror="alert(1)">.png')];
    await compose(host);
    await fireEvent.click(screen.getByRole("button", { name: /Attach/ }));
    await settled();
    expect(attached()).toEqual(['<img src=x onerror="alert(1)">.png']);
    expect(document.querySelector("img[src=x]")).toBeNull();
  });
});
