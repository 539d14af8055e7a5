// Any event of any kind, with figures over the whole range of their fields, as the table of events has them.

import fc from "fast-check";
import { codeSets } from "../../schemas/records/code-sets.ts";
import { events } from "../../schemas/records/events.ts";
import type { Field, Fields } from "../../schemas/records/fields.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { clientIdBytesMax } from "../../src/core/limits.ts";
import type { RequestKey } from "../../src/core/request-keys.ts";

export const uint53 = fc.maxSafeNat();
export const uint32 = fc.nat(2 ** 32 - 1);
export const uint16 = fc.nat(2 ** 16 - 1);
export const uint8 = fc.nat(255);
export const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** Every character of one byte, although admission lets only Binance's pass. */
export const clientId = fc
  .array(fc.nat(255), { maxLength: clientIdBytesMax })
  .map((codes) => String.fromCharCode(...codes));

/** One of a closed set of codes. */
export function codeOf<Code extends number>(codes: Readonly<Record<string, Code>>) {
  return fc.constantFrom(...Object.values(codes));
}

/** Plain objects, as decoding makes them. */
export function record<Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) {
  return fc.record(model, { noNullPrototype: true });
}

/** No negative zero: a parsed integer is never one, and the codec need not tell it from zero. */
export const integer = fc.maxSafeInteger().map((value) => value + 0);

const byWire: Readonly<Record<Field["wire"], fc.Arbitrary<unknown>>> = {
  u8: uint8,
  u16: uint16,
  u32: uint32,
  u53: uint53,
  i53: fc.maxSafeInteger(),
  i64: int64,
  flag: fc.boolean(),
  bit: fc.boolean(),
  text: clientId,
  f64: integer,
  key: record<RequestKey>({ high: int64, low: int64, payload: int64 }),
  own: fc.constant(null),
};

function drawnFrom({ wire, type, isNullable }: Field): fc.Arbitrary<unknown> {
  const sets: Readonly<Record<string, { readonly codes: Readonly<Record<string, number>> }>> =
    codeSets;
  const set = sets[type];
  const value = set === undefined ? byWire[wire] : codeOf(set.codes);
  return isNullable === true ? fc.option(value) : value;
}

/** Any value of each field. */
export function drawnFields(fields: Fields): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, drawnFrom(of)]));
}

const header = { seq: uint53, tsUs: uint53, account: uint32, isUnitEnd: fc.boolean() };

function eventOf(code: number, fields: Fields): fc.Arbitrary<VenueEvent> {
  const model = { ...header, kind: fc.constant(code), ...drawnFields(fields) };
  return record(model) as fc.Arbitrary<unknown> as fc.Arbitrary<VenueEvent>;
}

/** One arbitrary per kind, so that a test can be sure to meet each. */
export const eventOfEachKind: readonly fc.Arbitrary<VenueEvent>[] = Object.values(events).map(
  ({ code, fields }) => eventOf(code, fields),
);

export const anyEvent: fc.Arbitrary<VenueEvent> = fc.oneof(...eventOfEachKind);
