// Writes the head of a message and the fields of a report as bytes. A client waits for them, and as texts they would be some
// eighty pieces, which are joined, flattened and summed one after the other. Spec FIX-3.

import { assert } from "../../../core/assert.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import { bodyBytesMax } from "./fix-limits.ts";

const [soh, point, minus, zero, equals] = [1, 46, 45, 48, 61];
/** Decimals of a second in a UTCTIMESTAMP. */
const secondDecimals = 6;
const billion = 1e9;
const billionDigits = 9;

/** Fields as a text, with the sum of its bytes: what many sessions send is summed once. */
export interface SharedText {
  readonly text: string;
  readonly sum: number;
}

/** The second of the last time that was written, and its text: most times of a moment are in the same one. */
const lastSecond = { second: -1, text: "" };

/** A Unix second as UTCTIMESTAMP without decimals. */
function utcSecond(second: number): string {
  if (second !== lastSecond.second) {
    const iso = new Date(1000 * second).toISOString();
    const day = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10);
    lastSecond.second = second;
    lastSecond.text = `${day}-${iso.slice(11, 19)}`;
  }
  return lastSecond.text;
}

/** A time in Unix microseconds as UTCTIMESTAMP with microseconds. */
export function utcTime(us: number): string {
  const second = Math.floor(us / 1e6);
  return `${utcSecond(second)}.${String(us - 1e6 * second).padStart(secondDecimals, "0")}`;
}

/** Writes fields one after the other into its own buffer: `begin`, the fields, `take`. */
export class FieldWriter {
  readonly #bytes = Buffer.allocUnsafeSlow(bodyBytesMax);
  #at = 0;

  /** Begins anew. A writer is used again and again, and what was written may have ended with an exception. */
  begin(): void {
    this.#at = 0;
  }

  /** A field with a text that the venue has made: codes, symbols. It is not looked at. */
  text(tag: number, value: string): void {
    this.#tag(tag);
    this.#characters(value);
    this.#end();
  }

  /** A field with a whole number that is not negative. */
  whole(tag: number, value: number): void {
    this.#tag(tag);
    this.#digits(value, 1);
    this.#end();
  }

  /** A field with the figure `value` × 10^−`decimals`, written with `places` decimals, at least as many. */
  scaled(tag: number, value: number | bigint, decimals: number, places: number): void {
    this.#tag(tag);
    const isNegative = value < 0;
    if (isNegative) this.#bytes[this.#at++] = minus;
    const units = Number(isNegative ? -value : value);
    if (Number.isSafeInteger(units)) this.#decimal(units, decimals);
    else this.#characters(formatScaled(isNegative ? -value : value, decimals));
    if (decimals === 0 && places > 0) this.#bytes[this.#at++] = point;
    for (let place = decimals; place < places; place++) this.#bytes[this.#at++] = zero;
    this.#end();
  }

  /** A field with a time in Unix microseconds, as UTCTIMESTAMP with microseconds. */
  time(tag: number, us: number): void {
    const second = Math.floor(us / 1e6);
    this.#tag(tag);
    this.#characters(utcSecond(second));
    this.#bytes[this.#at++] = point;
    this.#digits(us - 1e6 * second, secondDecimals);
    this.#end();
  }

  /** Returns the fields written so far, with the sum of their bytes. Asserts that they fit in a message. */
  take(): SharedText {
    const length = this.#at;
    assert(length <= bodyBytesMax, "the fields fit in a message");
    let sum = 0;
    for (let index = 0; index < length; index++) sum += this.#bytes[index] ?? 0;
    return { text: this.#bytes.toString("latin1", 0, length), sum };
  }

  #tag(tag: number): void {
    this.#digits(tag, 1);
    this.#bytes[this.#at++] = equals;
  }

  #end(): void {
    this.#bytes[this.#at++] = soh;
  }

  #characters(text: string): void {
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
    this.#at = at + text.length;
  }

  #decimal(units: number, decimals: number): void {
    const scale = 10 ** decimals;
    const whole = Math.floor(units / scale);
    this.#digits(whole, 1);
    if (decimals === 0) return;
    this.#bytes[this.#at++] = point;
    this.#digits(units - whole * scale, decimals);
  }

  /** Writes a whole number with at least `least` digits, zeros first. */
  #digits(value: number, least: number): void {
    if (value < billion) {
      this.#shortDigits(value, least);
      return;
    }
    const billions = Math.floor(value / billion);
    this.#digits(billions, least - billionDigits);
    this.#shortDigits(value - billion * billions, billionDigits);
  }

  /** As `#digits`, for a number below a billion: arithmetic on 32-bit integers is faster. */
  #shortDigits(value: number, least: number): void {
    const bytes = this.#bytes;
    const from = this.#at;
    let count = 1;
    for (let bound = 10; bound <= value; bound *= 10) count++;
    const end = from + Math.max(count, least);
    let rest = value | 0;
    for (let at = end - 1; at >= from; at--) {
      const tens = (rest / 10) | 0;
      bytes[at] = zero + rest - 10 * tens;
      rest = tens;
    }
    this.#at = end;
  }
}
