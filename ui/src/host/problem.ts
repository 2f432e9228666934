/** Reads what a command rejected with. */
import type { Problem } from "./types";

/** Rust rejects with a `Problem`; anything else came from the wire between and is told as it is. */
export function asProblem(error: unknown): Problem {
  if (typeof error === "object" && error !== null && "code" in error && "message" in error) {
    return error as Problem;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: null };
}

/** Both sentences in one line. */
export function told(problem: Problem): string {
  return problem.hint ? `${problem.message} ${problem.hint}` : problem.message;
}
