import { fireEvent, screen } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { compose, desk, settled } from "./desk";

const picture = (name: string) => new File([new Uint8Array(2000)], name, { type: "image/png" });
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
    const image = { files: [picture("image.png")], getData: () => "" };
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
    const cells = { files: [picture("image.png")], getData: () => "1\t2" };
    await fireEvent.paste(body, { clipboardData: cells });
    await settled();
    expect(attached()).toEqual([]);
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
