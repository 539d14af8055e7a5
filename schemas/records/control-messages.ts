// Messages between the main thread and its workers over the message port, packed by msgpackr. They cannot contain
// shared memory, because a SharedArrayBuffer cannot be packed. Workers receive shared memory when they start, and the
// recovered state in a separate message before `seed`.

/** A field's type in TypeScript, and an expression that is true if the value `$` has that type. */
export interface ControlField {
  readonly type: string;
  readonly holds: string;
}

export interface ControlRow {
  readonly description: string;
  readonly fields: Readonly<Record<string, ControlField>>;
}

const whole = { type: "number", holds: "Number.isSafeInteger($)" };
const bytes = { type: "Uint8Array", holds: "$ instanceof Uint8Array" };
const text = { type: "string", holds: 'typeof $ === "string"' };
const textOrNull = { type: "string | null", holds: '($ === null || typeof $ === "string")' };
const list = { type: "readonly unknown[]", holds: "Array.isArray($)" };
const anything = { type: "unknown", holds: "true" };
const endpoint = { type: "LedgerEndpoint", holds: "isObject($)" };
const priceSources = { type: "readonly PriceSourceState[]", holds: "Array.isArray($)" };
const keys = {
  type: "readonly { readonly version: number; readonly key: Uint8Array }[]",
  holds: "(Array.isArray($) && $.every(isKey))",
};

/** The control messages, by kind. */
export const controlMessages: Readonly<Record<string, ControlRow>> = {
  seed: {
    description:
      "main → worker: the state that was sent last is the venue's state at `seq`; `part` is only for this worker.",
    fields: { seq: whole, part: bytes },
  },
  events: {
    description:
      "main → worker that follows: the next committed events, one after the other in `bytes`, and the size of each as " +
      "a 32-bit number in `lengths`.",
    fields: { bytes, lengths: bytes },
  },
  start: {
    description: "main → worker: all workers are seeded; begin the duty cycle.",
    fields: {},
  },
  ready: {
    description: "worker → main: seeded (after `seed`) or running (after `start`).",
    fields: { thread: text },
  },
  drain: {
    description:
      "main → worker: accept nothing new, finish what was accepted, then send `drained`.",
    fields: {},
  },
  deliver: {
    description:
      "main → journal: another venue takes over: send `drained` once everything is durable and delivered. Pending rows " +
      "may be left to that venue.",
    fields: {},
  },
  drained: {
    description: "worker → main: everything accepted is finished.",
    fields: { thread: text },
  },
  stop: { description: "main → worker: exit now.", fields: {} },
  lead: {
    description:
      "main → journal: this venue has claimed the writer epoch: take the writer's lock under it.",
    fields: { epoch: text },
  },
  chain: {
    description: "main → journal: send the chained hash of what is acknowledged.",
    fields: {},
  },
  chained: {
    description:
      "journal → main: the chained hash after `seq`, and the earlier value it can be computed from.",
    fields: { baseSeq: whole, base: bytes, seq: whole, hash: bytes },
  },
  settle: {
    description:
      "main → journal: write all projection rows that are pending now, then send `settled`.",
    fields: {},
  },
  settled: {
    description: "journal → main: all rows of events up to `seq` are written and committed.",
    fields: { seq: whole },
  },
  "master-keys": {
    description: "main → front: use these master keys from now on; the first one encrypts.",
    fields: { keys },
  },
  outdated: {
    description:
      "front of a gateway → main: the leader has markets that this gateway does not know.",
    fields: { thread: text },
  },
  keyed: { description: "front → main: the keys are in use.", fields: { thread: text } },
  ledger: {
    description:
      "main → settlement: the ledger network is available at `endpoint`: begin, or continue there. main → " +
      "front: the ledger network that its faucet must use.",
    fields: { endpoint },
  },
  "price-sources": {
    description: "main → front: which price sources fail; sent when that changes.",
    fields: { sources: priceSources },
  },
  call: {
    description: "main → settlement: a call of the operator; answered with the same number.",
    fields: { number: whole, call: text, parameters: list },
  },
  answer: {
    description: "settlement → main: the result of a call, or why it failed.",
    fields: { number: whole, result: anything, fault: textOrNull },
  },
};
