/** How the fake host is called: it writes down who asked for what, and a test can hold or refuse an answer. */
import type { Host } from "../host";
import type { Attention, Problem } from "../types";
import { FakeStore } from "./store";

export type Verb = keyof Host;

export class FakeCaller {
  /** Every command that was called, in order. */
  readonly calls: { verb: Verb; args: unknown[] }[] = [];
  protected readonly hears = new Set<(attention: Attention) => void>();
  private readonly refusals: { verb: Verb; problem: Problem }[] = [];
  private readonly walls = new Map<Verb, Problem>();
  private readonly gates = new Map<Verb, Promise<void>>();

  constructor(readonly store = new FakeStore()) {}

  /** The next call of `verb` rejects. */
  refuseNext(verb: Verb, told: Problem): void {
    this.refusals.push({ verb, problem: told });
  }

  /** Every call of `verb` rejects until the returned function is called. */
  refuse(verb: Verb, told: Problem): () => void {
    this.walls.set(verb, told);
    return () => this.walls.delete(verb);
  }

  /** Calls of `verb` wait until the returned function is called. */
  hold(verb: Verb): () => void {
    let open: () => void = () => undefined;
    this.gates.set(verb, new Promise((done) => (open = done)));
    return () => {
      this.gates.delete(verb);
      open();
    };
  }

  count(verb: Verb): number {
    return this.calls.filter((call) => call.verb === verb).length;
  }

  /** Tells every window that the store changed. */
  ring(): void {
    this.store.revision += 1;
    const attention = this.store.attention();
    for (const hear of [...this.hears]) hear(attention);
  }

  /** Moves everything that can move now. */
  drain(): void {
    while (this.store.step());
    this.ring();
  }

  protected async asked(verb: Verb, ...args: unknown[]): Promise<FakeStore> {
    this.calls.push({ verb, args });
    await this.gates.get(verb);
    const at = this.refusals.findIndex((refusal) => refusal.verb === verb);
    const [refusal] = at < 0 ? [] : this.refusals.splice(at, 1);
    const problem = refusal?.problem ?? this.walls.get(verb);
    if (problem) throw problem;
    return this.store;
  }
}
