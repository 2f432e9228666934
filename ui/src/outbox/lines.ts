/**
 * What the list shows, as values: the view that is chosen, the lines in it, and the sections they stand in. A pure
 * function of what the store said.
 */
import type { DestinationView, DraftView, EntryView } from "../host/types";
import { outbox, times } from "../words";

export const VIEWS = ["all", "needs_you", "waiting", "filed", "drafts", "withdrawn"] as const;
export type View = (typeof VIEWS)[number];

/** A view of everything, or one lane. */
export type Choice = { view: View } | { lane: string };

export type Line =
  | { kind: "entry"; id: string; entry: EntryView; above: EntryView | null }
  | { kind: "lane"; id: string; lane: DestinationView }
  | { kind: "draft"; id: string; draft: DraftView };

export interface Section {
  id: string;
  /** What stands over it; a view of one kind needs no heading. */
  title: string | null;
  /** What it is called for somebody who does not see the heading. */
  name: string;
  lines: Line[];
}

/** What the store said. */
export interface Facts {
  entries: EntryView[];
  drafts: DraftView[];
  lanes: DestinationView[];
}

export function needsYou({ row }: EntryView): boolean {
  return row === "needs_you" || row === "doubt_ask";
}

/** A lane that only a sign-in moves, with something waiting in it, is one item however many wait. */
export function needsSignIn(lane: DestinationView): boolean {
  return lane.needs_sign_in && lane.waiting > 0;
}

export function counts({ entries, drafts, lanes }: Facts): Record<View, number> {
  const of = (state: EntryView["state"]) => entries.filter((entry) => entry.state === state).length;
  return {
    all: 0,
    needs_you: entries.filter(needsYou).length + lanes.filter(needsSignIn).length,
    waiting: of("waiting"),
    filed: of("filed"),
    drafts: drafts.length,
    withdrawn: of("withdrawn"),
  };
}

export function sections(facts: Facts, choice: Choice, search: string, now = new Date()): Section[] {
  const built = "lane" in choice ? ofLane(facts, choice.lane) : ofView(facts, choice.view, now);
  const text = search.trim().toLowerCase();
  return built
    .map((section) => ({ ...section, lines: section.lines.filter((line) => matches(line, text)) }))
    .filter((section) => section.lines.length > 0);
}

export function titleOf(line: Line): string {
  switch (line.kind) {
    case "entry":
      return line.entry.title;
    case "draft":
      return line.draft.title;
    case "lane":
      return outbox.signedOut(line.lane.name);
  }
}

function matches(line: Line, text: string): boolean {
  return text === "" || titleOf(line).toLowerCase().includes(text);
}

function ofView(facts: Facts, view: View, now: Date): Section[] {
  const { entries, drafts, lanes } = facts;
  const named = outbox.sections;
  const filed = newestFirst(entries.filter((entry) => entry.state === "filed"));
  const today = filed.filter((entry) => entry.filed_at !== null && times.isToday(entry.filed_at, now));
  const earlier = filed.filter((entry) => !today.includes(entry));
  const needs = [...entries.filter(needsYou).map(line), ...lanes.filter(needsSignIn).map(laneLine)];
  const waiting = inTurn(entries.filter((entry) => entry.state === "waiting"));
  switch (view) {
    case "all": {
      // A held lane is one item above; what waits in it is not told again.
      const held = new Set(lanes.filter(needsSignIn).map((lane) => lane.name));
      const moving = waiting.filter((entry) => !(entry.row === "paused" && held.has(entry.destination)));
      return [
        section("needs_you", named.needs_you, needs),
        section("waiting", named.waiting, below(moving)),
        section("filed_today", named.filed_today, today.map(line)),
      ];
    }
    case "needs_you":
      return [section("needs_you", null, needs, named.needs_you)];
    case "waiting":
      return [section("waiting", null, below(waiting), named.waiting)];
    case "filed":
      return [
        section("filed_today", named.filed_today, today.map(line)),
        section("filed_earlier", named.filed_earlier, earlier.map(line)),
      ];
    case "drafts":
      return [section("drafts", null, drafts.map(draftLine), outbox.views.drafts)];
    case "withdrawn": {
      const withdrawn = entries.filter((entry) => entry.state === "withdrawn").toReversed();
      return [section("withdrawn", null, withdrawn.map(line), named.withdrawn)];
    }
  }
}

function ofLane(facts: Facts, lane: string): Section[] {
  const entries = facts.entries.filter((entry) => entry.destination === lane);
  const of = (state: EntryView["state"]) => entries.filter((entry) => entry.state === state);
  const live = [...of("attention"), ...inTurn(of("waiting"))];
  const named = outbox.sections;
  return [
    section("waiting", null, below(live), outbox.inLane(lane, named.waiting.toLowerCase())),
    section("filed", named.filed, newestFirst(of("filed")).map(line)),
    section("withdrawn", named.withdrawn, of("withdrawn").map(line)),
  ];
}

function section(id: string, title: string | null, lines: Line[], name = title ?? ""): Section {
  return { id, title, name, lines };
}

/** What is being sent comes first; the rest in the order in which it was saved. */
function inTurn(entries: EntryView[]): EntryView[] {
  const rank = (entry: EntryView) => (entry.row === "sending" ? 0 : 1);
  return [...entries].sort((one, other) => rank(one) - rank(other) || one.id - other.id);
}

function newestFirst(entries: EntryView[]): EntryView[] {
  return [...entries].sort((one, other) => (other.filed_at ?? "").localeCompare(one.filed_at ?? ""));
}

function below(entries: EntryView[]): Line[] {
  return entries.map((entry, at) => ({ ...line(entry), above: entries[at - 1] ?? null }));
}

function line(entry: EntryView) {
  return { kind: "entry" as const, id: `entry-${entry.id}`, entry, above: null as EntryView | null };
}

function laneLine(lane: DestinationView): Line {
  return { kind: "lane", id: `lane-${lane.name}`, lane };
}

function draftLine(draft: DraftView): Line {
  return { kind: "draft", id: `draft-${draft.id}`, draft };
}
