/** The keys of each window, as the keys sheet shows them. */

export interface Keys {
  title: string;
  rows: [key: string, what: string][];
}

export const keysTitle = "Keys";

const everywhere: Keys = {
  title: "Everywhere",
  rows: [
    ["Ctrl+N", "New issue"],
    ["Ctrl+1", "Outbox"],
    ["Ctrl+,", "Settings"],
    ["F6", "Next pane"],
    ["F1", "Keys"],
    ["Ctrl+W", "Close window"],
    ["Ctrl+Q", "Quit"],
  ],
};

export const keysOf: Record<"compose" | "outbox" | "settings", Keys[]> = {
  compose: [
    {
      title: "Writing",
      rows: [
        ["Ctrl+Enter", "File issue"],
        ["Esc", "Close, the draft is kept"],
        ["Ctrl+D", "Destination"],
        ["Ctrl+L", "Labels"],
        ["Ctrl+Shift+A", "Attach"],
        ["Ctrl+Shift+P", "Preview what leaves"],
        ["Ctrl+Z", "Undo"],
        ["Ctrl+Shift+Z, Ctrl+Y", "Redo"],
        ["Ctrl+B, I, E, K", "Bold, italic, code, link"],
        ["Ctrl+Shift+8, 9", "List, quote"],
        ["Delete", "Remove the attachment"],
      ],
    },
    everywhere,
  ],
  outbox: [
    {
      title: "List",
      rows: [
        ["↑ ↓ Home End", "Move"],
        ["→ ←", "Into a row’s buttons and back"],
        ["Enter", "The next step, or details"],
        ["/", "Search"],
        ["R", "Retry"],
        ["Shift+R", "Retry all"],
        ["W", "Withdraw"],
        ["O", "Open the filed issue"],
        ["C", "Copy link"],
        ["P", "Pause or resume the lane"],
        ["Delete", "Discard a draft"],
        ["Esc", "Clear search, close details"],
      ],
    },
    everywhere,
  ],
  settings: [everywhere],
};
