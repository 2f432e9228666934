import { describe, expect, it } from "vitest";
import { inSight } from "../src/outbox/shown";

describe("rows in sight", () => {
  it("short sections are drawn whole", () => {
    expect(inSight(100, 0, 500, 52)).toEqual({ from: 0, to: 100 });
  });

  it("long ones are drawn around the eye", () => {
    const { from, to } = inSight(10_000, -52_000, 520, 52);
    expect(from).toBeLessThan(1000);
    expect(to).toBeGreaterThan(1010);
    expect(to - from).toBeLessThan(50);
  });

  it("one that is out of sight draws nothing, and never more than there is", () => {
    expect(inSight(1000, 10_000, 520, 52)).toEqual({ from: 0, to: 0 });
    const { from, to } = inSight(1000, -1_000_000, 520, 52);
    expect([from, to]).toEqual([1000, 1000]);
  });
});
