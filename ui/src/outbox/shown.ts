/** Which rows of a long section are drawn: those in sight and some around. Rows are equally high, so this is arithmetic. */

/** Rows drawn beyond either edge, so that scrolling and arrow keys find them there. */
const AROUND = 12;
/** A section shorter than this is drawn whole. */
const SHORT = 120;

export interface Range {
  from: number;
  to: number;
}

/** `top` is where the section's first row lies below the top edge of the list (negative once scrolled past). */
export function inSight(count: number, top: number, height: number, rowHeight: number): Range {
  if (count <= SHORT || rowHeight <= 0 || height <= 0) return { from: 0, to: count };
  const first = Math.floor(-top / rowHeight) - AROUND;
  const last = Math.ceil((height - top) / rowHeight) + AROUND;
  const from = Math.min(Math.max(first, 0), count);
  return { from, to: Math.min(Math.max(last, from), count) };
}
