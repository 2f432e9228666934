/** What the compose window says. */
import type { SimilarView } from "../host/types";
import { ago, size } from "./times";

export const compose = {
  window: "New issue",
  to: "To",
  destinations: "Destinations",
  nowhere: "No destination yet",
  addDestination: "Add a destination",
  title: "Title",
  body: "Body, Markdown",
  bodyHint: "What happened, and what should have happened",
  tools: "Format",
  bold: "Bold",
  italic: "Italic",
  code: "Code",
  link: "Link",
  list: "List",
  quote: "Quote",
  preview: "Preview",
  previewHint: "Show exactly what leaves",
  withKey: (what: string, key: string) => `${what} (${key})`,

  attachments: "Attachments",
  capture: "Capture",
  captureHint: "Capture the whole screen",
  attach: "Attach",
  attachHint: "Attach files (Ctrl+Shift+A)",
  picture: (number: number, name: string) => `Picture ${number}, ${name}. Open`,
  remove: (name: string) => `Remove ${name}`,
  removed: (name: string) => `Removed ${name}`,
  pasted: (number: number) => `pasted-${number}.png`,
  size,
  drop: "Drop files to attach them",

  labels: "Labels",
  addLabel: "Add label",
  removeLabel: (label: string) => `Remove label ${label}`,
  milestone: "Milestone",
  removeMilestone: (title: string) => `Take it out of ${title}`,
  assignee: "Assignee",
  removeAssignee: (login: string) => `Take ${login} off`,
  more: "More",
  /** How old what can be chosen from is, or why there is nothing. */
  age: (fetched: string | null, failure: string | null, refreshing: boolean) => {
    const age = fetched ? `As of ${ago(fetched)}` : "Not fetched yet";
    if (refreshing) return `${age}, being fetched`;
    return failure ? `${age}. ${failure}` : age;
  },

  template: "Template",
  templateUsed: (name: string) => `Template: ${name}`,
  overwrites: (name: string) => `“${name}” would take the place of what you wrote.`,
  replaceIt: "Replace it",
  putBelow: "Put it below",
  leaveIt: "Leave it",

  similar: "Similar issues",
  similarCount: (count: number) =>
    count === 0 ? "" : count === 1 ? "1 similar issue" : `${count} similar issues`,
  hideSimilar: "Hide similar issues",
  opensInBrowser: "Opens in the browser",
  stands: ({ number, standing }: SimilarView) => {
    const stands = { open: "open", closed: "closed", filed: "filed", waiting: "not filed yet" }[standing];
    return number ? `${/^\d+$/.test(number) ? "#" : ""}${number}, ${stands}` : stands;
  },

  file: "File issue",
  state: {
    blank: "Kept on this computer as you write",
    saving: "Saving…",
    saved: "Draft saved on this computer",
    untitled: "Draft saved. Add a title to file it.",
    notSaved: "Not saved yet",
    cannotSave: "Nothing can be saved now",
  },
  needsTitle: "An issue needs a title. One short line is enough.",
  saved: "Saved",
  outboxFull: (most: string | null) =>
    `The outbox is full${most ? ` (${most})` : ""}. Your draft is safe; retry or withdraw some first.`,

  notSaved: "Your words are not saved yet.",
  /** Nothing is written yet. */
  nothingSaved: "What you write here cannot be saved now.",
  staysBecause: {
    close: "This window stays open: your words are not saved yet.",
    quit: "Outtray has not quit: your words are not saved yet.",
  },
  tryAgain: "Try again",
  quitAnyway: "Quit anyway",
  stale: "Another window changed this draft.",
  staleWhy: "What you do not pick is kept as a draft of its own.",
  loadOther: "Load it",
  keepMine: "Keep mine",
  otherKept: "The other version is kept as a draft",
  gone: "This draft was filed or discarded in another window.",
  keepAsNew: "Keep as a new draft",

  drafts: (count: number) => (count === 1 ? "You have a draft." : `You have ${count} drafts.`),
  continueDraft: (title: string) => `Continue “${title}”?`,
};
