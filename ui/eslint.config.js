import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist", "node_modules", "src/host/types.ts"] },
  js.configs.recommended,
  ts.configs.strict,
  svelte.configs.recommended,
  svelte.configs.prettier,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      // TypeScript knows every name.
      "no-undef": "off",
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: {
      parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig },
    },
    rules: {
      // What a person or a tracker wrote is a text node, always.
      "svelte/no-at-html-tags": "error",
      // The content security policy allows no inline styles; style: directives are set by script.
      "svelte/no-inline-styles": "error",
      "svelte/no-unused-svelte-ignore": "error",
      // A Set or a Date that is made anew with each change needs no reactive twin.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
);
