/** What an entry says of itself: its name for the state, its second line, its one sentence in the details, its acts. */
import type { Act, EntryView, Receipt, Row, TrackerKind } from "../host/types";
import { when } from "./times";

/** The name of a state, for the icon that stands for it. */
export const stateName: Record<Row, string> = {
  held: "Saved, sent later",
  waiting: "Waiting",
  backed_off: "Waiting",
  offline: "Offline",
  paused: "Held",
  sending: "Sending",
  doubt: "In doubt",
  doubt_ask: "In doubt",
  needs_you: "Needs you",
  filed: "Filed",
  withdrawn: "Withdrawn",
};

/** #482 at a tracker; a folder's directory goes by its name. */
export function receiptName(receipt: Receipt, tracker: TrackerKind): string {
  return tracker !== "folder" && /^\d+$/.test(receipt.number) ? `#${receipt.number}` : receipt.number;
}

/** The same for a row: a long name is cut in the middle, since what tells it from others stands at both ends. */
export function shortReceipt(receipt: Receipt, tracker: TrackerKind): string {
  const name = receiptName(receipt, tracker);
  return name.length > 40 ? `${name.slice(0, 28)}…${name.slice(-8)}` : name;
}

/** The second line of a row. `above` is the entry that is shown above it, if any. */
export function line(entry: EntryView, above: EntryView | null = null): string {
  if (entry.wish === "withdraw") return "Withdraw asked for: it will be taken back at the next safe moment";
  if (entry.wish === "move") return "Move asked for: it goes elsewhere at the next safe moment";
  const at = entry.not_before === null ? null : when(entry.not_before);
  const reason = entry.reason ?? "";
  switch (entry.row) {
    case "held":
      return at ? `Goes out ${at}` : "Goes out later";
    case "waiting":
      return above?.destination === entry.destination ? "Goes after the one above" : "Goes next";
    case "backed_off":
      return at ? `Next try ${at}. ${reason}`.trimEnd() : reason;
    case "offline":
      return at
        ? `Offline, next try ${at} or when the network is back`
        : "Offline, goes when the network is back";
    case "paused":
      return at ? `Held until ${at}. ${reason}`.trimEnd() : brief(reason) || "Held";
    case "sending":
      return entry.stage_words ?? "Sending";
    case "doubt":
      return at ? `Sent, waiting to confirm. Looks again ${at}` : "Sent, waiting to confirm";
    case "doubt_ask":
      return "Sent, waiting to confirm";
    case "needs_you":
      return withoutStop(reason) || "It needs you";
    case "filed":
      return withoutStop(reason);
    case "withdrawn":
      return "Withdrawn";
  }
}

/** What is filed twice is for the person to close; the store has no other word for it than this sentence. */
export function isThereTwice(entry: EntryView): boolean {
  return entry.row === "filed" && (entry.reason?.startsWith("It is there more than once") ?? false);
}

/** The first sentence; the details have the rest. */
function brief(reason: string): string {
  return withoutStop(reason.split(/(?<=\.) /)[0] ?? "");
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** What is so now, and what comes next, for the details. */
export function now(entry: EntryView): { head: string; next: string | null } {
  const at = entry.not_before === null ? null : when(entry.not_before);
  const told = (head: string | null, next: string | null) => ({ head: head ?? stateName[entry.row], next });
  if (entry.wish === "withdraw") {
    return told(
      "Withdraw asked for",
      "It will be taken back at the next safe moment, so that nothing is filed half.",
    );
  }
  if (entry.wish === "move") {
    return told("Move asked for", "It goes elsewhere once it is certain that it was not filed here.");
  }
  if (entry.is_held_copy) {
    return told(
      "This came as a copy.",
      "File it here, or withdraw it if the other computer files it. It is looked for before anything is sent.",
    );
  }
  switch (entry.row) {
    case "held":
      return told(at ? `Goes out ${at}` : "Goes out later", "It is saved on this computer.");
    case "waiting":
      return told("Waiting for its turn", "It goes by itself; nobody has to watch it.");
    case "backed_off":
      return told(entry.reason, at ? `Next try ${at}.` : null);
    case "offline":
      return told(
        entry.reason ?? "Offline, nothing was sent.",
        at ? `Next try ${at}, or when the network is back.` : "It goes when the network is back.",
      );
    case "paused":
      return told(
        entry.reason ?? "Held",
        at ? `Goes on at ${at}.` : "Nothing is sent meanwhile, and nothing is lost.",
      );
    case "sending":
      return told(entry.stage_words ?? "Sending", null);
    case "doubt":
      return told(entry.reason, `${at ? `Looks again ${at}. ` : ""}Until then nothing is sent again.`);
    case "doubt_ask":
      return told(
        entry.reason,
        `Look in ${entry.project}, then say what you found. Until then nothing is sent again.`,
      );
    case "needs_you":
      return told(
        entry.reason,
        entry.acts.includes("leave")
          ? "A retry sends only what is missing. Or drag it to the issue yourself, and leave it at that."
          : "Put it right at the tracker or in Settings, then retry. It is still filed once.",
      );
    case "filed":
      return told(
        entry.receipt ? `Filed as ${receiptName(entry.receipt, entry.tracker)}` : "Filed",
        entry.reason,
      );
    case "withdrawn":
      return told("Taken back", "It is not sent unless you put it back.");
  }
}

export const itsThere = "It’s there";

/** The label of an act. A retry of what is merely waiting is a "Try now". */
export function actName(act: Act, entry: EntryView): string {
  switch (act) {
    case "retry":
      if (entry.is_held_copy) return "File it here";
      return entry.row === "needs_you" ? "Retry" : "Try now";
    case "look_now":
      return "Look now";
    case "its_there":
      return itsThere;
    case "send_again":
      return "Send again";
    case "show_files":
      return "Show what is missing";
    case "leave":
      return "Leave it at that";
    case "withdraw":
      return "Withdraw";
    case "restore":
      return "Put back";
    case "open":
      return entry.receipt ? `Open ${shortReceipt(entry.receipt, entry.tracker)}` : "Open";
    case "copy_link":
      return "Copy link";
    case "move_to":
      return "Move to…";
  }
}

/** Where it goes and since when it is kept, under the title in the details. */
export function meta(entry: EntryView): string {
  const filed = entry.filed_at ? ` · filed ${when(entry.filed_at)}` : "";
  return `${entry.destination}, ${entry.project} · saved ${when(entry.saved_at)}${filed}`;
}
