/** What a key means while somebody writes. */
import { isCtrl } from "../window/keys";
import type { Format } from "./markdown";

export type Meaning = Format | "close" | "file" | "attach" | "destination" | "labels" | "preview";

const PLAIN: Record<string, Meaning> = {
  b: "bold",
  i: "italic",
  e: "code",
  k: "link",
  d: "destination",
  l: "labels",
  Enter: "file",
};

/** By place on the keyboard: with Shift held, digits are other letters in every layout. */
const SHIFTED: Record<string, Meaning> = { Digit8: "list", Digit9: "quote", KeyA: "attach", KeyP: "preview" };

export function meaningOf(event: KeyboardEvent, sealed: boolean): Meaning | null {
  const { key, code, shiftKey } = event;
  if (key === "Escape") return "close";
  // Once it is saved, Enter is done with the window, unless it presses a button.
  if (key === "Enter" && sealed && !(event.target instanceof HTMLButtonElement)) return "close";
  if (!isCtrl(event) || event.altKey) return null;
  return (shiftKey ? SHIFTED[code] : PLAIN[key]) ?? null;
}
