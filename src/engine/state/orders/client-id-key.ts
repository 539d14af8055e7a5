// What client ids are remembered by: 64 bits of hash mixed with the account, as two int32. An order's
// id is asked about several times in a row while it is decided, so the last answer is kept.

export interface ClientIdKey {
  first: number;
  second: number;
}

const key: ClientIdKey = { first: 0, second: 0 };
/** What `key` is of. */
const keyed = { account: 0, text: "" };

/** The key of an account's client id. One object serves all: read it before the next call. */
export function clientIdKey(account: number, text: string): Readonly<ClientIdKey> {
  if (account === keyed.account && text === keyed.text) return key;
  let first = Math.imul(account ^ 0x9e3779b9, 0x85ebca6b);
  let second = Math.imul(account ^ 0x243f6a88, 0xc2b2ae35);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5bd1e995);
    second ^= second >>> 15;
  }
  key.first = first ^ (first >>> 16);
  key.second = second ^ (second >>> 13);
  keyed.account = account;
  keyed.text = text;
  return key;
}
