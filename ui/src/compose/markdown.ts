/** What a formatting key does to the text: a pure edit, so that the textarea's own undo can carry it. */

export type Format = "bold" | "italic" | "code" | "link" | "list" | "quote";

export interface Selection {
  text: string;
  start: number;
  end: number;
}

/** Replaces `from..to` by `insert`, then selects `start..end`. */
export interface Edit {
  from: number;
  to: number;
  insert: string;
  start: number;
  end: number;
}

export function formatted(format: Format, selection: Selection): Edit {
  switch (format) {
    case "bold":
      return wrapped(selection, "**");
    case "italic":
      return wrapped(selection, "_");
    case "code":
      return chosen(selection).includes("\n") ? fenced(selection) : wrapped(selection, "`");
    case "link":
      return linked(selection);
    case "list":
      return prefixed(selection, "- ");
    case "quote":
      return prefixed(selection, "> ");
  }
}

function chosen({ text, start, end }: Selection): string {
  return text.slice(start, end);
}

/** Sets marks around the selection, or takes them away when they are there. */
function wrapped({ text, start, end }: Selection, mark: string): Edit {
  const inside = text.slice(start, end);
  const length = mark.length;
  if (text.slice(start - length, start) === mark && text.slice(end, end + length) === mark) {
    return {
      from: start - length,
      to: end + length,
      insert: inside,
      start: start - length,
      end: end - length,
    };
  }
  return { from: start, to: end, insert: mark + inside + mark, start: start + length, end: end + length };
}

function fenced(selection: Selection): Edit {
  const { start, end } = selection;
  const inside = chosen(selection);
  const insert = `\`\`\`\n${inside}\n\`\`\``;
  return { from: start, to: end, insert, start: start + 4, end: start + 4 + inside.length };
}

/** The part that is still missing ends up selected: the address, or the words. */
function linked(selection: Selection): Edit {
  const { start, end } = selection;
  const inside = chosen(selection);
  if (/^https?:\/\/\S+$/.test(inside)) {
    return { from: start, to: end, insert: `[](${inside})`, start: start + 1, end: start + 1 };
  }
  const address = start + inside.length + 3;
  return { from: start, to: end, insert: `[${inside}](url)`, start: address, end: address + 3 };
}

/** Sets a prefix on every line the selection touches, or takes it away when all of them have it. */
function prefixed({ text, start, end }: Selection, prefix: string): Edit {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const stop = text.indexOf("\n", end);
  const to = stop < 0 ? text.length : stop;
  const lines = text.slice(from, to).split("\n");
  const all = lines.every((line) => line.startsWith(prefix));
  const insert = lines.map((line) => (all ? line.slice(prefix.length) : prefix + line)).join("\n");
  const shift = all ? -prefix.length : prefix.length;
  const after = start === end ? Math.max(from, start + shift) : from + insert.length;
  return { from, to, insert, start: start === end ? after : from, end: after };
}
