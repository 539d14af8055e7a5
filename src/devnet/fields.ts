// Reads the untrusted JSON arguments of choices and contracts. A missing or invalid field is refused with its name and
// what was expected.

import type { JsonObject } from "../adapters/ledger/api-shapes.ts";
import { formatLedgerAmount, parseLedgerAmount } from "../core/money/ledger-amount.ts";
import type { Instrument, Party } from "../ports/ledger/ledger.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

const textMax = 4096;
/** Maximum length of a list: more legs or inputs than any real batch has. */
const listMax = 1000;
const partyForm = /^[^\s:]{1,120}::1220[0-9a-f]{64}$/;

function refuse(name: string, expected: string): never {
  throw new LedgerRefusal("COMMAND_PREPROCESSING_FAILED", `${name}: expected ${expected}`);
}

export class Fields {
  readonly json: JsonObject;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      refuse(path, "an object");
    this.json = value as JsonObject;
    this.#path = path;
  }

  has(name: string): boolean {
    return this.json[name] !== undefined && this.json[name] !== null;
  }

  text(name: string): string {
    const value = this.json[name];
    if (typeof value !== "string" || value.length > textMax) refuse(this.#at(name), "a text");
    return value;
  }

  party(name: string): Party {
    const value = this.text(name);
    return partyForm.test(value) ? value : refuse(this.#at(name), "a party id");
  }

  parties(name: string): Party[] {
    return this.list(name).map((value, index) =>
      typeof value === "string" && partyForm.test(value)
        ? value
        : refuse(`${this.#at(name)}[${index}]`, "a party id"),
    );
  }

  /** Reads an amount above zero, in units of 10^−10. */
  amount(name: string): bigint {
    const units = parseLedgerAmount(this.text(name));
    return units !== null && units > 0n ? units : refuse(this.#at(name), "a decimal above zero");
  }

  integer(name: string): number {
    const value = this.json[name];
    const isWritten = typeof value === "string" && /^-?\d{1,19}$/.test(value);
    const number = isWritten ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number)) return number;
    return refuse(this.#at(name), "an integer");
  }

  /** Reads a time as milliseconds UTC. */
  time(name: string): number {
    const ms = Date.parse(this.text(name));
    return Number.isNaN(ms) ? refuse(this.#at(name), "a time in ISO 8601") : ms;
  }

  object(name: string): Fields {
    return new Fields(this.json[name], this.#at(name));
  }

  /** Returns the object in a field, or null if the field is missing. */
  optional(name: string): Fields | null {
    return this.has(name) ? this.object(name) : null;
  }

  list(name: string): readonly unknown[] {
    const value = this.json[name];
    if (!Array.isArray(value)) refuse(this.#at(name), "a list");
    if (value.length > listMax) refuse(this.#at(name), `at most ${listMax} elements`);
    return value;
  }

  texts(name: string): string[] {
    return this.list(name).map((value, index) =>
      typeof value === "string" ? value : refuse(`${this.#at(name)}[${index}]`, "a text"),
    );
  }

  objects(name: string): Fields[] {
    return this.list(name).map((value, index) => new Fields(value, `${this.#at(name)}[${index}]`));
  }

  instrument(name: string): Instrument {
    const { admin, id } = {
      admin: this.object(name).party("admin"),
      id: this.object(name).text("id"),
    };
    return { admin, id };
  }

  #at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

export const amountText = formatLedgerAmount;

export function isSameInstrument(a: Instrument, b: Instrument): boolean {
  return a.admin === b.admin && a.id === b.id;
}
