import { describe, expect, it } from "vitest";
import type { EntryView } from "../src/host/types";
import { entry, outbox, times } from "../src/words";
import { read, shown } from "../src/settings/units";
import { settings } from "../src/host/fake/sample";

const now = new Date(2026, 2, 11, 14, 2, 21);
const at = (day: number, hour: number, minute = 0, month = 2, year = 2026) =>
  new Date(year, month, day, hour, minute).toISOString();

const view = (part: Partial<EntryView>): EntryView => ({
  id: 1,
  key: "k",
  destination: "work",
  project: "ada/demo",
  tracker: "gitea",
  title: "T",
  state: "waiting",
  row: "waiting",
  attempts: 0,
  stage: null,
  stage_words: null,
  not_before: null,
  reason: null,
  wish: null,
  receipt: null,
  saved_at: at(11, 14),
  filed_at: null,
  attachments: 0,
  is_held_copy: false,
  acts: [],
  ...part,
});

describe("times", () => {
  it("are as short as they can be understood", () => {
    expect(times.when(at(11, 9, 5), now)).toBe("09:05");
    expect(times.when(at(12, 9), now)).toBe("tomorrow, 09:00");
    expect(times.when(at(10, 9), now)).toBe("Tue");
    expect(times.when(at(3, 9), now)).toBe("3 Mar");
    expect(times.when(at(3, 9, 0, 2, 2025), now)).toBe("3 Mar 2025");
    expect(times.exactly(at(11, 9, 5))).toMatch(/^Wednesday,? 11 March 2026, 09:05:00$/);
  });

  it("sizes keep number and unit together", () => {
    expect(times.size(900)).toBe("900\u00a0B");
    expect(times.size(9100)).toBe("9\u00a0KB");
    expect(times.size(3_100_000)).toBe("3.1\u00a0MB");
  });
});

describe("an entry in words", () => {
  it("says who holds it and what comes next", () => {
    const later = new Date(Date.now() + 60_000).toISOString();
    const clock = times.when(later);
    expect(entry.line(view({ row: "backed_off", not_before: later, reason: "The tracker is busy." }))).toBe(
      `Next try ${clock}. The tracker is busy.`,
    );
    expect(entry.line(view({ row: "doubt", not_before: later }))).toBe(
      `Sent, waiting to confirm. Looks again ${clock}`,
    );
    expect(
      entry.line(view({ row: "paused", reason: "Held until you sign in. Gitea did not accept it." })),
    ).toBe("Held until you sign in");
    expect(entry.line(view({}), view({ id: 2 }))).toBe("Goes after the one above");
    expect(entry.line(view({}), view({ id: 2, destination: "other" }))).toBe("Goes next");
  });

  it("says what an issue was filed with, or that it is there twice", () => {
    const filed = { state: "filed", row: "filed", receipt: { number: "7", url: "" } } as const;
    const missing = "Filed without what ada/demo does not have: the label “p1”.";
    const twice = "It is there more than once: #7, #8. Close all but one at the tracker.";
    expect(entry.line(view(filed))).toBe("");
    expect(entry.now(view(filed))).toEqual({ head: "Filed as #7", next: null });
    expect(entry.line(view({ ...filed, reason: missing }))).toBe(missing.slice(0, -1));
    expect(entry.now(view({ ...filed, reason: missing }))).toEqual({ head: "Filed as #7", next: missing });
    expect(entry.isThereTwice(view({ ...filed, reason: missing }))).toBe(false);
    expect(entry.isThereTwice(view({ ...filed, reason: twice }))).toBe(true);
    expect(entry.isThereTwice(view({ row: "needs_you", reason: twice }))).toBe(false);
  });

  it("names a receipt as its tracker does", () => {
    expect(entry.receiptName({ number: "482", url: "" }, "gitea")).toBe("#482");
    expect(entry.receiptName({ number: "2026-03-11-typo", url: "" }, "folder")).toBe("2026-03-11-typo");
  });

  it("counts in sentences", () => {
    expect(outbox.waitForIt(1)).toBe("1 issue waits for it");
    expect(outbox.waitForIt(3)).toBe("3 issues wait for it");
  });
});

describe("numbers of settings", () => {
  const setting = (key: string) => {
    const found = settings().find((one) => one.key === key);
    if (!found) throw new Error(key);
    return found;
  };

  it("go to the store and back without change", () => {
    for (const one of settings()) {
      if (one.value === null) continue;
      expect(read(one, shown(one.value, one.unit)), one.key).toEqual({ value: String(one.value) });
    }
  });

  it("take what a person types", () => {
    expect(read(setting("drain.lease_ms"), " 0,5 ")).toEqual({ value: "500" });
    expect(read(setting("drain.quiet_ms"), "")).toEqual({ value: "unset" });
    expect(read(setting("drain.lease_ms"), "0.1")).toEqual({ why: "Between 0.2 and 600\u00a0s." });
    expect(read(setting("keep.filed_text_days"), "-1")).toEqual({ why: "Between 0 and 3650\u00a0days." });
  });
});
