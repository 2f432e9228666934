/** Moments and sizes as a person reads them: 14:12 today, Tue, 3 Mar; exact on hover. Always by the reader's clock. */

/** Keeps a number and its unit on one line. */
export const NO_BREAK = "\u00a0";

const DAY_MS = 86_400_000;

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", options);
const CLOCK = format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const SECONDS = format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const WEEKDAY = format({ weekday: "short" });
const DAY = format({ day: "numeric", month: "short" });
const YEAR = format({ day: "numeric", month: "short", year: "numeric" });
const LONG = format({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** A moment, as short as it can be understood. */
export function when(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const days = daysFrom(now, at);
  if (days === 0) return CLOCK.format(at);
  if (days === 1) return `tomorrow, ${CLOCK.format(at)}`;
  if (days < 0 && days > -7) return WEEKDAY.format(at);
  return at.getFullYear() === now.getFullYear() ? DAY.format(at) : YEAR.format(at);
}

/** How long ago, as rough as it matters: "just now", "5 minutes ago", "2 hours ago", "3 days ago". */
export function ago(iso: string, now = new Date()): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - new Date(iso).getTime()) / 60_000));
  const told = (count: number, unit: string) => `${count}${NO_BREAK}${unit}${count === 1 ? "" : "s"} ago`;
  if (minutes < 1) return "just now";
  if (minutes < 60) return told(minutes, "minute");
  if (minutes < 24 * 60) return told(Math.floor(minutes / 60), "hour");
  return told(Math.floor(minutes / (24 * 60)), "day");
}

/** As `when`, with the seconds of today: for attempts, which follow close on each other. */
export function whenToTheSecond(iso: string, now = new Date()): string {
  const at = new Date(iso);
  return daysFrom(now, at) === 0 ? SECONDS.format(at) : when(iso, now);
}

/** The whole moment, for a tooltip. */
export function exactly(iso: string): string {
  const at = new Date(iso);
  return `${LONG.format(at)}, ${SECONDS.format(at)}`;
}

export function isToday(iso: string, now = new Date()): boolean {
  return daysFrom(now, new Date(iso)) === 0;
}

/** 9 KB, 3.1 MB, with a no-break space. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes}${NO_BREAK}B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)}${NO_BREAK}KB`;
  const mega = bytes / 1_000_000;
  return mega < 999.5 ? `${decimal(mega)}${NO_BREAK}MB` : `${decimal(mega / 1000)}${NO_BREAK}GB`;
}

/** Calendar days between two moments, whatever the daylight saving does. */
function daysFrom(now: Date, at: Date): number {
  const day = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (day(at) - day(now)) / DAY_MS;
}

function decimal(number: number): string {
  return number < 9.95 ? number.toFixed(1) : String(Math.round(number));
}
