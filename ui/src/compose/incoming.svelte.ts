/** Files that come in by paste and by drag, whoever brings them: the page in a browser, the desktop in the app. */
import type { Drag } from "../host/host";
import type { Attaching } from "./attaching.svelte";
import { typeInto } from "./insert";
import { oneLine } from "./words";

export class Incoming {
  /** Something is held over the window. */
  over = $state(false);

  constructor(
    private readonly attaching: Attaching,
    private readonly isSealed: () => boolean,
  ) {}

  paste(event: ClipboardEvent): void {
    const data = event.clipboardData;
    if (!data || this.isSealed()) return;
    const text = data.getData("text/plain");
    const files = [...data.files];
    // A spreadsheet puts text and its picture there: the text is what was meant.
    if (text && !arePaths(text)) return;
    if (!text && data.types.includes("text/html")) return;
    event.preventDefault();
    if (!text && files.length > 0) return void this.attaching.files(files, true);
    void this.pasteCopied(text, event.target);
  }

  /** A file manager puts paths there as text, and what they are as something WebKitGTK hides: Rust is asked. */
  private async pasteCopied(text: string, field: EventTarget | null): Promise<void> {
    // Asked at once, while it is still the person's key that asks.
    const pictures = text ? [] : this.pictures();
    if (await this.attaching.copied()) return;
    if (text && isField(field) && !this.isSealed()) {
      field.focus();
      typeInto(field, field instanceof HTMLInputElement ? oneLine(text) : text);
    }
    await this.attaching.files(await pictures, true);
  }

  /** WebKitGTK tells nothing of a picture in the event, and hands it over when it is asked for. */
  private async pictures(): Promise<File[]> {
    const items = (await navigator.clipboard?.read().catch(() => [])) ?? [];
    const pictures = items.map(async (item) => {
      const type = item.types.find((type) => type.startsWith("image/"));
      return type ? [new File([await item.getType(type)], "image.png", { type })] : [];
    });
    return (await Promise.all(pictures)).flat();
  }

  /** In the app the desktop tells the paths. */
  drag(news: Drag): void {
    this.over = news.kind === "over" && !this.isSealed();
    if (news.kind === "dropped") void this.attaching.paths(news.paths);
  }

  // In a browser the page itself gets the files; in the app these stay silent.

  dragover(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.over = !this.isSealed();
  }

  dragleave(event: DragEvent): void {
    if (event.relatedTarget === null) this.over = false;
  }

  drop(event: DragEvent): void {
    this.over = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.attaching.files(files);
  }
}

/** Whether a text may be what a file manager says of the files that were copied. Only Rust can tell. */
function arePaths(text: string): boolean {
  const lines = text.trim().split(/\r?\n/);
  return lines.every((line) => /^(\/|file:\/\/)/.test(line));
}

function isField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
