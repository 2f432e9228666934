/** Puts text into a field as if it were typed, so that the field's own undo takes it back. */
import type { Edit } from "./markdown";

type Field = HTMLInputElement | HTMLTextAreaElement;

export function apply(field: Field, { from, to, insert, start, end }: Edit): void {
  field.focus();
  field.setSelectionRange(from, to);
  typeInto(field, insert);
  field.setSelectionRange(start, end);
}

/** Replaces the selection. The old command is the only one that feeds the undo history; where it is missing, the text
 * still goes in. */
export function typeInto(field: Field, text: string): void {
  const command = text === "" ? "delete" : "insertText";
  if (document.execCommand?.(command, false, text)) return;
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
}
