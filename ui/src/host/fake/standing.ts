/** What the fake store keeps of an entry and a lane, and how they look in windows: the rules of Rust, in small. */
import type {
  Act,
  AttemptView,
  AttachmentView,
  DestinationView,
  EntryDetails,
  EntryState,
  Preview,
  Receipt,
} from "../types";
import type { Row, StageKind, StageView, TrackerKind } from "../types";

/** What the fake tracker of a lane does when something is sent to it. */
export type Answer = "files" | "unreachable" | "refuses" | "is silent" | "wants a sign-in";

export interface FakeLane {
  name: string;
  tracker: TrackerKind;
  url: string | null;
  project: string | null;
  path: string | null;
  answer: Answer;
  paused: boolean;
  signedOut: boolean;
  ca?: string | null;
}

export interface FakeEntry {
  id: number;
  key: string;
  destination: string;
  title: string;
  body: string;
  labels: string[];
  milestone: string | null;
  assignees: string[];
  files: AttachmentView[];
  state: EntryState;
  leased: boolean;
  /** Steps that are finished for good. */
  done: number;
  doubt: boolean;
  unreachable: boolean;
  until: string | null;
  said: string | null;
  wish: string | null;
  receipt: Receipt | null;
  savedAt: string;
  filedAt: string | null;
  attempts: number;
  tries: AttemptView[];
  isHeldCopy: boolean;
}

export function steps(entry: FakeEntry): StageKind[] {
  return [
    "create",
    ...entry.files.map(() => "upload" as const),
    ...(entry.files.length ? ["embed" as const] : []),
  ];
}

export function details(entry: FakeEntry, lane: FakeLane, allPaused: boolean): EntryDetails {
  const row = rowOf(entry, lane, allPaused);
  const stages = stagesOf(entry);
  const open = stages.find((stage) => stage.state !== "done");
  return {
    id: entry.id,
    key: entry.key,
    destination: entry.destination,
    project: lane.project ?? lane.path ?? "",
    tracker: lane.tracker,
    title: entry.title,
    state: entry.state,
    row,
    attempts: entry.attempts,
    stage: open?.kind ?? null,
    stage_words: row === "sending" ? doing(entry) : null,
    not_before: entry.until,
    reason: reasonOf(entry, lane, row, allPaused),
    wish: entry.wish,
    receipt: entry.receipt,
    saved_at: entry.savedAt,
    filed_at: entry.filedAt,
    attachments: entry.files.length,
    is_held_copy: entry.isHeldCopy,
    acts: actsOf(entry, row),
    body: entry.body,
    labels: entry.labels,
    milestone: entry.milestone,
    assignees: entry.assignees,
    revision: 1,
    stages,
    tries: entry.tries,
    files: entry.files,
  };
}

function rowOf(entry: FakeEntry, lane: FakeLane, allPaused: boolean): Row {
  if (entry.state === "filed" || entry.state === "withdrawn") return entry.state;
  if (entry.state === "attention") return entry.doubt ? "doubt_ask" : "needs_you";
  if (entry.leased) return "sending";
  if (allPaused || lane.paused || lane.signedOut) return "paused";
  if (entry.doubt) return "doubt";
  if (entry.unreachable) return "offline";
  return entry.until ? "backed_off" : "waiting";
}

function reasonOf(entry: FakeEntry, lane: FakeLane, row: Row, allPaused: boolean): string | null {
  if (row === "paused") {
    if (allPaused) return "Held: work is paused.";
    if (lane.paused) return `Held: ${lane.name} is paused.`;
    return `Held until you sign in. ${notAccepted(lane)}`;
  }
  if (row === "doubt") return "Sent, waiting to confirm. No answer came.";
  return row === "sending" || row === "waiting" || row === "withdrawn" ? null : entry.said;
}

function actsOf(entry: FakeEntry, row: Row): Act[] {
  if (row === "filed") return ["open", "copy_link"];
  if (row === "withdrawn") return ["restore"];
  const next: Partial<Record<Row, Act[]>> = {
    doubt_ask: ["its_there", "send_again", "look_now"],
    doubt: ["look_now"],
    needs_you: ["retry"],
    backed_off: ["retry"],
    offline: ["retry"],
  };
  const isIncomplete = row === "needs_you" && entry.receipt !== null;
  const acts: Act[] = isIncomplete ? ["retry", "show_files", "leave"] : (next[row] ?? []);
  if (entry.receipt) return [...acts, "open", "copy_link"];
  return entry.wish === "withdraw" ? acts : [...acts, "withdraw", "move_to"];
}

/** What leaves, as the rules of Rust have it for a plain tracker. */
export function leaves(
  {
    key,
    title,
    body,
    labels,
    milestone,
    assignees,
    files,
  }: Pick<FakeEntry, "key" | "title" | "body" | "labels" | "milestone" | "assignees" | "files">,
  lane: FakeLane,
): Preview {
  const pictures = files.filter((file) => file.is_picture).map(({ name }) => `![${name}](…)`);
  const marker = `<!-- outtray:${key} -->`;
  return {
    destination: lane.name,
    place: laneView(lane, false, 0).words,
    tracker: lane.tracker,
    title: title.trim(),
    text: [body.trimEnd(), ...pictures, marker].filter(Boolean).join("\n\n"),
    labels: [...labels],
    milestone,
    assignees: [...assignees],
    files: files.map(({ name, media_type, size }) => ({ name, media_type, size })),
    notes:
      title.length > 255
        ? ["The title is longer than trackers take. It is cut, and stands whole above the text."]
        : [],
  };
}

function doing(entry: FakeEntry): string {
  const kind = steps(entry)[entry.done];
  if (kind === "create") return "Creating the issue";
  return kind === "upload"
    ? `Uploading file ${entry.done} of ${entry.files.length}`
    : "Putting the pictures in";
}

function stagesOf(entry: FakeEntry): StageView[] {
  return steps(entry).map((kind, at) => ({
    kind,
    words: kind === "create" ? "Create issue" : kind === "upload" ? `Upload file ${at}` : "Embed pictures",
    state:
      at < entry.done
        ? "done"
        : at > entry.done
          ? "open"
          : entry.doubt
            ? "doubt"
            : entry.leased
              ? "sent"
              : "open",
    at: at < entry.done ? (entry.filedAt ?? entry.tries[0]?.started ?? null) : null,
    missing:
      kind === "upload" && at === entry.files.length && entry.state === "attention" && entry.receipt
        ? entry.said
        : null,
  }));
}

export function notAccepted(lane: FakeLane): string {
  return `${trackerName(lane.tracker)} did not accept the sign-in.`;
}

export function trackerName(tracker: TrackerKind): string {
  const names: Record<TrackerKind, string> = {
    github: "GitHub",
    gitlab: "GitLab",
    gitea: "Gitea",
    forgejo: "Forgejo",
    redmine: "Redmine",
    webhook: "Webhook",
    folder: "Folder",
  };
  return names[tracker];
}

export function laneView(lane: FakeLane, isDefault: boolean, waiting: number): DestinationView {
  const where = lane.url ? `${lane.project} on ${hostOf(lane.url)}` : (lane.path ?? "");
  return {
    name: lane.name,
    tracker: lane.tracker,
    words: `${trackerName(lane.tracker)}, ${where}`,
    url: lane.url,
    project: lane.project,
    path: lane.path,
    is_default: isDefault,
    waiting,
    held: lane.signedOut ? notAccepted(lane) : null,
    needs_sign_in: lane.signedOut,
    paused: lane.paused,
    ca: lane.ca ?? null,
  };
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
