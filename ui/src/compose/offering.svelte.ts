/**
 * What the destination offers to choose from: as it was last read, offline too. It is asked for when the window opens and
 * when the destination changes, and once more when what is read anew meanwhile is there.
 */
import type { Host } from "../host/host";
import type { CatalogueView, Part } from "../host/types";
import type { Choice } from "../parts/Combo.svelte";
import { compose } from "../words";

export class Offering {
  view = $state.raw<CatalogueView | null>(null);
  private destination: string | null | undefined;
  private asks = 0;
  private rings = 0;

  constructor(private readonly host: Host) {}

  /** The issue is to go there: somebody is about to choose. */
  async turnTo(destination: string | null): Promise<void> {
    if (destination === this.destination) return;
    this.destination = destination;
    this.view = null;
    await this.ask(true);
  }

  /** Something in the store changed. */
  async heard(): Promise<void> {
    this.rings += 1;
    if (this.view?.refreshing) await this.ask(false);
  }

  has(part: Part): boolean {
    return this.view?.parts.some((one) => one.part === part) ?? false;
  }

  /** "As of 2 hours ago", or why there is nothing. */
  age(part: Part): string {
    const found = this.view?.parts.find((one) => one.part === part);
    return compose.age(found?.fetched_at ?? null, found?.failure ?? null, this.view?.refreshing ?? false);
  }

  get labels(): Choice[] {
    const all = this.view?.labels ?? [];
    return all.map(({ name, color, description }) => ({ value: name, color, note: description }));
  }

  get milestones(): Choice[] {
    return (this.view?.milestones ?? []).map(({ title }) => ({ value: title }));
  }

  get people(): Choice[] {
    return (this.view?.assignees ?? []).map(({ login, name }) => ({ value: login, note: name }));
  }

  private async ask(fresh: boolean): Promise<void> {
    const { destination } = this;
    const { rings } = this;
    const asked = ++this.asks;
    // Without it there is less to choose from, and as much to write.
    const view = await this.host.catalogueOpen(destination ?? null, fresh).catch(() => null);
    if (asked !== this.asks || !view) return;
    this.view = view;
    // What rang before the answer came may have been about it.
    if (view.refreshing && rings !== this.rings) await this.ask(false);
  }
}
