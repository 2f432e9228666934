import { describe, expect, it } from "vitest";
import { formatted, type Format } from "../src/compose/markdown";

/** `[` and `]` stand for the ends of the selection. */
function format(how: Format, marked: string): string {
  const start = marked.indexOf("[");
  const end = marked.indexOf("]") - 1;
  const text = marked.replace("[", "").replace("]", "");
  const edit = formatted(how, { text, start, end });
  const after = text.slice(0, edit.from) + edit.insert + text.slice(edit.to);
  return `${after.slice(0, edit.start)}[${after.slice(edit.start, edit.end)}]${after.slice(edit.end)}`;
}

describe("formatting", () => {
  it("sets marks around the selection, and takes them away again", () => {
    expect(format("bold", "a [b] c")).toBe("a **[b]** c");
    expect(format("bold", "a **[b]** c")).toBe("a [b] c");
    expect(format("italic", "[]")).toBe("_[]_");
    expect(format("code", "[x]")).toBe("`[x]`");
  });

  it("several lines of code get a fence", () => {
    expect(format("code", "[a\nb]")).toBe("```\n[a\nb]\n```");
  });

  it("a list and a quote take whole lines", () => {
    expect(format("list", "a\nb[]b\nc")).toBe("a\n- b[]b\nc");
    expect(format("list", "[a\nb]")).toBe("[- a\n- b]");
    expect(format("list", "[- a\n- b]")).toBe("[a\nb]");
    expect(format("quote", "a[]")).toBe("> a[]");
  });

  it("a link leaves selected what is still missing", () => {
    const linked = formatted("link", { text: "see here", start: 4, end: 8 });
    expect(linked.insert).toBe("[here](url)");
    expect("see [here](url)".slice(linked.start, linked.end)).toBe("url");
    const address = formatted("link", { text: "https://a.example", start: 0, end: 17 });
    expect(address).toMatchObject({ insert: "[](https://a.example)", start: 1, end: 1 });
  });
});
