/** One toast at a time; a new one replaces the last. */

export interface ToastWords {
  words: string;
  /** The way back, while there is one. */
  act?: { label: string; take: () => void };
  /** What happens once the way back is closed. */
  after?: () => void;
}

const STAYS_MS = 6000;

export class Toasts {
  current = $state.raw<ToastWords | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;

  show(toast: ToastWords): void {
    this.end();
    this.current = toast;
    this.run();
  }

  /** Takes the way back. */
  take(): void {
    const act = this.current?.act;
    this.clear();
    act?.take();
  }

  /** Ends it now, as if its time were up. */
  end(): void {
    const after = this.current?.after;
    this.clear();
    after?.();
  }

  hold(held: boolean): void {
    clearTimeout(this.timer);
    if (!held && this.current) this.run();
  }

  private run(): void {
    this.timer = setTimeout(() => this.end(), STAYS_MS);
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.current = null;
  }
}
