/** Which acts a row offers at once, which on hover and focus, and what Enter does. */
import type { Act, EntryView, Row } from "../host/types";

/** In these states the person is asked, so the next steps stand there; two at most. */
const ASKED: Partial<Record<Row, Act[]>> = {
  needs_you: ["retry", "show_files"],
  doubt_ask: ["its_there", "send_again"],
  withdrawn: ["restore"],
};

/** Only the person knows whether another computer files it. */
const COPY: Act[] = ["retry", "withdraw"];

export function standing(entry: EntryView): Act[] {
  const asked = entry.is_held_copy ? COPY : (ASKED[entry.row] ?? []);
  return asked.filter((act) => entry.acts.includes(act));
}

/** What shows when the row is pointed at: at most two buttons in all. */
export function onHover(entry: EntryView): Act[] {
  const now = standing(entry);
  if (now.length > 0 || entry.row === "sending") return [];
  const order: Act[] = entry.row === "filed" ? ["copy_link", "open"] : ["retry", "look_now", "withdraw"];
  return order.filter((act) => entry.acts.includes(act)).slice(0, 2);
}

/** The one thing Enter does, or nothing: then it opens the details. Neither answer to a doubt is the obvious one. */
export function nextStep(entry: EntryView): Act | null {
  const [only, ...others] = standing(entry);
  if (only && others.length === 0) return only;
  return entry.row === "filed" && entry.acts.includes("open") ? "open" : null;
}
