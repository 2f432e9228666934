/** Chooses who stands behind the door. */
import type { Host } from "./host";

/**
 * The app's own host; in a plain browser the fake one, which a production build leaves out unless it is asked for with
 * `VITE_FAKE_HOST=1`.
 */
export async function openHost(): Promise<Host> {
  const inApp = "__TAURI_INTERNALS__" in window;
  if (!inApp && (import.meta.env.DEV || import.meta.env.VITE_FAKE_HOST === "1")) {
    const { sampleHost } = await import("./fake/sample");
    return sampleHost(new URLSearchParams(location.search).get("sample"));
  }
  const { tauri } = await import("./tauri");
  return tauri;
}
