/** What the fake host's destinations offer to choose from, and issues that are like another one. */
import type { CatalogueView, NewDestination, Part, Project, SimilarView, TrackerKind } from "../types";
import { FakeLanes } from "./lanes";
import { problem } from "./store";

/** What is kept of a destination, and what its tracker would tell now. */
export interface FakeOffer {
  /** Nothing while it was never read. */
  kept: Partial<CatalogueView> | null;
  fetchedAt: string | null;
  failure: string | null;
  /** What a reading brings; nothing where none comes. */
  there: Partial<CatalogueView> | null;
}

const PARTS: Record<TrackerKind, Part[]> = {
  gitea: ["labels", "milestones", "assignees", "templates", "titles"],
  forgejo: ["labels", "milestones", "assignees", "templates", "titles"],
  github: ["labels", "milestones", "assignees", "templates", "titles"],
  gitlab: ["labels", "milestones", "assignees", "templates", "titles"],
  redmine: ["milestones", "assignees", "titles"],
  webhook: [],
  folder: [],
};

const OLD_MS = 10 * 60_000;

export class FakeOffers extends FakeLanes {
  readonly offers = new Map<string, FakeOffer>();
  /** What the token of a new destination may file in. */
  projects: Project[] = [];
  private readonly reading = new Set<string>();

  /** What a destination offers, as if it had been read so long ago. */
  offer(lane: string, kept: Partial<CatalogueView>, agoMs = 0): FakeOffer {
    const offer = { kept, fetchedAt: this.store.stamp(-agoMs), failure: null, there: kept };
    this.offers.set(lane, offer);
    return offer;
  }

  async catalogueOpen(destination: string | null, fresh: boolean) {
    const store = await this.asked("catalogueOpen", destination, fresh);
    const lane = destination === null ? store.lanes[0] : store.lane(destination);
    if (!lane) throw problem("not_found", "There is no destination yet.", "Add a destination in Settings.");
    const offer = this.offers.get(lane.name);
    const age = offer?.fetchedAt ? store.now() - Date.parse(offer.fetchedAt) : Infinity;
    if (fresh && offer && age > OLD_MS && PARTS[lane.tracker].length > 0) this.reading.add(lane.name);
    return structuredClone({
      destination: lane.name,
      labels: [],
      milestones: [],
      assignees: [],
      templates: [],
      titles: [],
      ...offer?.kept,
      parts: PARTS[lane.tracker].map((part) => ({
        part,
        fetched_at: offer?.fetchedAt ?? null,
        failure: offer?.failure ?? null,
      })),
      refreshing: this.reading.has(lane.name),
    } satisfies CatalogueView);
  }

  /** What is being read has been, or could not be. */
  read(): void {
    for (const name of this.reading) {
      const offer = this.offers.get(name);
      if (offer?.there)
        Object.assign(offer, { kept: offer.there, fetchedAt: this.store.stamp(), failure: null });
      else if (offer) offer.failure = `${name} does not answer.`;
    }
    this.reading.clear();
    this.ring();
  }

  async similarList(destination: string | null, title: string): Promise<SimilarView[]> {
    const store = await this.asked("similarList", destination, title);
    const lane = destination ?? store.lanes[0]?.name ?? "";
    const words = (text: string) => text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
    const sought = words(title);
    const isAlike = (one: SimilarView) =>
      sought.filter((word) => words(one.title).some((other) => other.startsWith(word))).length >=
      Math.min(2, sought.length);
    const known = (this.offers.get(lane)?.kept?.titles ?? []).map(
      ({ title, number, url, open }): SimilarView => ({
        title,
        number,
        url,
        standing: open ? "open" : "closed",
      }),
    );
    const own = store.entries
      .filter((entry) => entry.destination === lane && entry.state !== "withdrawn")
      .map((entry): SimilarView => {
        const standing = entry.state === "filed" ? "filed" : "waiting";
        return {
          title: entry.title,
          number: entry.receipt?.number ?? null,
          url: entry.receipt?.url ?? null,
          standing,
        };
      });
    return sought.length === 0 ? [] : [...known, ...own].filter(isAlike).slice(0, 5);
  }

  async similarShow(destination: string | null, url: string) {
    await this.asked("similarShow", destination, url);
  }

  async projectList(fresh: NewDestination, token: string | null) {
    await this.asked("projectList", fresh, token);
    return structuredClone(this.projects);
  }
}
