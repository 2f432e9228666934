import "@testing-library/svelte/vitest";
import { vi } from "vitest";

// jsdom shows no sheets, scrolls nothing and reads no files by promise.
HTMLDialogElement.prototype.showModal = function () {
  this.open = true;
};
Element.prototype.scrollIntoView = () => undefined;
document.execCommand = vi.fn(() => false);
Blob.prototype.arrayBuffer ??= function () {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as ArrayBuffer);
    reader.onerror = () => fail(reader.error);
    reader.readAsArrayBuffer(this);
  });
};
