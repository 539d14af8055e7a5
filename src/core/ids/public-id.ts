// Ids of the native API: version 7 UUIDs derived from the venue's own counters, so no table is needed to find the
// object of an id. The timestamp is the creation time, or a session's end, which keeps them sortable. The kind keeps
// an order id from being taken for a trade id.
//
//   tttttttt-tttt-7kkk-8nnn-nnnnnnnnnnnn    t: 48 bits of Unix milliseconds   k: kind   n: 60 bits of number

import { assert } from "../assert.ts";

export const PublicIdKind = {
  order: 1,
  trade: 2,
  user: 3,
  key: 4,
  transfer: 5,
  deposit: 6,
  withdrawal: 7,
  swap: 8,
  provider: 9,
  session: 10,
} as const;
export type PublicIdKind = (typeof PublicIdKind)[keyof typeof PublicIdKind];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The object that an id names, by its number among the objects of its kind. The caller must still compare `bornMs` with
 * the time that the object's id is made with.
 */
export interface PublicId {
  readonly number: number;
  readonly bornMs: number;
}

/** The id of `number` (a safe integer, 0 or more) of a kind, created at `bornMs`; asserts that both fit the id. */
export function publicId(kind: PublicIdKind, number: number, bornMs: number): string {
  assert(Number.isSafeInteger(number) && number >= 0, "the number must fit the public id");
  assert(
    Number.isSafeInteger(bornMs) && bornMs >= 0 && bornMs < 2 ** 48,
    "the time must fit the public id",
  );
  const time = bornMs.toString(16).padStart(12, "0");
  const digits = number.toString(16).padStart(15, "0");
  const version = `7${kind.toString(16).padStart(3, "0")}`;
  const head = `${time.slice(0, 8)}-${time.slice(8)}-${version}`;
  return `${head}-8${digits.slice(0, 3)}-${digits.slice(3)}`;
}

/** True for a UUID of any kind and version. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** The object that an id of `kind` names, or null for a text that `publicId` would not produce for that kind. */
export function parsePublicId(kind: PublicIdKind, text: string): PublicId | null {
  if (!isUuid(text)) return null;
  const bare = text.toLowerCase().replaceAll("-", "");
  const bornMs = Number.parseInt(bare.slice(0, 12), 16);
  const number = Number.parseInt(bare.slice(17), 16);
  const isOurs =
    Number.isSafeInteger(number) && publicId(kind, number, bornMs) === text.toLowerCase();
  return isOurs ? { number, bornMs } : null;
}
