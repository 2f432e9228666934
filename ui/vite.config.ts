import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { sprite } from "./sprite";

const page = (name: string) => fileURLToPath(new URL(`${name}.html`, import.meta.url));

export default defineConfig({
  plugins: [svelte(), sprite()],
  // Tauri serves the pages from its own origin; relative addresses work there and in a browser.
  base: "./",
  clearScreen: false,
  server: { port: 5178, strictPort: true },
  build: {
    target: ["es2022", "safari16.4", "chrome111"],
    // The content security policy allows no data: scripts or styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: ["compose", "outbox", "settings"].map(page) },
  },
  // Tests run the browser's half of Svelte, not the server's.
  resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
    // A loaded machine is slow, not wrong.
    testTimeout: 30_000,
    // Times are shown by the reader's clock; the tests need one that does not depend on the machine.
    env: { TZ: "UTC" },
  },
});
