/** What a template does to what is written: pure, so that nothing typed is lost by it. */
import type { Template } from "../host/types";
import type { Words } from "./words";

/** A template that was used, and what came into the words by it. */
export interface Used {
  template: Template;
  labels: string[];
  assignees: string[];
}

/** Where the text goes: in the place of what is there, or below it. */
export type How = "replace" | "below";

/** Whether text would go that somebody wrote. What a template brought and nobody touched is nobody's. */
export function takesWords(words: Words, used: Used | null): boolean {
  const body = words.body.trim();
  return body !== "" && body !== used?.template.body.trim();
}

/** Uses a template: title prefix, text, labels and people. What an earlier one brought goes, unless it was touched. */
export function use(words: Words, template: Template, used: Used | null, how: How): [Partial<Words>, Used] {
  const without = (all: string[], gone: string[]) => all.filter((one) => !gone.includes(one));
  const labels = without(words.labels, used?.labels ?? []);
  const assignees = without(words.assignees, used?.assignees ?? []);
  const fresh = {
    labels: without(template.labels, labels),
    assignees: without(template.assignees, assignees),
  };
  const below = how === "below" && words.body.trim() !== "";
  return [
    {
      title: titled(words.title, template.title, used?.template.title ?? ""),
      body: below ? `${words.body.trimEnd()}\n\n${template.body}` : template.body,
      labels: [...labels, ...fresh.labels],
      assignees: [...assignees, ...fresh.assignees],
    },
    { template, ...fresh },
  ];
}

/** The title behind its new prefix; an old one goes. */
function titled(title: string, prefix: string, old: string): string {
  const bare = old !== "" && title.startsWith(old.trimEnd()) ? title.slice(old.trimEnd().length) : title;
  if (prefix === "" || bare.startsWith(prefix.trimEnd())) return bare.trimStart();
  return prefix + bare.trimStart();
}
