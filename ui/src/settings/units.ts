/** Numbers of settings between what the store keeps and what a person types: seconds for ms, MiB for bytes. */
import type { SettingView } from "../host/types";
import { settings } from "../words";

const FACTOR: Record<string, number> = { ms: 1000, bytes: 1024 * 1024 };

function factor(unit: string): number {
  return FACTOR[unit] ?? 1;
}

/** As the field shows it; nothing stands for "unset". */
export function shown(value: number | null, unit: string): string {
  return value === null ? "" : String(Number((value / factor(unit)).toFixed(3)));
}

/** What was typed, for the store; or why it cannot be taken, in words. An empty field goes back to the default. */
export function read(setting: SettingView, typed: string): { value: string } | { why: string } {
  const text = typed.trim().replace(",", ".");
  if (text === "") return { value: "unset" };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return { why: settings.notANumber };
  const { unit, least, most } = setting;
  const value = Number(text) * factor(unit);
  if (factor(unit) === 1 && !Number.isInteger(value)) return { why: settings.notWhole };
  // Half a MiB is a whole number of bytes, a third of a second is not one of ms: the nearest is meant.
  const whole = Math.round(value);
  if (whole < least || whole > most) {
    return { why: settings.range(shown(least, unit), shown(most, unit), settings.unit(unit)) };
  }
  return { value: String(whole) };
}
