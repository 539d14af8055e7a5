// What the main thread and its workers tell each other over the message port, packed by msgpackr.
// A closed union: `decodeControlMessage` asserts the shape, because both ends are this venue.
// Shared memory does not travel in them (a SharedArrayBuffer cannot be packed): workers get it at birth,
// and the recovered state as a message of its own before `seed`.

import { pack, unpack } from "msgpackr";
import { assert } from "../core/assert.ts";
import type { LedgerPlace } from "../ports/ledger/ledger-place.ts";

/** main → worker: the state sent last is the venue's, at `seq`; `part` is for this worker alone. */
export interface SeedMessage {
  readonly kind: "seed";
  readonly seq: number;
  readonly part: Uint8Array;
}

/** main → worker: everything is seeded, begin the duty cycle. */
export interface StartMessage {
  readonly kind: "start";
}

/** worker → main: seeded (after `seed`) or running (after `start`). */
export interface ReadyMessage {
  readonly kind: "ready";
  readonly thread: string;
}

/** main → worker: take nothing new, finish what was accepted, then say `drained`. */
export interface DrainMessage {
  readonly kind: "drain";
}

/** worker → main: nothing accepted is left to do. */
export interface DrainedMessage {
  readonly kind: "drained";
  readonly thread: string;
}

/** main → worker: leave now. */
export interface StopMessage {
  readonly kind: "stop";
}

/** main → journal: write every coalesced row that is pending now, then say `settled`. */
export interface SettleMessage {
  readonly kind: "settle";
}

/** journal → main: all rows of events up to `seq` are written and committed. */
export interface SettledMessage {
  readonly kind: "settled";
  readonly seq: number;
}

/** main → front: from now on these master keys open, and the first one seals. */
export interface MasterKeysMessage {
  readonly kind: "master-keys";
  readonly keys: readonly { readonly version: number; readonly key: Uint8Array }[];
}

/** front → main: the keys are in use. */
export interface KeyedMessage {
  readonly kind: "keyed";
  readonly thread: string;
}

/**
 * main → settlement: the ledger network is there, begin, or go on where it is now. main → front: for the
 * faucet it may have.
 */
export interface LedgerMessage {
  readonly kind: "ledger";
  readonly place: LedgerPlace;
}

/** main → settlement: what the operator wants done or known; answered with the same number. */
export interface CallMessage {
  readonly kind: "call";
  readonly number: number;
  readonly call: string;
  readonly parameters: readonly unknown[];
}

/** settlement → main: the result of a call, or in words why there is none. */
export interface AnswerMessage {
  readonly kind: "answer";
  readonly number: number;
  readonly result: unknown;
  readonly fault: string | null;
}

export type ControlMessage =
  | SeedMessage
  | StartMessage
  | ReadyMessage
  | DrainMessage
  | DrainedMessage
  | StopMessage
  | SettleMessage
  | SettledMessage
  | MasterKeysMessage
  | KeyedMessage
  | LedgerMessage
  | CallMessage
  | AnswerMessage;

type Field =
  | "seq"
  | "part"
  | "thread"
  | "keys"
  | "place"
  | "number"
  | "call"
  | "parameters"
  | "result"
  | "fault";

const fieldHolds: Readonly<Record<Field, (value: unknown) => boolean>> = {
  seq: (value) => Number.isSafeInteger(value),
  part: (value) => value instanceof Uint8Array,
  thread: (value) => typeof value === "string",
  keys: (value) => Array.isArray(value) && value.every(isKey),
  place: isRecord,
  number: (value) => Number.isSafeInteger(value),
  call: (value) => typeof value === "string",
  parameters: (value) => Array.isArray(value),
  result: () => true,
  fault: (value) => value === null || typeof value === "string",
};

const fieldsOf: ReadonlyMap<unknown, readonly Field[]> = new Map<ControlMessage["kind"], Field[]>([
  ["seed", ["seq", "part"]],
  ["start", []],
  ["ready", ["thread"]],
  ["drain", []],
  ["drained", ["thread"]],
  ["stop", []],
  ["settle", []],
  ["settled", ["seq"]],
  ["master-keys", ["keys"]],
  ["keyed", ["thread"]],
  ["ledger", ["place"]],
  ["call", ["number", "call", "parameters"]],
  ["answer", ["number", "result", "fault"]],
]);

/** The bytes of `message` in a buffer of their own, safe to transfer to another thread. */
export function encodeControlMessage(message: ControlMessage): Uint8Array<ArrayBuffer> {
  // A copy: the packer hands out slices of one shared buffer, which a transfer would take away.
  return new Uint8Array(pack(message));
}

/** The message in `bytes`; asserts a known kind with fields of the right types. */
export function decodeControlMessage(bytes: Uint8Array): ControlMessage {
  const value: unknown = unpack(bytes);
  assert(isControlMessage(value), "a control message of a known kind and shape");
  return value;
}

function isControlMessage(value: unknown): value is ControlMessage {
  if (!isRecord(value)) return false;
  const { kind } = value;
  const fields = fieldsOf.get(kind);
  return fields?.every((name) => fieldHolds[name](value[name])) ?? false;
}

function isKey(value: unknown): boolean {
  return (
    isRecord(value) && Number.isSafeInteger(value["version"]) && value["key"] instanceof Uint8Array
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
