/** Every sentence a person reads, in one catalogue. */
export { common } from "./common";
export { compose } from "./compose";
export * as entry from "./entry";
export { keysOf, keysTitle } from "./keys";
export { outbox } from "./outbox";
export { preview } from "./preview";
export { settings } from "./settings";
export * as times from "./times";
