// A number as its user types it, in the notation of the page: commas group digits by three, and decimals follow a point. What
// could mean something else is never guessed: it stays as typed, which every check refuses.

import { unitsOf } from "./decimal-text.ts";

/** A group of zeros in front, as in "0,500", can only be meant as a decimal comma. */
const groupedForm = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/;

/**
 * Returns the decimal text that is meant: "60,000.50" as "60000.50", ".5" as "0.5". Any other text that is no decimal
 * number, such as "0,5" or "1234,5", is returned as it was typed.
 */
export function enteredNumber(typed: string): string {
  const text = typed.trim();
  const plain = groupedForm.test(text) ? text.replaceAll(",", "") : text;
  if (/^\.\d+$/.test(plain)) return `0${plain}`;
  return /^\d+\.$/.test(plain) ? plain.slice(0, -1) : plain;
}

/** Why a text is no number; null for one that is. */
export function notationFault(text: string): string | null {
  if (unitsOf(text, 0) !== null) return null;
  const isComma = text.includes(",") && /^-?[\d.,]+$/.test(text);
  return isComma ? "use a point for decimals" : "enter a number";
}

/** Why a text is no amount that can be moved; null for one that is. */
export function amountFault(text: string): string | null {
  if (text === "") return "Enter an amount";
  const notation = notationFault(text);
  if (notation !== null) return `Amount: ${notation}`;
  return /^-|^[0.]*$/.test(text) ? "Enter an amount above 0." : null;
}
