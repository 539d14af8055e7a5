// Any command of any kind, as the table of commands has them; numbers a client can influence are safe integers
// of either sign.

import fc from "fast-check";
import { type CommandRow, commands } from "../../schemas/records/commands.ts";
import type { Command } from "../../src/core/generated/commands.ts";
import type { RequestKey } from "../../src/core/request-keys.ts";
import {
  drawnFields,
  int64,
  integer,
  record,
  uint16,
  uint32,
  uint53,
} from "./event-arbitraries.ts";

const header = {
  source: uint16,
  correlation: uint32,
  atUs: uint53,
  deadlineUs: uint53,
  account: uint32,
};

/** Options that make a record longer; absent as often as not. */
const special = fc.oneof(
  fc.constant({
    quoteQty: 0n,
    goodTillUs: 0,
    triggerPrice: 0,
    trailingBps: 0,
    activationPrice: 0,
  }),
  record({
    quoteQty: int64,
    goodTillUs: integer,
    triggerPrice: integer,
    trailingBps: integer,
    activationPrice: integer,
  }),
);

const attached = fc.option(
  record({
    key: fc.option(record<RequestKey>({ high: int64, low: int64, payload: int64 })),
    leverage: integer,
  }),
);

function commandOf({ code, fields, hasOwnCodec }: CommandRow): fc.Arbitrary<Command> {
  const model = { ...header, kind: fc.constant(code), ...drawnFields(fields) };
  const plain = record(model) as fc.Arbitrary<unknown> as fc.Arbitrary<Command>;
  if (hasOwnCodec !== true) return plain;
  return fc
    .tuple(plain, special, attached)
    .map(([command, options, more]) => ({ ...command, ...options, attached: more }) as Command);
}

/** One arbitrary per kind, so that a test can be sure to meet each. */
export const commandOfEachKind: readonly fc.Arbitrary<Command>[] =
  Object.values(commands).map(commandOf);

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(...commandOfEachKind);
