import { describe, expect, it } from "vitest";
import { coalesced, follow } from "../src/host/follow";
import { desk, settled } from "./desk";

describe("asking again", () => {
  it("keeps one question under way and at most one behind it", async () => {
    const open: (() => void)[] = [];
    const ask = coalesced(() => new Promise((done) => open.push(done)));
    const first = ask();
    const others = [ask(), ask(), ask()];
    expect(open).toHaveLength(1);
    open[0]?.();
    await first;
    await settled();
    expect(open, "four calls, two questions").toHaveLength(2);
    open[1]?.();
    await Promise.all(others);
    expect(open).toHaveLength(2);
  });

  it("goes on after a question that went wrong", async () => {
    let times = 0;
    const ask = coalesced(async () => {
      times += 1;
      if (times === 1) throw new Error("busy");
    });
    const first = ask();
    const second = ask();
    await expect(first).rejects.toThrow("busy");
    await second;
    expect(times).toBe(2);
  });

  it("a window that is gone asks no more", async () => {
    const host = desk();
    let times = 0;
    const stop = follow(host, async () => void (times += 1));
    await settled();
    host.ring();
    expect(times, "at once, with the ear in place, and after the change").toBe(3);
    stop();
    host.ring();
    expect(times).toBe(3);
  });

  it("a burst of changes costs the outbox few questions", async () => {
    const { outbox } = await import("./desk");
    const host = desk();
    await outbox(host);
    const before = host.count("entryList");
    for (let at = 0; at < 100; at++) host.ring();
    await settled();
    expect(host.count("entryList") - before).toBeLessThanOrEqual(2);
  });
});
