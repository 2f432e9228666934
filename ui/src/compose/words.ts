/** The words of a draft: what a person writes, apart from what is attached. */
import type { DraftView } from "../host/types";

export interface Words {
  destination: string | null;
  title: string;
  body: string;
  labels: string[];
  milestone: string | null;
  assignees: string[];
}

export function blank(): Words {
  return { destination: null, title: "", body: "", labels: [], milestone: null, assignees: [] };
}

export function wordsOf(view: DraftView): Words {
  const { destination, title, body, labels, milestone, assignees } = view;
  return { destination, title, body, labels: [...labels], milestone, assignees: [...assignees] };
}

export function same(one: Words, other: Words): boolean {
  return (
    one.title === other.title &&
    one.body === other.body &&
    one.destination === other.destination &&
    one.milestone === other.milestone &&
    alike(one.labels, other.labels) &&
    alike(one.assignees, other.assignees)
  );
}

function alike(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** A title is one line, whatever was pasted into it. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ").trim();
}

/** Adds labels as typed, between commas; none twice. `known` gives a label as the project writes it. */
export function withLabels(
  labels: string[],
  typed: string,
  known = (label: string): string => label,
): string[] {
  const fresh = typed.split(",").map(oneLine).filter(Boolean).map(known);
  return [...new Set([...labels, ...fresh])];
}
