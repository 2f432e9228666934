/** The keys that mean the same in every window. */
import type { Host } from "../host/host";

export interface Everywhere {
  host: Host;
  /** Shows the keys. */
  keys: () => void;
  /** Closes the window as it wants to be closed. */
  close?: () => unknown;
}

/** Does what a key means everywhere; says whether it meant anything. */
export function everywhere(event: KeyboardEvent, { host, keys, close }: Everywhere): boolean {
  const act = meaning(event, host, keys, close ?? (() => host.windowClose()));
  if (!act) return false;
  event.preventDefault();
  void act();
  return true;
}

function meaning(event: KeyboardEvent, host: Host, keys: () => void, close: () => unknown) {
  const { key, shiftKey, altKey } = event;
  if (key === "F1") return keys;
  if (key === "F6") return () => nextPane(shiftKey ? -1 : 1);
  const history = historyOf(event);
  if (history) return () => document.execCommand(history);
  if (!isCtrl(event) || shiftKey || altKey) return null;
  switch (key.toLowerCase()) {
    case "n":
      return () => host.windowOpen("compose", null);
    case "1":
      return () => host.windowOpen("outbox", null);
    case ",":
      return () => host.windowOpen("settings", null);
    case "w":
      return close;
    case "q":
      return () => host.appQuit(false);
    default:
      return null;
  }
}

/** WebKitGTK keeps a history of each field, and has no key for it: a browser's menu brings those. */
function historyOf(event: KeyboardEvent): "undo" | "redo" | null {
  if (!isCtrl(event) || event.altKey || !isTyping(event.target)) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" && !event.shiftKey ? "redo" : null;
}

export function isCtrl(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey;
}

/** Whether the person is typing, so that letters are letters. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** Moves to the next element that carries data-pane and is shown, and in it to what would have the focus. */
function nextPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>("[data-pane]")].filter((pane) => focusable(pane));
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes.at((at + by) % panes.length);
  if (next) focusable(next)?.focus();
}

function focusable(pane: HTMLElement): HTMLElement | null {
  const all = pane.querySelectorAll<HTMLElement>("button, input, textarea, select, a[href], [tabindex]");
  const shown = [...all].filter((one) => one.tabIndex >= 0 && one.checkVisibility?.() !== false);
  const current = shown.find((one) => one.matches('[aria-current="true"], [role="row"]'));
  return current ?? shown[0] ?? null;
}
