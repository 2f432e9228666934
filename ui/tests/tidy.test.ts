/** The walls of the house: who may import whom, and where words and markup come from. */
import { readFileSync, readdirSync } from "node:fs";
import { parse, type AST } from "svelte/compiler";
import { describe, expect, it } from "vitest";

const SRC = `${process.cwd()}/src/`;
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
  /\.(ts|svelte)$/.test(file),
);
const text = (file: string) => readFileSync(SRC + file, "utf8");
const imports = (file: string) =>
  [...text(file).matchAll(/from "([^"]+)"|import\("([^"]+)"\)/g)].map((m) => m[1] ?? m[2] ?? "");

describe("the house", () => {
  it("one file knows Tauri", () => {
    const knows = files.filter((file) => imports(file).some((from) => from.startsWith("@tauri-apps/")));
    expect(knows).toEqual(["host/tauri.ts"]);
  });

  it("the fake host is reached by one door, and by itself", () => {
    const knows = files.filter(
      (file) => !file.startsWith("host/fake/") && imports(file).some((from) => from.includes("/fake")),
    );
    expect(knows).toEqual(["host/open.ts"]);
  });

  it("parts know nothing but their props", () => {
    for (const file of files.filter((one) => one.startsWith("parts/"))) {
      const foreign = imports(file).filter(
        (from) => from.startsWith("../") && !/host\/types|words\/keys/.test(from),
      );
      expect(foreign, file).toEqual([]);
    }
  });

  it("every sentence is in the catalogue", () => {
    for (const file of files.filter((one) => one.endsWith(".svelte"))) {
      expect(literals(parse(text(file), { modern: true }).fragment), file).toEqual([]);
    }
  });

  it("every icon that is named is in the sprite", () => {
    const drawn = readdirSync(`${SRC}look/icons`).map((file) => file.replace(/\.svg$/, ""));
    for (const file of files) {
      const named = [...text(file).matchAll(/<Icon\s[^>]*name="([\w-]+)"|\bicon: "([\w-]+)"/g)];
      const missing = named
        .map((match) => match[1] ?? match[2] ?? "")
        .filter((name) => !drawn.includes(name));
      expect(missing, file).toEqual([]);
    }
  });

  it("no markup is made of strings", () => {
    for (const file of files) expect(text(file), file).not.toMatch(/\{@html|innerHTML|insertAdjacentHTML/);
  });
});

const SPOKEN = new Set(["aria-label", "title", "placeholder", "alt", "label"]);

/** Words that stand in the markup itself: text, and attributes that are read out. */
function literals(fragment: AST.Fragment): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    const { type } = node as { type?: string };
    if (type === "Text" && /\p{L}{2}/u.test((node as AST.Text).data))
      found.push((node as AST.Text).data.trim());
    if (type === "Attribute") {
      if (SPOKEN.has((node as AST.Attribute).name)) visit((node as AST.Attribute).value);
      return;
    }
    if (type === "Comment" || type === "StyleDirective") return;
    for (const [key, value] of Object.entries(node)) if (key !== "parent" && key !== "metadata") visit(value);
  };
  visit(fragment.nodes);
  return found;
}
