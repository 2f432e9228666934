/** What the settings window says. */
import type { Exported, Imported, SettingView, TrackerKind } from "../host/types";
import { common } from "./common";
import { NO_BREAK } from "./times";

export const settings = {
  window: "Settings",
  pages: { destinations: "Destinations", sending: "Sending", outbox: "Your outbox", keys: "Keys" },

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
  certificate: "Certificate",
  certificateHint: "~/intranet-ca.pem",
  certificateWords: "A PEM file, where the server’s certificate comes from an authority of your own.",
  certificateNone: "Empty: this computer’s own certificates alone.",
  certificateMenu: "Certificate file…",
  certificateFor: (name: string) => `Certificate file for ${name}`,
  setCertificate: "Set",
  folder: "Folder",
  folderHint: "~/Documents/Outtray",
  none: "There is no destination yet. Add a folder or a tracker.",

  outbox: {
    lead: "Every issue, draft and attachment in one file that only you can read. No token is in it.",
    copy: "A copy to keep",
    copyWords: "Everything stays as it is here.",
    copyAct: "Export a copy…",
    writing: "Writing…",
    move: "To another computer",
    moveWords: "That one files what is not filed yet, and this one no more.",
    moveAct: "Move to another computer…",
    moveMeans: [
      "Sending is paused first, and what is being sent may end.",
      "What is not filed goes into the file, drafts too. Here it counts as taken back from then on.",
      "Import the file on the other computer, and sign in to each destination there.",
      "Imported here instead, everything is put back.",
    ],
    moveNow: "Choose a file and move",
    moving: "Moving…",
    import: "From another computer, or a copy",
    importWords: "What is here already stays as it is. Import only what you trust.",
    importAct: "Import…",
    reading: "Reading…",
    gone,
    came,
    heldWords: "A copy is held, because the other computer may still file it. File it here, or withdraw it.",
    needsSignIn: "New here. It needs a sign-in.",
    isPaused: "New here. Paused until you have seen where it points.",
  },

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

/** What an export came to. */
function gone({ kind, entries, unfiled, drafts, missing }: Exported): string[] {
  const what = both(entries, drafts);
  const lines = [
    kind === "copy"
      ? `A copy of ${what || "an empty outbox"} is written.`
      : `${what || "Nothing"} went into the file.`,
  ];
  if (kind === "move") {
    const are = unfiled === 1 ? "is" : "are";
    lines.push(
      unfiled > 0 ? `${unfiled} of them ${are} filed here no more.` : "Nothing was left to be filed.",
    );
  }
  if (missing > 0) {
    const files = many(missing, "attachment is", "attachments are");
    lines.push(`${files} not on this disk any more, and did not come along.`);
  }
  return lines;
}

/** What an import came to. */
function came({ entries, drafts, held, put_back, already }: Imported): string[] {
  const what = both(entries, drafts);
  const lines = what ? [`${what} came.`] : put_back > 0 ? [] : ["Nothing new came."];
  if (held > 0) lines.push(`${many(held, "is", "are")} held, since this is a copy.`);
  if (put_back > 0) lines.push(`${many(put_back, "is", "are")} put back.`);
  if (already > 0) lines.push(`${many(already, "was", "were")} here already.`);
  return lines;
}

/** What there is of the two; nothing when there is neither. */
function both(issues: number, drafts: number): string {
  const words = [issues > 0 && common.issues(issues), drafts > 0 && many(drafts, "draft", "drafts")];
  return words.filter(Boolean).join(" and ");
}

function many(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}

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
