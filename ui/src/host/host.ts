/**
 * The one door to Rust: one typed method for each command, two streams of news, and the address of a picture.
 *
 * Windows get a `Host` as a property and never ask who stands behind it: `tauri.ts` in the app, `fake/` in tests and in
 * a plain browser. Every method rejects with a `Problem`.
 */
import type {
  Acted,
  ArchiveKind,
  AttachmentView,
  Attention,
  CatalogueView,
  DestinationView,
  DraftEdit,
  DraftView,
  EntryDetails,
  EntryState,
  EntryView,
  Exported,
  Imported,
  NewDestination,
  Preview,
  Problem,
  Project,
  Saved,
  SavedFiles,
  SettingView,
  SimilarView,
  Tested,
} from "./types";

export type Which = "compose" | "outbox" | "settings";

/** Files dragged over the window, as the webview tells it: with paths, which Rust opens itself. */
export type Drag = { kind: "over" } | { kind: "left" } | { kind: "dropped"; paths: string[] };

/** Why a window is asked to go: the person closes it, or quits. */
export type Why = "close" | "quit";

/** A key that works in every window of the desktop: `taken` by another program, or for the `desktop` itself to bind. */
export interface Shortcut {
  verb: "new" | "capture";
  keys: string;
  standing: "bound" | "taken" | "desktop";
}

/** What came of pasting files: those that are attached now, and why others are not. */
export interface Pasted {
  attached: AttachmentView[];
  refused: Problem[];
}

/** Ends a subscription. */
export type Stop = () => void;

export interface Host {
  draftNew(): Promise<DraftView>;
  draftList(): Promise<DraftView[]>;
  draftOpen(id: number): Promise<DraftView>;
  draftSave(edit: DraftEdit): Promise<DraftView>;
  draftDiscard(id: number): Promise<void>;
  draftAttach(draft: number, name: string, bytes: Uint8Array): Promise<AttachmentView>;
  draftAttachPick(draft: number): Promise<AttachmentView[]>;
  draftAttachPath(draft: number, path: string): Promise<AttachmentView>;
  draftDetach(draft: number, attachment: number): Promise<void>;
  draftReattach(draft: number, attachment: number): Promise<void>;
  draftFile(draft: number, revision: number): Promise<Saved>;
  /** What leaves of it, as it was saved last. */
  draftPreview(id: number): Promise<Preview>;
  /** Attaches the files that were copied in a file manager; Rust alone knows where they are. */
  clipboardFiles(draft: number): Promise<Pasted>;
  captureScreen(draft: number): Promise<AttachmentView>;

  entryList(state: EntryState | null): Promise<EntryView[]>;
  entryOpen(id: number): Promise<EntryDetails>;
  entryRetry(id: number): Promise<Acted>;
  entryRetryAll(): Promise<Acted[]>;
  entryWithdraw(id: number): Promise<Acted>;
  entryRestore(id: number): Promise<Acted>;
  entryResolveThere(id: number, url: string): Promise<Acted>;
  entrySendAgain(id: number): Promise<Acted>;
  /** Leaves it filed without the files that its tracker did not take. */
  entryLeave(id: number): Promise<Acted>;
  /** Shows those files in a folder. */
  entryFilesShow(id: number): Promise<void>;
  entryShow(id: number): Promise<void>;
  entryMove(id: number, destination: string): Promise<Acted>;
  entryPreview(id: number): Promise<Preview>;
  /** Asks for a folder in the system's dialog; nothing when the person cancels. */
  entrySave(id: number): Promise<SavedFiles | null>;

  /** Both ask for a file in the system's dialog; nothing when the person cancels. */
  outboxExport(kind: ArchiveKind): Promise<Exported | null>;
  outboxImport(): Promise<Imported | null>;

  /** `null` stands for all work, and for "until resumed". */
  workPause(destination: string | null, minutes: number | null): Promise<void>;
  workResume(destination: string | null): Promise<void>;

  destinationList(): Promise<DestinationView[]>;
  destinationAdd(fresh: NewDestination, token: string | null): Promise<DestinationView>;
  destinationRemove(name: string): Promise<void>;
  /** Names the file with certificates that are trusted there besides the computer's own; `null` for none. */
  destinationCertificate(name: string, ca: string | null): Promise<DestinationView>;
  destinationTest(name: string): Promise<Tested>;
  /** Tests what is filled in, before it is added. */
  destinationTry(fresh: NewDestination, token: string | null): Promise<Tested>;
  destinationSignIn(name: string, token: string): Promise<void>;
  /** Those whose token no keyring keeps: it is in memory, and gone when the app quits. */
  destinationRemembered(): Promise<string[]>;
  /** The projects that a token may file in. */
  projectList(fresh: NewDestination, token: string | null): Promise<Project[]>;

  /**
   * What a destination offers to choose from, as it was last read; `null` stands for the default one. `fresh`: somebody is
   * about to choose, so what is old is read anew meanwhile.
   */
  catalogueOpen(destination: string | null, fresh: boolean): Promise<CatalogueView>;
  /** Issues that are like a title. */
  similarList(destination: string | null, title: string): Promise<SimilarView[]>;
  /** Opens one of them in the browser. */
  similarShow(destination: string | null, url: string): Promise<void>;

  settingList(): Promise<SettingView[]>;
  settingSet(key: string, value: string): Promise<SettingView>;
  shortcutList(): Promise<Shortcut[]>;

  attentionNow(): Promise<Attention>;
  onAttention(hear: (attention: Attention) => void): Promise<Stop>;

  windowOpen(which: Which, draft: number | null): Promise<void>;
  windowClose(): Promise<void>;
  /** This window is asked to go. It saves, and answers by `windowClose` or `windowStay`; it may be asked again. */
  onAskedToGo(hear: (why: Why) => void): Promise<Stop>;
  /** This window is to show something else, named as in its address: `needs-you`, `sign-in/work`. */
  onTurned(hear: (view: string) => void): Promise<Stop>;
  /** This window stays, in front: its words are not safe. */
  windowStay(): Promise<void>;
  onDrag(hear: (drag: Drag) => void): Promise<Stop>;
  /** Quits once all that is typed is safe, in every window; or at once, `anyway`. */
  appQuit(anyway: boolean): Promise<void>;

  /** The address of a thumbnail that fits a square of `fit` pixels, or of the picture itself. */
  pictureUrl(attachment: number, fit: number | null): string;
}
