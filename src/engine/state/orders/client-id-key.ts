// Keys of client ids: a 64-bit hash mixed with the account, as two int32. One decision uses an order's id
// several times in a row, so the last key is cached.

import { byteAt } from "../../../core/assert.ts";

export interface ClientIdKey {
  first: number;
  second: number;
}

const key: ClientIdKey = { first: 0, second: 0 };
/** The account and text of the cached key. */
const keyed = { account: 0, text: "" };

/** The key of an account's client id. One object is reused: read it before the next call. */
export function clientIdKey(account: number, text: string): Readonly<ClientIdKey> {
  if (account === keyed.account && text === keyed.text) return key;
  let [first, second] = [firstOf(account), secondOf(account)];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = mixFirst(first, code);
    second = mixSecond(second, code);
  }
  keyed.account = account;
  keyed.text = text;
  return finish(first, second);
}

/** The key of an id whose codes are in `bytes` from `start` to `end`. Read it before the next call. */
export function clientIdKeyOfBytes(
  account: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): Readonly<ClientIdKey> {
  let [first, second] = [firstOf(account), secondOf(account)];
  for (let at = start; at < end; at++) {
    const code = byteAt(bytes, at);
    first = mixFirst(first, code);
    second = mixSecond(second, code);
  }
  // Invalidates the cached text.
  keyed.account = 0;
  return finish(first, second);
}

function firstOf(account: number): number {
  return Math.imul(account ^ 0x9e3779b9, 0x85ebca6b);
}

function secondOf(account: number): number {
  return Math.imul(account ^ 0x243f6a88, 0xc2b2ae35);
}

function mixFirst(first: number, code: number): number {
  return Math.imul(first ^ code, 0x01000193);
}

function mixSecond(second: number, code: number): number {
  const mixed = Math.imul(second ^ code, 0x5bd1e995);
  return mixed ^ (mixed >>> 15);
}

function finish(first: number, second: number): Readonly<ClientIdKey> {
  key.first = first ^ (first >>> 16);
  key.second = second ^ (second >>> 13);
  return key;
}
