// Written from the engine's Rust types; do not edit. See tests/ui_types.rs.

/**
 * The kind of a problem: what a caller may branch on.
 */
export type Code = "not_found" | "invalid" | "refused" | "already_filed" | "stale" | "outbox_full" | "busy" | "read_only" | "disk_full" | "too_new" | "other_machine" | "sign_in" | "unreachable" | "keyring" | "capture" | "internal";

/**
 * One problem: a sentence for the person, one next step, a kind, and the causes for the log.
 */
export type Problem = { 
/**
 * The kind to branch on.
 */
code: Code, 
/**
 * One sentence in the person's words.
 */
message: string, 
/**
 * One next step, or nothing.
 */
hint: string | null, };

/**
 * A UUID v7 that names one issue for ever, here and inside the tracker.
 */
export type Key = string;

/**
 * An issue-tracking service.
 */
export type TrackerKind = "gitea" | "forgejo" | "github" | "gitlab" | "redmine" | "webhook" | "folder";

/**
 * One network step of filing. Finished for good once recorded.
 */
export type StageKind = "create" | "upload" | "embed";

/**
 * The tracker's number and link.
 */
export type Receipt = { 
/**
 * As the tracker writes it (`482`); a folder gives the directory's name.
 */
number: string, 
/**
 * Where a person can open it.
 */
url: string, };

/**
 * One kind of thing to choose from.
 */
export type Part = "labels" | "milestones" | "assignees" | "templates" | "titles";

/**
 * A label.
 */
export type Label = { 
/**
 * Its name.
 */
name: string, 
/**
 * `#d73a4a`, where it has one.
 */
color: string | null, 
/**
 * What it is for, where that is written down.
 */
description: string | null, };

/**
 * A milestone that is open. Where a tracker has versions, those are its milestones.
 */
export type Milestone = { 
/**
 * The number by which the tracker is told.
 */
number: number, 
/**
 * What people call it.
 */
title: string, };

/**
 * Somebody who can be asked to see to an issue.
 */
export type Assignee = { 
/**
 * The login; at Redmine, which does not tell it, the name.
 */
login: string, 
/**
 * The name, where it is another.
 */
name: string | null, };

/**
 * An issue template. A form has become text: its fields are headings.
 */
export type Template = { 
/**
 * What people call it.
 */
name: string, 
/**
 * What it is for.
 */
about: string | null, 
/**
 * What the title begins with.
 */
title: string, 
/**
 * Names of labels.
 */
labels: Array<string>, 
/**
 * Logins.
 */
assignees: Array<string>, 
/**
 * Markdown.
 */
body: string, };

/**
 * An issue that is there already.
 */
export type Title = { 
/**
 * As the tracker writes it.
 */
number: string, 
/**
 * Its title.
 */
title: string, 
/**
 * Where a person can open it.
 */
url: string, 
/**
 * Whether it is open.
 */
open: boolean, };

/**
 * A project that the token may file in.
 */
export type Project = { 
/**
 * As a destination names it: `owner/name`, or an identifier.
 */
project: string, 
/**
 * What people call it, where that is something else.
 */
name: string | null, };

/**
 * How urgent it is. The order is the precedence.
 */
export type Level = "calm" | "waiting" | "sending" | "offline" | "paused" | "needs_you";

/**
 * Something that only a person can move: an entry or a lane.
 */
export type Item = { 
/**
 * The entry's number; nothing for a lane.
 */
entry: number | null, 
/**
 * The destination's name.
 */
destination: string, 
/**
 * The entry's title, or "work is signed out".
 */
title: string, 
/**
 * Why, in words.
 */
words: string, 
/**
 * The label of the one next step: "Retry", "Sign in".
 */
step: string, };

/**
 * What a person should know now. Tray, windows, notifications and `outtrayctl status` render this value.
 */
export type Attention = { 
/**
 * How urgent it is.
 */
level: Level, 
/**
 * Entries to be filed, those being sent included.
 */
waiting: number, 
/**
 * Entries under a live lease.
 */
sending: number, 
/**
 * Items that only a person can move: entries and lanes.
 */
attention: number, 
/**
 * Whether every lane with due entries last ended with nothing sent.
 */
offline: boolean, 
/**
 * Whether a person paused all work.
 */
paused: boolean, 
/**
 * "2 need you, 4 waiting"; without times, which the reader's clock writes.
 */
headline: string, 
/**
 * The next time something is tried (RFC 3339, UTC).
 */
next_try: string | null, 
/**
 * The most urgent items, three at most.
 */
items: Array<Item>, 
/**
 * Rises whenever anything in the store changed, so that windows know to ask again.
 */
revision: number, };

/**
 * The states of an entry.
 */
export type EntryState = "waiting" | "filed" | "attention" | "withdrawn";

/**
 * What a row looks like: one silhouette each.
 */
export type Row = "held" | "waiting" | "backed_off" | "offline" | "paused" | "sending" | "doubt" | "doubt_ask" | "needs_you" | "filed" | "withdrawn";

/**
 * What a person may do with an entry now. The first is the one next step.
 */
export type Act = "retry" | "look_now" | "its_there" | "send_again" | "withdraw" | "restore" | "show_files" | "leave" | "open" | "copy_link" | "move_to";

/**
 * One entry, as a row.
 */
export type EntryView = { 
/**
 * Its number in this outbox.
 */
id: number, 
/**
 * Its idempotency key.
 */
key: Key, 
/**
 * The destination's name.
 */
destination: string, 
/**
 * The project there, or the folder.
 */
project: string, 
/**
 * Which service.
 */
tracker: TrackerKind, 
/**
 * The title.
 */
title: string, 
/**
 * Its state.
 */
state: EntryState, 
/**
 * What its row looks like.
 */
row: Row, 
/**
 * Tries that counted.
 */
attempts: number, 
/**
 * The stage that is open, in doubt or being sent: `create`, `upload` or `embed`.
 */
stage: StageKind | null, 
/**
 * The stage in words: "Uploading picture 2 of 3".
 */
stage_words: string | null, 
/**
 * When it is tried, looked up or released next (RFC 3339, UTC).
 */
not_before: string | null, 
/**
 * What holds it or what came of the last try, in words.
 */
reason: string | null, 
/**
 * What a person asked for while a worker had it: `withdraw`, `retry` or `move`.
 */
wish: string | null, 
/**
 * Number and link.
 */
receipt: Receipt | null, 
/**
 * When it was saved (RFC 3339, UTC).
 */
saved_at: string, 
/**
 * When it was filed (RFC 3339, UTC).
 */
filed_at: string | null, 
/**
 * How many attachments travel with it.
 */
attachments: number, 
/**
 * Whether it came as a copy and is held: another computer may file it.
 */
is_held_copy: boolean, 
/**
 * What the person can do now; the first is the one next step.
 */
acts: Array<Act>, };

/**
 * The states of a stage.
 */
export type StageState = "open" | "sent" | "done" | "doubt";

/**
 * One stage, in the details.
 */
export type StageView = { 
/**
 * Which step.
 */
kind: StageKind, 
/**
 * "Create issue", "Upload picture 1".
 */
words: string, 
/**
 * Where it stands.
 */
state: StageState, 
/**
 * When that was recorded (RFC 3339, UTC).
 */
at: string | null, 
/**
 * Of a file that its tracker did not take: why. The stage is settled without it.
 */
missing: string | null, };

/**
 * One attempt, in the details; newest first.
 */
export type AttemptView = { 
/**
 * Its number, or nothing for a try that did not count.
 */
number: number | null, 
/**
 * When it started (RFC 3339, UTC).
 */
started: string, 
/**
 * When it ended; nothing while it runs.
 */
ended: string | null, 
/**
 * What came of it, in words.
 */
words: string, };

/**
 * One attachment.
 */
export type AttachmentView = { 
/**
 * Its number.
 */
id: number, 
/**
 * The name it is sent under.
 */
name: string, 
/**
 * Such as `image/png`.
 */
media_type: string, 
/**
 * In bytes.
 */
size: number, 
/**
 * Whether a thumbnail can be had.
 */
is_picture: boolean, };

/**
 * An entry with everything about it.
 */
export type EntryDetails = { 
/**
 * Which version of the words that is; an edit says which one it is of.
 */
revision: number, 
/**
 * The words that travel.
 */
body: string, 
/**
 * Names of labels.
 */
labels: Array<string>, 
/**
 * The title of a milestone.
 */
milestone: string | null, 
/**
 * Logins of those it is assigned to.
 */
assignees: Array<string>, 
/**
 * In order.
 */
stages: Array<StageView>, 
/**
 * Newest first.
 */
tries: Array<AttemptView>, 
/**
 * In order.
 */
files: Array<AttachmentView>, 
/**
 * Its number in this outbox.
 */
id: number, 
/**
 * Its idempotency key.
 */
key: Key, 
/**
 * The destination's name.
 */
destination: string, 
/**
 * The project there, or the folder.
 */
project: string, 
/**
 * Which service.
 */
tracker: TrackerKind, 
/**
 * The title.
 */
title: string, 
/**
 * Its state.
 */
state: EntryState, 
/**
 * What its row looks like.
 */
row: Row, 
/**
 * Tries that counted.
 */
attempts: number, 
/**
 * The stage that is open, in doubt or being sent: `create`, `upload` or `embed`.
 */
stage: StageKind | null, 
/**
 * The stage in words: "Uploading picture 2 of 3".
 */
stage_words: string | null, 
/**
 * When it is tried, looked up or released next (RFC 3339, UTC).
 */
not_before: string | null, 
/**
 * What holds it or what came of the last try, in words.
 */
reason: string | null, 
/**
 * What a person asked for while a worker had it: `withdraw`, `retry` or `move`.
 */
wish: string | null, 
/**
 * Number and link.
 */
receipt: Receipt | null, 
/**
 * When it was saved (RFC 3339, UTC).
 */
saved_at: string, 
/**
 * When it was filed (RFC 3339, UTC).
 */
filed_at: string | null, 
/**
 * How many attachments travel with it.
 */
attachments: number, 
/**
 * Whether it came as a copy and is held: another computer may file it.
 */
is_held_copy: boolean, 
/**
 * What the person can do now; the first is the one next step.
 */
acts: Array<Act>, };

/**
 * A draft.
 */
export type DraftView = { 
/**
 * Its number.
 */
id: number, 
/**
 * Its idempotency key, for good.
 */
key: Key, 
/**
 * Rises with each save.
 */
revision: number, 
/**
 * The destination's name; nothing = the default one.
 */
destination: string | null, 
/**
 * May be empty while it is a draft.
 */
title: string, 
/**
 * Markdown.
 */
body: string, 
/**
 * Names of labels.
 */
labels: Array<string>, 
/**
 * The title of a milestone.
 */
milestone: string | null, 
/**
 * Logins of those it is assigned to.
 */
assignees: Array<string>, 
/**
 * In order.
 */
attachments: Array<AttachmentView>, 
/**
 * When it was last changed (RFC 3339, UTC).
 */
edited_at: string, };

/**
 * What a window sends to save a draft.
 */
export type DraftEdit = { 
/**
 * Which draft.
 */
id: number, 
/**
 * The revision the window last saw; another one is refused as `stale`.
 */
revision: number, 
/**
 * The destination's name; nothing = the default one.
 */
destination: string | null, 
/**
 * The title as typed.
 */
title: string, 
/**
 * The body as typed.
 */
body: string, 
/**
 * Names of labels.
 */
labels: Array<string>, 
/**
 * The title of a milestone.
 */
milestone: string | null, 
/**
 * Logins of those it is assigned to.
 */
assignees: Array<string>, };

/**
 * A destination, in settings and pickers.
 */
export type DestinationView = { 
/**
 * Its name.
 */
name: string, 
/**
 * Which service.
 */
tracker: TrackerKind, 
/**
 * "Gitea, ada/shopdesk on git.shopdesk.example" or "Folder, ~/Documents/Outtray".
 */
words: string, 
/**
 * The base address.
 */
url: string | null, 
/**
 * The project.
 */
project: string | null, 
/**
 * The folder.
 */
path: string | null, 
/**
 * Whether new issues go there by themselves.
 */
is_default: boolean, 
/**
 * How many issues wait for it.
 */
waiting: number, 
/**
 * What holds the lane as a whole, in words: "Gitea did not accept the sign-in."
 */
held: string | null, 
/**
 * Whether the hold is one that only a sign-in ends.
 */
needs_sign_in: boolean, 
/**
 * Whether a person paused it.
 */
paused: boolean, 
/**
 * The PEM file with certificates that are trusted there besides this computer's own.
 */
ca: string | null, };

/**
 * What a person fills in to add a destination.
 */
export type NewDestination = { 
/**
 * Its name.
 */
name: string, 
/**
 * Which service.
 */
tracker: TrackerKind, 
/**
 * The base address, as typed.
 */
url: string | null, 
/**
 * The project, as typed.
 */
project: string | null, 
/**
 * The folder, as typed.
 */
path: string | null, 
/**
 * The branch that takes pictures where GitHub has no other place for them, as typed.
 */
branch: string | null, 
/**
 * Whether the receiver of a webhook recognises an `Idempotency-Key` that it has seen.
 */
honours_key: boolean, 
/**
 * A PEM file with certificates that are trusted there besides this computer's own, as typed.
 */
ca: string | null, };

/**
 * What a test of a destination found.
 */
export type Tested = { 
/**
 * Whether issues can be filed there now.
 */
works: boolean, 
/**
 * What was found, in one sentence.
 */
words: string, 
/**
 * One next step, where there is one.
 */
hint: string | null, };

/**
 * What filing a draft came to: it is saved.
 */
export type Saved = { 
/**
 * The entry's number.
 */
id: number, 
/**
 * Its idempotency key.
 */
key: Key, 
/**
 * Its state.
 */
state: EntryState, };

/**
 * What an act on an entry came to.
 */
export type Acted = { 
/**
 * The entry's number.
 */
id: number, 
/**
 * Its state now.
 */
state: EntryState, 
/**
 * Whether it was recorded as a wish, to be honoured at the next safe moment.
 */
wish: boolean, 
/**
 * What happened, in one sentence.
 */
words: string, };

/**
 * One setting.
 */
export type SettingView = { 
/**
 * Such as `drain.workers`.
 */
key: string, 
/**
 * The value in force; nothing where "unset" has a meaning.
 */
value: number | null, 
/**
 * The value when nothing is set.
 */
default: number | null, 
/**
 * The smallest value.
 */
least: number, 
/**
 * The largest value.
 */
most: number, 
/**
 * `ms`, `days`, `bytes`, `entries`, `workers`.
 */
unit: string, 
/**
 * What it does, in one sentence.
 */
words: string, };

/**
 * What leaves of an issue, as its tracker will get it.
 */
export type Preview = { 
/**
 * The destination's name.
 */
destination: string, 
/**
 * "Gitea, ada/demo on git.example.org".
 */
place: string, 
/**
 * Which service.
 */
tracker: TrackerKind, 
/**
 * The title, as cut.
 */
title: string, 
/**
 * The text, marker included. `…` stands for the address of a file, which the tracker gives.
 */
text: string, 
/**
 * The labels that are asked for there.
 */
labels: Array<string>, 
/**
 * The milestone that is asked for there.
 */
milestone: string | null, 
/**
 * Who is to be assigned there.
 */
assignees: Array<string>, 
/**
 * The files that travel, each under the name it gets.
 */
files: Array<PreviewFile>, 
/**
 * What the person should know besides, in sentences.
 */
notes: Array<string>, };

/**
 * A file that travels.
 */
export type PreviewFile = { 
/**
 * The name it gets.
 */
name: string, 
/**
 * Such as `image/png`.
 */
media_type: string, 
/**
 * In bytes.
 */
size: number, };

/**
 * An issue that was saved as files.
 */
export type SavedFiles = { 
/**
 * The directory with `issue.md` and the files.
 */
path: string, 
/**
 * How many files lie beside the page.
 */
files: number, 
/**
 * Attachments that are not on this computer any more.
 */
missing: Array<string>, };

/**
 * What becomes of the outbox that it was made of.
 */
export type ArchiveKind = "copy" | "move";

/**
 * What an export came to.
 */
export type Exported = { 
/**
 * Copy or move.
 */
kind: ArchiveKind, 
/**
 * Entries that are in it, in whatever state.
 */
entries: number, 
/**
 * Of those, entries that are not filed yet; in a move, they are filed here no more.
 */
unfiled: number, 
/**
 * Drafts that are in it.
 */
drafts: number, 
/**
 * Attachments whose bytes are in it.
 */
files: number, 
/**
 * Attachments that were not on the disk any more, or not as they had been.
 */
missing: number, };

/**
 * What an import came to.
 */
export type Imported = { 
/**
 * Copy or move.
 */
kind: ArchiveKind, 
/**
 * Entries that came.
 */
entries: number, 
/**
 * Of those, copies that are held until somebody releases them.
 */
held: number, 
/**
 * Entries and drafts that were here already.
 */
already: number, 
/**
 * Entries that had gone from here, and are back.
 */
put_back: number, 
/**
 * Drafts that came.
 */
drafts: number, 
/**
 * Destinations that were not here, and have no token yet.
 */
destinations: Array<Added>, };

/**
 * A destination that came with an import.
 */
export type Added = { 
/**
 * What it is called here.
 */
name: string, 
/**
 * "Gitea, ada/demo on git.example.org".
 */
words: string, 
/**
 * Whether it is paused until somebody has seen where it points.
 */
paused: boolean, 
/**
 * Whether it waits for a sign-in.
 */
needs_sign_in: boolean, };

/**
 * How old one part is.
 */
export type PartView = { 
/**
 * Which.
 */
part: Part, 
/**
 * When it was read (RFC 3339, UTC); nothing while it has not been.
 */
fetched_at: string | null, 
/**
 * Why the last try did not work, in words.
 */
failure: string | null, };

/**
 * What a destination offers to choose from, as it was last read. What it does not have at all is empty, and not among the
 * parts.
 */
export type CatalogueView = { 
/**
 * The destination's name.
 */
destination: string, 
/**
 * Labels.
 */
labels: Array<Label>, 
/**
 * Open milestones.
 */
milestones: Array<Milestone>, 
/**
 * Who can be asked to see to an issue.
 */
assignees: Array<Assignee>, 
/**
 * Issue templates and forms.
 */
templates: Array<Template>, 
/**
 * Titles of issues that are there, those that changed last.
 */
titles: Array<Title>, 
/**
 * What there is at all, and how old it is.
 */
parts: Array<PartView>, 
/**
 * Whether it is being read anew at this moment.
 */
refreshing: boolean, };

/**
 * Where an issue that is like another one stands.
 */
export type Standing = "open" | "closed" | "filed" | "waiting";

/**
 * An issue that is like the one being written.
 */
export type SimilarView = { 
/**
 * Its title.
 */
title: string, 
/**
 * Its number, once it is filed.
 */
number: string | null, 
/**
 * Where a person can open it.
 */
url: string | null, 
/**
 * How it stands.
 */
standing: Standing, };
