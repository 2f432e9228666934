/** What the settings window says. */
import type { SettingView, TrackerKind } from "../host/types";
import { NO_BREAK } from "./times";

export const settings = {
  window: "Settings",
  pages: { destinations: "Destinations", sending: "Sending", keys: "Keys" },

  lead: "Where issues go: a tracker and a project in it, or a folder.",
  default: "default",
  paused: "Paused.",
  test: "Test",
  testing: "Testing…",
  testAgain: "Test again",
  more: (name: string) => `More for ${name}`,
  signInAnew: "Sign in with another token",
  signedIn: "Signed in.",
  tokenFor: (name: string) => `Token for ${name}`,
  remove: "Remove",
  works: "Works.",

  add: "Add a destination",
  addIt: "Add destination",
  addAnyway: "Add it anyway",
  added: (name: string) => `${name} is added.`,
  notAdded: "Nothing was added.",
  tracker: "Tracker",
  name: "Name",
  nameHint: "work",
  address: "Address",
  addressHint: (kind: TrackerKind) => ADDRESS[kind] ?? "https://git.example.org",
  project: "Project",
  projectHint: (kind: TrackerKind) => PROJECT[kind] ?? "owner/name",
  askingProjects: "Asking which projects there are…",
  noProjects: "This token sees no project there. It can be typed all the same.",
  branch: "Branch for pictures",
  branchHint: "issue-pictures",
  branchWords:
    "Only where your token may not upload pictures. It has to be there, and the token may write to it.",
  honoursKey: "It recognises an Idempotency-Key it has seen",
  honoursKeyWords: "Then what got no answer is sent again by itself. Otherwise Outtray asks you.",
  tokenOptional: "Sent as Authorization: Bearer. Leave it empty if none is needed.",
  folder: "Folder",
  folderHint: "~/Documents/Outtray",
  none: "There is no destination yet. Add a folder or a tracker.",

  sections: { sending: "Sending", outbox: "Outbox", filed: "Filed issues" },
  keysLead: "Keys for every window of the desktop, as it has bound them.",
  key: { new: "New issue", capture: "Capture the screen into a new issue" },
  keyStands: {
    bound: () => "They open Outtray, whichever program is in front.",
    taken: () => "Another program holds these keys, so they do not open Outtray.",
    desktop: (verb: string) =>
      `Only the desktop can bind them: give “outtray --${verb}” a key in its settings.`,
  },

  trackersOwn: "as needed",
  range: (least: string, most: string, unit: string) => `Between ${least} and ${most}${NO_BREAK}${unit}.`,
  notANumber: "That is not a number.",
  notWhole: "That has to be a whole number.",
  of: (setting: SettingView): { name: string; words: string } =>
    ABOUT[setting.key] ?? { name: setting.key, words: setting.words },
  unit: (unit: string) => UNIT[unit] ?? unit,
};

/** What an address looks like, where it is no forge's. */
const ADDRESS: Partial<Record<TrackerKind, string>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  redmine: "https://redmine.example.org",
  webhook: "https://hooks.example.org/issues",
};

/** What a project looks like, where it is no forge's. */
const PROJECT: Partial<Record<TrackerKind, string>> = { gitlab: "group/name", redmine: "identifier" };

const UNIT: Record<string, string> = {
  ms: "s",
  bytes: "MiB",
  entries: "issues",
  workers: "at once",
  days: "days",
};

/** A setting in the words of a person; what is not listed yet is told in Rust's. */
const ABOUT: Record<string, { name: string; words: string }> = {
  "drain.workers": {
    name: "Send several at a time",
    words: "At most two of them to one destination.",
  },
  "drain.stage_timeout_ms": {
    name: "Time for one step",
    words: "How long an upload or a request may take. Large files get more.",
  },
  "drain.lease_ms": {
    name: "Taken over after",
    words: "When a sender stops in the middle, another takes its issue over after this time.",
  },
  "drain.admission": {
    name: "Issues in one go",
    words: "How many are sent before looking again what is most urgent.",
  },
  "drain.quiet_ms": {
    name: "Wait for late answers",
    words: "How long before something without an answer may be sent again. Empty: as the tracker needs.",
  },
  "drain.backoff_base_ms": {
    name: "First wait after a try",
    words: "At most this long; it grows with each try.",
  },
  "drain.backoff_cap_ms": {
    name: "Longest wait between tries",
    words: "However often it was tried.",
  },
  "outbox.max_entries": {
    name: "Issues waiting at most",
    words: "Beyond that, saving says so and the draft stays.",
  },
  "outbox.max_bytes": {
    name: "Room for attachments",
    words: "How much the attachments of waiting issues may take.",
  },
  "keep.filed_text_days": {
    name: "Keep the words",
    words: "How long the text of a filed issue stays on this computer.",
  },
  "keep.filed_pictures_days": {
    name: "Keep the pictures",
    words: "How long its attachments stay. 0 removes them once they are filed.",
  },
};
