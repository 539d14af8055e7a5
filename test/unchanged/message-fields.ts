// The messages between threads that are neither commands nor events, with the ranges of their fields: requests to
// matchers and their answers, replies to fronts, and control messages of the main thread.

import {
  bytes,
  code,
  type Field,
  type FieldTable,
  flag,
  half,
  i53,
  is,
  list,
  oneOf,
  record,
  text,
  u8,
  u16,
  u32,
  u53,
} from "./drawn-values.ts";

const request = {
  market: u16,
  slot: u32,
  generation: u32,
  account: u32,
  side: code(1),
  type: code(7),
  timeInForce: code(4),
  stpMode: code(4),
  isReduceOnly: flag,
  price: u53,
  qty: i53,
  budget: u53,
  seenQty: u53,
  owner: is(0),
  icebergQty: is(0),
  shownQty: is(0),
};

/** Fields of requests to a matcher. */
export const matchRequestFields: FieldTable = {
  place: { ...request, kind: is(1) },
  cancel: { ...request, kind: is(2) },
  amend: { ...request, kind: is(3) },
  adjust: { ...request, kind: is(4) },
};

/** Fields of a matcher's answers, in the order of the parameters that write them. */
export const matchAnswerFields: FieldTable = {
  filled: { takerSlot: u32, makerSlot: u32, price: u53, qty: u53 },
  reduced: { takerSlot: u32, makerSlot: u32, qty: u53 },
  removed: { takerSlot: u32, makerSlot: u32, reason: oneOf(1, 2), remaining: u53 },
  met: { takerSlot: u32, makerSlot: u32 },
  ended: {
    market: u16,
    slot: u32,
    generation: u32,
    lane: code(1),
    outcome: oneOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
    remaining: u53,
    bestBid: u53,
    bestAsk: u53,
  },
};

/** Returns the codes from `from` to `to`, both included. */
function codesOf(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Fields of replies to a front's command. */
export const replyFields: FieldTable = {
  reply: {
    source: u16,
    correlation: u32,
    reason: oneOf(
      0,
      ...codesOf(101, 115),
      ...codesOf(201, 217),
      ...codesOf(301, 320),
      ...codesOf(401, 410),
    ),
    lastSeq: u53,
    subject: u53,
    isRepeated: flag,
  },
};

const anything: Field = (draw) =>
  draw.of<Field>([i53, text, flag, is(null), list(i53), record({ a: u53, b: text })])(draw);

/** Fields of messages between the main thread and its workers. */
export const controlFields: FieldTable = {
  seed: { kind: is("seed"), seq: u53, part: bytes },
  start: { kind: is("start") },
  ready: { kind: is("ready"), thread: text },
  drain: { kind: is("drain") },
  drained: { kind: is("drained"), thread: text },
  stop: { kind: is("stop") },
  settle: { kind: is("settle") },
  settled: { kind: is("settled"), seq: u53 },
  masterKeys: { kind: is("master-keys"), keys: list(record({ version: u8, key: bytes })) },
  keyed: { kind: is("keyed"), thread: text },
  ledger: { kind: is("ledger"), place: record({ url: text, synchronizer: half(null, text) }) },
  call: { kind: is("call"), number: u53, call: text, parameters: list(anything) },
  answer: { kind: is("answer"), number: u53, result: anything, fault: half(null, text) },
};
