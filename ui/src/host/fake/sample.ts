/** The fake host with believable contents, for `npm run dev` and for pictures of the windows. */
import type { Which } from "../host";
import type { AttachmentView, SettingView } from "../types";
import { FakeHost } from "./fake";
import type { FakeEntry, FakeLane } from "./standing";

const HOUR = 3_600_000;

/** `empty` has a folder and nothing else, `calm` has everything filed; without a name, one of everything. */
export function sampleHost(sample: string | null): FakeHost {
  const host = new BrowserHost();
  host.store.settings = settings();
  host.store.lanes = lanes();
  offers(host);
  if (sample === "empty") host.store.lanes = host.store.lanes.slice(-1);
  else fill(host, sample === "calm");
  if (sample === "many")
    for (let at = 0; at < 5000; at++) host.enqueue({ title: `Issue ${at}`, destination: "work" });
  if (sample !== "still")
    setInterval(() => {
      host.read();
      if (host.store.step()) host.ring();
    }, 2500);
  return host;
}

/** In a browser, windows are tabs and files come from its own dialog. */
class BrowserHost extends FakeHost {
  override async windowOpen(which: Which, draft: number | null) {
    await super.windowOpen(which, draft);
    window.open(`${which}.html${draft === null ? "" : `?draft=${draft}`}`);
  }

  override async windowClose() {
    await super.windowClose();
    window.close();
  }

  override async draftAttachPick(draft: number) {
    const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
    this.picks = await new Promise((done) => {
      input.onchange = () => done([...(input.files ?? [])]);
      input.oncancel = () => done([]);
      input.click();
    });
    return super.draftAttachPick(draft);
  }
}

function lanes(): FakeLane[] {
  const lane = (name: string, project: string, url: string): FakeLane => ({
    name,
    tracker: "gitea",
    url,
    project,
    path: null,
    answer: "files",
    paused: false,
    signedOut: false,
  });
  return [
    lane("work", "ada/shopdesk", "https://git.shopdesk.example"),
    { ...lane("client", "acme/portal", "https://code.acme.example"), signedOut: true },
    {
      ...lane("intranet", "it/portal", "https://tracker.intra.example"),
      tracker: "forgejo",
      answer: "unreachable",
    },
    { ...lane("reports", "", ""), tracker: "folder", url: null, project: null, path: "~/Documents/Outtray" },
  ];
}

/** One that was read two hours ago, and one that never was. */
function offers(host: FakeHost): void {
  const label = (name: string, color: string, description: string) => ({ name, color, description });
  const known = (number: string, title: string, open: boolean) => {
    return { number, title, url: `https://git.shopdesk.example/ada/shopdesk/issues/${number}`, open };
  };
  host.offer(
    "work",
    {
      labels: [
        label("bug", "#d73a4a", "Something does not work"),
        label("export", "#1d76db", "CSV and PDF"),
        label("needs triage", "#fbca04", "Nobody has looked yet"),
      ],
      milestones: [
        { number: 1, title: "2.0" },
        { number: 2, title: "Later" },
      ],
      assignees: [
        { login: "ada", name: "Ada Lovelace" },
        { login: "grace", name: "Grace Hopper" },
      ],
      templates: [
        {
          name: "Bug report",
          about: "Something does not work",
          title: "[bug] ",
          labels: ["bug"],
          assignees: ["ada"],
          body: "**What happened**\n\n\n**What should have happened**\n",
        },
        {
          name: "Wish",
          about: "Something is missing",
          title: "",
          labels: [],
          assignees: [],
          body: "### What is missing\n\n<!-- Required.\nSuch as: A button -->",
        },
      ],
      titles: [
        known("471", "CSV export ignores the filter", true),
        known("402", "Export of orders takes very long", false),
      ],
    },
    2 * HOUR,
  );
  host.offers.set("intranet", { kept: null, fetchedAt: null, failure: null, there: null });
  host.projects = ["ada/shopdesk", "ada/website", "acme/portal"].map((project) => ({ project, name: null }));
}

function fill(host: FakeHost, allFiled: boolean): void {
  const { store } = host;
  const ago = (ms: number) => store.stamp(-ms);
  const add = (title: string, destination: string, rest: Partial<FakeEntry> = {}) => {
    const entry = host.enqueue({ title, destination, ...rest });
    if (entry.state === "filed") {
      entry.receipt = store.receipt(entry, store.lane(destination));
      entry.filedAt = entry.savedAt;
      entry.done = 99;
    }
    return entry;
  };
  const filed = (ms: number) => ({ state: "filed", savedAt: ago(ms) }) as const;
  add("Stock count shows −1 after a refund", "client", filed(30 * HOUR));
  add("Address form loses the house number on back", "client", filed(3 * HOUR));
  add("Typo in the export dialog", "reports", filed(2 * HOUR));
  add("Caret is invisible in the dark search field", "work", filed(HOUR / 2));
  if (allFiled) {
    for (const lane of store.lanes) lane.signedOut = false;
    return;
  }
  const tries = (words: string, number: number | null, ms: number) => [
    { number, started: ago(ms), ended: ago(ms - 1000), words },
  ];
  add("Crash when the title has a newline", "work", {
    state: "attention",
    savedAt: ago(20 * 60_000),
    attempts: 1,
    said: "The tracker refused it: there is no label “p1” in ada/shopdesk.",
    files: [picture(903, "crash.png")],
    tries: [
      ...tries("Refused, 422", 1, 18 * 60_000),
      ...tries("Offline, nothing was sent", null, 19 * 60_000),
    ],
  });
  add("Sign-in page flashes white before the dark theme", "work", {
    state: "attention",
    doubt: true,
    savedAt: ago(15 * 60_000),
    attempts: 1,
    said: "Sent, but no answer came, and this tracker cannot be searched.",
    tries: tries("Connection cut after the issue was sent", 1, 14 * 60_000),
  });
  add("CSV export drops the last row when a filter is on", "work", {
    leased: true,
    savedAt: ago(5 * 60_000),
    attempts: 2,
    done: 2,
    body: "With `Status: Open` set, the exported file is one row short: the **last order on the page** is missing.",
    labels: ["bug", "export"],
    files: [picture(900, "orders.png"), picture(901, "csv.png"), picture(902, "filter.png")],
    receipt: { number: "483", url: "https://git.shopdesk.example/ada/shopdesk/issues/483" },
    tries: [
      { number: 2, started: ago(9000), ended: null, words: "Sending now" },
      ...tries("No answer within 20 s. Looked it up: not filed, safe to send.", 1, 80_000),
    ],
  });
  add("VPN reconnect leaves the old session open", "intranet", {
    unreachable: true,
    until: store.stamp(8 * 60_000),
    said: "tracker.intra.example does not answer.",
  });
  add("Print dialog opens behind the main window", "intranet");
  add("Checkout total is 0.01 off with two vouchers", "client");
  add("Voucher field accepts a trailing space", "client");
  add("Receipt e-mail shows net prices as gross", "client");
  add("Tooltip covers the Save button", "reports", { state: "withdrawn" });
  void host.draftNew().then((draft) =>
    host.draftSave({
      ...draft,
      title: "Dark theme: the caret is hard to see",
      body: "In the search field.",
    }),
  );
}

function picture(id: number, name: string): AttachmentView {
  return { id, name, media_type: "image/png", size: 48_000, is_picture: true };
}

export function settings(): SettingView[] {
  const setting = (
    key: string,
    unit: string,
    value: number | null,
    least: number,
    most: number,
  ): SettingView => {
    return { key, unit, value, default: value, least, most, words: key };
  };
  return [
    setting("drain.lease_ms", "ms", 30_000, 200, 600_000),
    setting("drain.stage_timeout_ms", "ms", 60_000, 100, 600_000),
    setting("drain.workers", "workers", 3, 1, 16),
    setting("drain.admission", "entries", 70, 1, 10_000),
    setting("drain.quiet_ms", "ms", null, 0, 600_000),
    setting("drain.backoff_base_ms", "ms", 5_000, 10, 60_000),
    setting("drain.backoff_cap_ms", "ms", 900_000, 10, 86_400_000),
    setting("outbox.max_entries", "entries", 10_000, 1, 1_000_000),
    setting("outbox.max_bytes", "bytes", 2_147_483_648, 1, 1_099_511_627_776),
    setting("keep.filed_text_days", "days", 30, 0, 3_650),
    setting("keep.filed_pictures_days", "days", 0, 0, 3_650),
  ];
}
