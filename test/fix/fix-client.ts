// A small FIX initiator of the tests, with a codec of its own, so that it does not share the venue's mistakes.

import { type KeyObject, sign } from "node:crypto";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { KeyType } from "../../src/core/accounts.ts";
import { newEd25519Key } from "../support/ed25519-key.ts";
import type { VenueFixture } from "../support/venue/venue-fixture.ts";
import type { FrontFixture, TestKey } from "../surface/front-fixture.ts";

const soh = "\x01";
const trailer = new RegExp(`${soh}10=\\d{3}${soh}`);

/** Fields of a message by tag; the last one counts for a tag of a group. */
export type Fields = Readonly<Record<number, string>>;

/** Fields of a message in their order. */
export type Pairs = ReadonlyArray<readonly [tag: number, value: string | number]>;

/** Fields in the order of their tags; those without a value are left out. */
export function pairsOf(fields: Readonly<Record<number, string | number>>): Pairs {
  return Object.entries(fields)
    .filter(([, value]) => value !== "")
    .map(([tag, value]) => [Number(tag), value]);
}

export type FixKey = Pick<TestKey, "value" | "account" | "keyId"> & {
  readonly privateKey: KeyObject;
};

/** Creates an Ed25519 key of the account. */
export async function fixKey(
  front: FrontFixture,
  account: number,
  permissions?: number,
): Promise<FixKey> {
  const { privateKey, publicKey } = newEd25519Key();
  const more = permissions === undefined ? {} : { permissions };
  const terms = { keyType: KeyType.ed25519, publicKey, ...more };
  const { value, keyId } = await front.newKey(account, terms);
  return { value, account, keyId, privateKey };
}

/** Creates an Ed25519 key of the account with `create`, the operator's call for keys. */
export async function createdKey(
  create: (terms: { account: number; tier: "house"; publicKey: string }) => Promise<unknown>,
  account: number,
): Promise<FixKey> {
  const { privateKey, publicKey } = newEd25519Key();
  const created = await create({ account, tier: "house", publicKey });
  const { api_key: value } = created as { api_key: string };
  return { value, account, keyId: 0, privateKey };
}

/** Creates an Ed25519 key of the account of a whole venue. */
export function venueKey({ operator }: VenueFixture, account: number): Promise<FixKey> {
  return createdKey((terms) => operator.createKey(terms), account);
}

/** The bytes of a message; the header's fields are given like the others. */
export function bytesOf(fields: Pairs): Buffer {
  const body = fields.map(([tag, value]) => `${tag}=${value}${soh}`).join("");
  const text = `8=FIX.4.4${soh}9=${Buffer.byteLength(body, "latin1")}${soh}${body}`;
  const sum = Buffer.from(text, "latin1").reduce((total, byte) => total + byte, 0) % 256;
  return Buffer.from(`${text}10=${String(sum).padStart(3, "0")}${soh}`, "latin1");
}

/** The fields of a signed Logon of the client `name`, whose header has the fields of `header`. */
export function logonFields(
  key: FixKey,
  name: string,
  header: Fields,
): Readonly<Record<number, string | number>> {
  const payload = ["A", name, header[56] ?? "SPOT", header[34] ?? "1", header[52]].join(soh);
  const signature = sign(null, Buffer.from(payload), key.privateKey).toString("base64");
  const signed = { 95: signature.length, 96: signature };
  return { ...signed, 98: 0, 108: 30, 141: "Y", 553: key.value, 25035: 2 };
}

export function utcNow(ms = Date.now()): string {
  return new Date(ms).toISOString().replaceAll("-", "").replace("T", "-").replace("Z", "");
}

export class FixClient {
  readonly messages: Fields[] = [];
  /** Number of the next message. */
  seq = 1;
  isClosed = false;
  readonly #socket: Socket;
  readonly #name: string;
  /** All tags and values of a message in their order. */
  readonly #pairs = new WeakMap<Fields, ReadonlyArray<readonly [number, string]>>();
  #rest = "";
  #seen = 0;
  #wake: () => void = () => {};

  constructor(port: number, name = "CLIENT", tls = false) {
    this.#name = name;
    const to = { port, host: "127.0.0.1" };
    this.#socket = tls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    this.#socket.on("data", (bytes) => this.#take(bytes.toString("latin1")));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  /** Sends bytes unchanged. */
  raw(bytes: Uint8Array | string): void {
    this.#socket.write(bytes);
  }

  /** Sends a message with the next number; `header` replaces or adds fields of the header. */
  send(type: string, fields: Pairs, header: Fields = {}): void {
    const head: Record<number, string> = {
      35: type,
      49: this.#name,
      56: "SPOT",
      34: String(header[34] ?? this.seq),
      52: utcNow(),
      ...header,
    };
    if (header[34] === undefined) this.seq++;
    const tags = [
      35,
      ...Object.keys(head)
        .map(Number)
        .filter((tag) => tag !== 35),
    ];
    this.raw(bytesOf([...tags.map((tag) => [tag, head[tag] ?? ""] as const), ...fields]));
  }

  /** Sends a signed Logon; `more` replaces or adds fields. */
  logon(key: FixKey, more: Record<number, string | number> = {}, header: Fields = {}): void {
    const time = header[52] ?? utcNow();
    const fields = logonFields(key, this.#name, { 52: time, ...header });
    this.send("A", pairsOf({ ...fields, ...more }), { 52: time, ...header });
  }

  /** The next message that `fits`, which skips others. */
  async next(fits: (fields: Fields) => boolean, ms = 120_000): Promise<Fields> {
    const endMs = Date.now() + ms;
    for (;;) {
      while (this.#seen < this.messages.length) {
        const message = this.messages[this.#seen++];
        if (message !== undefined && fits(message)) return message;
      }
      if (this.isClosed || Date.now() > endMs)
        throw new Error(`no such message: ${JSON.stringify(this.messages)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 100);
      });
    }
  }

  /** Places a bid for 200 CC; returns its report. */
  async bid(clOrdId: string, price: string): Promise<Fields> {
    const order = { 11: clOrdId, 38: "200.0", 40: "2", 44: price, 54: "1", 55: "CC-USDC", 59: "1" };
    this.send("D", pairsOf(order));
    return this.reported(clOrdId);
  }

  /** The next report with this ClOrdID. */
  reported(clOrdId: string): Promise<Fields> {
    return this.next(({ 35: type, 11: id }) => type === "8" && id === clOrdId);
  }

  /** The entries of the group whose entries begin with the tag `first`; the trailer is cut off. */
  entriesOf(message: Fields, first: number): Fields[] {
    const entries: Record<number, string>[] = [];
    for (const [tag, value] of this.#pairs.get(message) ?? []) {
      if (tag === first) entries.push({});
      const entry = entries.at(-1);
      if (entry !== undefined && tag !== 10) entry[tag] = value;
    }
    return entries;
  }

  /** Resolves once everything that was sent before is handled. */
  async settled(): Promise<void> {
    const id = `settled-${this.seq}`;
    this.send("1", [[112, id]]);
    await this.next(({ 35: type, 112: heard }) => type === "0" && heard === id);
  }

  ofType(type: string): Promise<Fields> {
    return this.next((fields) => fields[35] === type);
  }

  async closed(ms = 120_000): Promise<void> {
    const endMs = Date.now() + ms;
    while (!this.isClosed) {
      if (Date.now() > endMs) throw new Error("the connection is still open");
      await new Promise<void>((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Reads nothing any more. */
  pause(): void {
    this.#socket.pause();
  }

  /** Drops the connection without a Logout. */
  drop(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#rest += text;
    for (;;) {
      const end = trailer.exec(this.#rest);
      if (end === null) break;
      const to = end.index + end[0].length;
      const pairs = this.#rest
        .slice(0, to)
        .split(soh)
        .filter((pair) => pair !== "")
        .map((pair) => [Number(pair.split("=")[0]), pair.slice(pair.indexOf("=") + 1)] as const);
      this.#rest = this.#rest.slice(to);
      const fields = Object.fromEntries(pairs);
      this.#pairs.set(fields, pairs);
      this.messages.push(fields);
    }
    this.#wake();
  }
}
