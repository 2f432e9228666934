/** Keeps a window true: it asks again whenever anything in the store changed, whoever changed it. */
import type { Host, Stop } from "./host";

/**
 * Makes many wishes to ask into few questions: one is under way, at most one more waits behind it. Each call's promise
 * ends with a question that began after the call, so its answer holds what the caller had just changed.
 */
export function coalesced(ask: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let queued: Promise<void> | null = null;
  const run = (): Promise<void> => {
    running = ask().finally(() => (running = null));
    return running;
  };
  return () => {
    if (!running) return run();
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = null;
        return run();
      });
    return queued;
  };
}

/** Ends a subscription that may still be on its way. */
export function heard(subscription: Promise<Stop>): Stop {
  return () => void subscription.then((stop) => stop());
}

/** Asks now and after every change; and once more when the ear is in place, for what changed in between. */
export function follow(host: Host, ask: () => Promise<void>): Stop {
  let stopped = false;
  let stop: Stop = () => undefined;
  void ask();
  void host
    .onAttention(() => void ask())
    .then((heard) => {
      if (stopped) return heard();
      stop = heard;
      void ask();
    });
  return () => {
    stopped = true;
    stop();
  };
}
