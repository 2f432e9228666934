/** What a key means on a line of the list: letters are acts, Enter is the one next step. */
import type { Act, DraftView, EntryView } from "../host/types";
import { nextStep } from "./acts";
import type { Line } from "./lines";

export type Meaning =
  | { verb: "act"; act: Act; entry: EntryView }
  | { verb: "details" }
  | { verb: "sign in" | "toggle lane"; lane: string }
  | { verb: "open draft" | "discard"; draft: DraftView };

const ACTS: Record<string, Act> = { r: "retry", w: "withdraw", o: "open", c: "copy_link" };

export function meaningOf(event: KeyboardEvent, line: Line): Meaning | null {
  // A button that has the focus hears Enter itself.
  if (event.key === "Enter" && event.target instanceof HTMLButtonElement) return null;
  if (event.shiftKey) return null;
  const key = event.key.toLowerCase();
  switch (line.kind) {
    case "lane":
      return onLane(key, line.lane.name);
    case "draft":
      return onDraft(key, line.draft);
    case "entry":
      return onEntry(key, line.entry);
  }
}

function onLane(key: string, lane: string): Meaning | null {
  if (key === "enter") return { verb: "sign in", lane };
  return key === "p" ? { verb: "toggle lane", lane } : null;
}

function onDraft(key: string, draft: DraftView): Meaning | null {
  if (key === "enter" || key === "o") return { verb: "open draft", draft };
  return key === "delete" ? { verb: "discard", draft } : null;
}

function onEntry(key: string, entry: EntryView): Meaning | null {
  if (key === "p") return { verb: "toggle lane", lane: entry.destination };
  if (key === "enter") {
    const act = nextStep(entry);
    return act ? { verb: "act", act, entry } : { verb: "details" };
  }
  // R looks where there is nothing to retry yet.
  const act = key === "r" && entry.acts.includes("look_now") ? "look_now" : ACTS[key];
  return act ? { verb: "act", act, entry } : null;
}
