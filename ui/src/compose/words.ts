/** The words of a draft: what a person writes, apart from what is attached. */
import type { DraftView } from "../host/types";

export interface Words {
  destination: string | null;
  title: string;
  body: string;
  labels: string[];
}

export function blank(): Words {
  return { destination: null, title: "", body: "", labels: [] };
}

export function wordsOf({ destination, title, body, labels }: DraftView): Words {
  return { destination, title, body, labels: [...labels] };
}

export function same(one: Words, other: Words): boolean {
  return (
    one.title === other.title &&
    one.body === other.body &&
    one.destination === other.destination &&
    one.labels.length === other.labels.length &&
    one.labels.every((label, at) => label === other.labels[at])
  );
}

/** A title is one line, whatever was pasted into it. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ").trim();
}

/** Adds labels as typed, between commas; none twice. */
export function withLabels(labels: string[], typed: string): string[] {
  const fresh = typed.split(",").map(oneLine).filter(Boolean);
  return [...new Set([...labels, ...fresh])];
}
