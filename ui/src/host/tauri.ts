/** The host inside the app: commands by `invoke`, news by events. */
import { convertFileSrc, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { getCurrentWindow } from "@tauri-apps/api/window";
import type { Host, Why } from "./host";
import type { Attention } from "./types";

export const tauri: Host = {
  draftNew: () => invoke("draft_new"),
  draftList: () => invoke("draft_list"),
  draftOpen: (id) => invoke("draft_open", { id }),
  draftSave: (edit) => invoke("draft_save", { edit }),
  draftDiscard: (id) => invoke("draft_discard", { id }),
  // The bytes go as they are; what names them travels in headers, which are plain ASCII.
  draftAttach: (draft, name, bytes) =>
    invoke("draft_attach", bytes, {
      headers: { "x-draft": String(draft), "x-name": encodeURIComponent(name.toWellFormed()) },
    }),
  draftAttachPick: (draft) => invoke("draft_attach_pick", { draft }),
  draftAttachPath: (draft, path) => invoke("draft_attach_path", { draft, path }),
  draftDetach: (draft, attachment) => invoke("draft_detach", { draft, attachment }),
  draftReattach: (draft, attachment) => invoke("draft_reattach", { draft, attachment }),
  draftFile: (draft, revision) => invoke("draft_file", { draft, revision }),
  draftPreview: (id) => invoke("draft_preview", { id }),
  clipboardFiles: (draft) => invoke("clipboard_files", { draft }),
  captureScreen: (draft) => invoke("capture_screen", { draft }),

  entryList: (state) => invoke("entry_list", { state }),
  entryOpen: (id) => invoke("entry_open", { id }),
  entryRetry: (id) => invoke("entry_retry", { id }),
  entryRetryAll: () => invoke("entry_retry_all"),
  entryWithdraw: (id) => invoke("entry_withdraw", { id }),
  entryRestore: (id) => invoke("entry_restore", { id }),
  entryResolveThere: (id, url) => invoke("entry_resolve_there", { id, url }),
  entrySendAgain: (id) => invoke("entry_send_again", { id }),
  entryLeave: (id) => invoke("entry_leave", { id }),
  entryFilesShow: (id) => invoke("entry_files_show", { id }),
  entryShow: (id) => invoke("entry_show", { id }),
  entryMove: (id, destination) => invoke("entry_move", { id, destination }),
  entryPreview: (id) => invoke("entry_preview", { id }),
  entrySave: (id) => invoke("entry_save", { id }),

  outboxExport: (kind) => invoke("outbox_export", { kind }),
  outboxImport: () => invoke("outbox_import"),

  workPause: (destination, minutes) => invoke("work_pause", { destination, minutes }),
  workResume: (destination) => invoke("work_resume", { destination }),

  destinationList: () => invoke("destination_list"),
  destinationAdd: (fresh, token) => invoke("destination_add", { new: fresh, token }),
  destinationCertificate: (name, ca) => invoke("destination_certificate", { name, ca }),
  destinationRemove: (name) => invoke("destination_remove", { name }),
  destinationTest: (name) => invoke("destination_test", { name }),
  destinationTry: (fresh, token) => invoke("destination_try", { new: fresh, token }),
  destinationSignIn: (name, token) => invoke("destination_sign_in", { name, token }),
  destinationRemembered: () => invoke("destination_remembered"),
  projectList: (fresh, token) => invoke("project_list", { new: fresh, token }),

  catalogueOpen: (destination, fresh) => invoke("catalogue_open", { destination, fresh }),
  similarList: (destination, title) => invoke("similar_list", { destination, title }),
  similarShow: (destination, url) => invoke("similar_show", { destination, url }),

  settingList: () => invoke("setting_list"),
  settingSet: (key, value) => invoke("setting_set", { key, value }),
  shortcutList: () => invoke("shortcut_list"),

  attentionNow: () => invoke("attention_now"),
  onAttention: (hear) => listen<Attention>("attention-changed", (event) => hear(event.payload)),

  windowOpen: (which, draft) => invoke("window_open", { which, draft }),
  windowClose: () => invoke("window_close"),

  onTurned: (hear) => getCurrentWindow().listen<string>("turned-to", ({ payload }) => hear(payload)),
  // Rust holds the window back, and waits for one of the two answers.
  onAskedToGo: (hear) => getCurrentWindow().listen<Why>("asked-to-go", ({ payload }) => hear(payload)),
  windowStay: () => invoke("window_stay"),

  onDrag: (hear) =>
    getCurrentWebview().onDragDropEvent(({ payload }) => {
      if (payload.type === "drop") hear({ kind: "dropped", paths: payload.paths });
      else hear({ kind: payload.type === "leave" ? "left" : "over" });
    }),

  appQuit: (anyway) => invoke("app_quit", { anyway }),

  // Windows and Android spell custom schemes as http://picture.localhost, which this knows.
  pictureUrl: (attachment, fit) =>
    convertFileSrc(String(attachment), "picture") + (fit === null ? "" : `?fit=${fit}`),
};
