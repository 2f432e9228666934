/** Files that come in by paste and by drag, whoever brings them: the page in a browser, the desktop in the app. */
import type { Drag } from "../host/host";
import type { Attaching } from "./attaching.svelte";

export class Incoming {
  /** Something is held over the window. */
  over = $state(false);

  constructor(
    private readonly attaching: Attaching,
    private readonly isSealed: () => boolean,
  ) {}

  paste(event: ClipboardEvent): void {
    const data = event.clipboardData;
    // A spreadsheet puts text and its picture there: the text is what was meant.
    if (!data || data.getData("text/plain")) return;
    const files = [...data.files];
    // WebKitGTK tells nothing of a picture here, and hands it over when it is asked for.
    if (files.length === 0 && data.types.length === 0) return void this.pastePicture();
    if (files.length === 0) return;
    event.preventDefault();
    void this.attaching.files(files, true);
  }

  private async pastePicture(): Promise<void> {
    const items = await navigator.clipboard.read().catch(() => []);
    const pictures = items.map(async (item) => {
      const type = item.types.find((type) => type.startsWith("image/"));
      return type ? [new File([await item.getType(type)], "image.png", { type })] : [];
    });
    const files = (await Promise.all(pictures)).flat();
    if (files.length > 0) await this.attaching.files(files, true);
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
