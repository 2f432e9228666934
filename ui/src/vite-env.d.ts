/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** `1` builds the fake host in, for pictures of the windows outside the app. */
  readonly VITE_FAKE_HOST?: string;
}
