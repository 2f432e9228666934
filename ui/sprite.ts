/** Puts every icon of src/look/icons and src/look/tray into one inline sprite, once a window. */
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const look = fileURLToPath(new URL("src/look/", import.meta.url));

/** An inline sprite needs no request, works under any policy and takes the colours of the text around it. */
export function sprite(): Plugin {
  return {
    name: "outtray-sprite",
    transformIndexHtml: (html) => html.replace("<body>", `<body>\n${drawn()}`),
  };
}

function drawn(): string {
  const symbols = [...symbolsIn("icons", "i"), ...symbolsIn("tray", "t")];
  return `<svg class="sprite" aria-hidden="true">\n${symbols.join("\n")}\n</svg>`;
}

function symbolsIn(folder: string, prefix: string): string[] {
  return readdirSync(`${look}${folder}`)
    .filter((file) => file.endsWith(".svg"))
    .sort()
    .map((file) =>
      symbol(`${prefix}-${file.slice(0, -4)}`, readFileSync(`${look}${folder}/${file}`, "utf8")),
    );
}

function symbol(id: string, svg: string): string {
  const box = /viewBox="([^"]+)"/.exec(svg)?.[1] ?? "0 0 16 16";
  const inside = svg.slice(svg.indexOf(">") + 1, svg.lastIndexOf("</svg>")).trim();
  return `  <symbol id="${id}" viewBox="${box}">${inside}</symbol>`;
}
