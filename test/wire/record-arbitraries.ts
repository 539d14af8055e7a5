// Generates any record of any kind, with values over the whole range of its fields, from the tables of records.

import fc from "fast-check";
import { codeSets } from "../../schemas/records/code-sets.ts";
import { controlMessages } from "../../schemas/records/control-messages.ts";
import type { Field, Fields } from "../../schemas/records/fields.ts";
import { matchReplies, matchRequest, reply } from "../../schemas/records/messages.ts";
import { type CommandRow, commandHeader, eventHeader } from "../../schemas/records/rows.ts";
import { commands, events } from "../../schemas/records/tables.ts";
import type { Command } from "../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import type { MatchReplySink, MatchRequest, Reply } from "../../src/core/generated/messages.ts";
import { clientIdBytesMax } from "../../src/core/limits.ts";
import type { RequestKey } from "../../src/core/request-keys.ts";
import type { ControlMessage } from "../../src/wire/generated/control-messages.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** All one-byte characters, although the gateway accepts only those that Binance allows. */
const clientId = fc
  .array(fc.nat(255), { maxLength: clientIdBytesMax })
  .map((codes) => String.fromCharCode(...codes));

/** Makes plain objects, like those that decoding makes. */
function record<Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) {
  return fc.record(model, { noNullPrototype: true });
}

/** Excludes negative zero, because a parsed integer never is one and the codec need not distinguish it from zero. */
const integer = fc.maxSafeInteger().map((value) => value + 0);

const byWire: Readonly<Record<Exclude<Field["wire"], "record" | "words">, fc.Arbitrary<unknown>>> =
  {
    u8: fc.nat(255),
    u16: fc.nat(2 ** 16 - 1),
    u32: fc.nat(2 ** 32 - 1),
    u53: fc.maxSafeNat(),
    i53: fc.maxSafeInteger(),
    i64: int64,
    flag: fc.boolean(),
    bit: fc.boolean(),
    text: clientId,
    f64: integer,
    key: record<RequestKey>({ high: int64, low: int64, payload: int64 }),
  };

const sets: Readonly<Record<string, { readonly codes: Readonly<Record<string, number>> }>> =
  codeSets;

function drawnFrom({ wire, type, isNullable, count, fields = {} }: Field): fc.Arbitrary<unknown> {
  if (wire === "words") return fc.uint32Array({ minLength: count ?? 0, maxLength: count ?? 0 });
  const set = sets[type];
  const plain = wire === "record" ? record(drawnFields(fields)) : byWire[wire];
  const value = set === undefined ? plain : fc.constantFrom(...Object.values(set.codes));
  return isNullable === true ? fc.option(value) : value;
}

/** Generates values for the fields that a record has; fields that the codec derives are left out. */
function drawnFields(fields: Fields): Record<string, fc.Arbitrary<unknown>> {
  const own = Object.entries(fields).filter(([, { stored }]) => stored === undefined);
  return Object.fromEntries(own.map(([name, of]) => [name, drawnFrom(of)]));
}

function recordOf<T>(fields: Fields, kind: Record<string, fc.Arbitrary<unknown>> = {}) {
  return record({ ...drawnFields(fields), ...kind }) as fc.Arbitrary<unknown> as fc.Arbitrary<T>;
}

/** One generator per kind, so that a test can cover each. */
export const eventOfEachKind: readonly fc.Arbitrary<VenueEvent>[] = Object.values(events).map(
  ({ code, fields }) => recordOf({ ...eventHeader, ...fields }, { kind: fc.constant(code) }),
);

export const anyEvent: fc.Arbitrary<VenueEvent> = fc.oneof(...eventOfEachKind);

/** In half of the commands the optional parts, which make a record longer, are absent. */
function commandOf({ code, fields }: CommandRow): fc.Arbitrary<Command> {
  const any = recordOf<Command>({ ...commandHeader, ...fields }, { kind: fc.constant(code) });
  const inParts = Object.entries(fields).filter(([, { part }]) => part !== undefined);
  if (inParts.length === 0) return any;
  const none = inParts.map(([name, { type }]) => [name, type === "bigint" ? 0n : 0] as const);
  return fc.oneof(
    any,
    any.map((command) => ({ ...command, ...Object.fromEntries(none) })),
  );
}

export const commandOfEachKind: readonly fc.Arbitrary<Command>[] =
  Object.values(commands).map(commandOf);

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(...commandOfEachKind);

export const anyMatchRequest = recordOf<MatchRequest>(matchRequest.fields);

export const anyReply = recordOf<Reply>(reply.fields);

/** The arguments of a call that delivers a matcher's answer. */
export interface MatchAnswer {
  readonly name: keyof MatchReplySink;
  readonly figures: readonly number[];
}

export const answerOfEachKind: readonly fc.Arbitrary<MatchAnswer>[] = Object.entries(
  matchReplies,
).map(([name, { fields }]) =>
  recordOf<Record<string, number>>(fields).map((drawn) => ({
    name: name as keyof MatchReplySink,
    figures: Object.keys(fields).flatMap((field) => drawn[field] ?? []),
  })),
);

const byType: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  number: fc.maxSafeNat(),
  Uint8Array: fc.uint8Array({ maxLength: 64 }),
  string: fc.string(),
  "string | null": fc.option(fc.string()),
  "readonly unknown[]": fc.array(fc.oneof(integer, fc.string(), fc.boolean())),
  unknown: fc.oneof(integer, fc.string(), fc.constant(null)),
  LedgerEndpoint: record({ url: fc.string(), synchronizer: fc.option(fc.string()) }),
};

const anyKeys = fc.array(record({ version: fc.nat(255), key: fc.uint8Array({ maxLength: 32 }) }));

export const controlMessageOfEachKind: readonly fc.Arbitrary<ControlMessage>[] = Object.entries(
  controlMessages,
).map(([kind, { fields }]) => {
  const drawn = Object.entries(fields).map(([name, { type }]) => [name, byType[type] ?? anyKeys]);
  const model = { kind: fc.constant(kind), ...Object.fromEntries(drawn) };
  return record(model) as fc.Arbitrary<unknown> as fc.Arbitrary<ControlMessage>;
});
