/** What the outbox window says, apart from what an entry says of itself (`entry.ts`). */
import { common } from "./common";
import { when } from "./times";

export const outbox = {
  window: "Outbox",
  issues: "Issues",
  views: {
    all: "All",
    needs_you: "Needs you",
    waiting: "Waiting",
    filed: "Filed",
    drafts: "Drafts",
    withdrawn: "Withdrawn",
  },
  lanes: "Lanes",
  laneState: { signed_out: "signed out", offline: "offline", paused: "paused" },
  choose: (what: string) => `${what}: choose what is shown`,
  pauseAll: "Pause sending",
  resumeAll: "Resume sending",
  alsoPaused: "paused",
  nextTry: (at: string) => `next try ${when(at)}`,
  search: "Search titles",
  clear: "Clear",
  missing: "missing",
  retryAll: "Retry all",
  retriedAll: (count: number) => (count === 0 ? "Nothing to retry" : `${common.issues(count)} tried again`),

  sections: {
    needs_you: "Needs you",
    waiting: "Waiting",
    filed_today: "Filed today",
    filed_earlier: "Filed earlier",
    filed: "Filed",
    withdrawn: "Withdrawn",
  },
  inLane: (lane: string, what: string) => `${lane}, ${what}`,
  signedOut: (lane: string) => `${lane} is signed out`,
  waitForIt: (count: number) => (count === 1 ? "1 issue waits for it" : `${count} issues wait for it`),
  draft: (edited: string) => `Edited ${when(edited)}`,
  discard: "Discard",
  discarded: (title: string) => `Discarded “${title}”`,

  laneHead: {
    held: (why: string, waiting: number) => (waiting > 0 ? `${why} ${waits(waiting)}` : why),
    paused: (waiting: number) => (waiting > 0 ? `Paused. ${waits(waiting)}` : "Paused."),
    free: (waiting: number) => (waiting > 0 ? waits(waiting) : "Nothing waits for it."),
  },
  tokenFor: (lane: string) => `Token for ${lane}`,

  empty: {
    title: "Nothing waiting",
    before: "Press",
    keys: ["Ctrl", "N"],
    after: "to write the next one. It is saved here first, online or not.",
    last: (at: string) => `Last filed ${when(at)}:`,
  },
  none: {
    all: "Nothing here yet.",
    needs_you: "No issue needs you.",
    waiting: "No issue waits.",
    filed: "Nothing is filed yet.",
    drafts: "There are no drafts.",
    withdrawn: "Nothing is withdrawn.",
  },
  noneInLane: (lane: string) => `Nothing waits for ${lane}.`,
  noMatch: (text: string) => `Nothing matches “${text}”.`,
  cannotAsk: "The outbox cannot be read.",

  details: "Details",
  about: "About this issue",
  closeDetails: "Close details",
  stages: "Stages",
  attempts: "Attempts",
  attachments: "Attachments",
  text: "Text",
  now: "now",
  doubt: "no answer",
  where: "Where is it?",
  whereHint: "https://git.example.org/owner/name/issues/12",

  more: "More for this issue",
  preview: "Preview what leaves",
  moveTo: "Move to…",
  moveWhere: "Where does it go instead?",
  moveOption: (name: string, where: string) => (where ? `${name}, ${where}` : name),
  move: "Move",
  saveAsFiles: "Save as files…",
  savedIn: (path: string, missing: string[]) =>
    missing.length > 0
      ? `Saved in ${path}. Not on this computer any more: ${missing.join(", ")}.`
      : `Saved in ${path}`,

  copied: "Link copied",
  withdrawn: (title: string) => `Withdrawn “${title}”`,
  putBack: "Put back",
};

function waits(count: number): string {
  return count === 1 ? "1 issue waits." : `${count} issues wait.`;
}
