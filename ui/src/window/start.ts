/** Starts a window: opens the host, then shows the component that is the window. */
import { mount, type Component } from "svelte";
import type { Host } from "../host/host";
import { openHost } from "../host/open";

/** What of a window its address asks for: `outbox.html#needs-you`. */
export function viewOf(address: URL): string {
  try {
    return decodeURIComponent(address.hash.slice(1));
  } catch {
    return "";
  }
}

export async function start<P extends { host: Host }>(
  Window: Component<P>,
  props: (address: URL) => Omit<P, "host">,
): Promise<void> {
  const target = document.querySelector("#window");
  if (!target) throw new Error("the page has no #window");
  const host = await openHost();
  mount(Window, { target, props: { ...props(new URL(location.href)), host } as P });
}
