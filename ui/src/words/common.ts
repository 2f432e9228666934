/** Words that more than one window says. */
import type { TrackerKind } from "../host/types";

const TRACKERS: Record<TrackerKind, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  forgejo: "Forgejo",
  redmine: "Redmine",
  webhook: "Webhook",
  folder: "Folder",
};

export const common = {
  newIssue: "New issue",
  openOutbox: "Open outbox",
  settings: "Settings",
  settingsKey: "Settings (Ctrl+,)",
  undo: "Undo",
  cancel: "Cancel",
  close: "Close",
  dismiss: "Dismiss",
  open: "Open",
  pause: "Pause",
  resume: "Resume",
  signIn: "Sign in",
  token: "Token",
  tokenKept:
    "Kept in the system keyring, or in memory until you quit where none answers. Never in the database.",
  untilQuit: "No keyring answers here, so its token is kept until you quit.",
  key: { newIssue: "Ctrl+N", file: "Ctrl+Enter", search: "/" },
  tracker: (kind: TrackerKind): string => TRACKERS[kind],
  untitled: "No title yet",
  issues: (count: number) => (count === 1 ? "1 issue" : `${count} issues`),
};
