// A small FIX initiator of the tests, with a codec of its own, so that it does not share the venue's mistakes.

import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { KeyType } from "../../src/core/accounts.ts";
import type { VenueFixture } from "../support/venue/venue-fixture.ts";
import type { FrontFixture, TestKey } from "../surface/front-fixture.ts";

const soh = "\x01";
const trailer = new RegExp(`${soh}10=\\d{3}${soh}`);

/** Fields of a message by tag; the last one counts for a tag of a group. */
export type Fields = Readonly<Record<number, string>>;

export type FixKey = Pick<TestKey, "value" | "account" | "keyId"> & {
  readonly privateKey: KeyObject;
};

/** Creates an Ed25519 key of the account. */
export async function fixKey(
  front: FrontFixture,
  account: number,
  permissions?: number,
): Promise<FixKey> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const bytes = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const more = permissions === undefined ? {} : { permissions };
  const terms = { keyType: KeyType.ed25519, publicKey: bytes.toString("base64"), ...more };
  const { value, keyId } = await front.newKey(account, terms);
  return { value, account, keyId, privateKey };
}

/** Creates an Ed25519 key of the account of a whole venue. */
export async function venueKey({ operator }: VenueFixture, account: number): Promise<FixKey> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const created = await operator.createKey({ account, tier: "house", publicKey: raw });
  const { api_key: value } = created as { api_key: string };
  return { value, account, keyId: 0, privateKey };
}

/** The bytes of a message; the header's fields are given like the others. */
export function bytesOf(fields: ReadonlyArray<readonly [number, string | number]>): Buffer {
  const body = fields.map(([tag, value]) => `${tag}=${value}${soh}`).join("");
  const text = `8=FIX.4.4${soh}9=${Buffer.byteLength(body, "latin1")}${soh}${body}`;
  const sum = Buffer.from(text, "latin1").reduce((total, byte) => total + byte, 0) % 256;
  return Buffer.from(`${text}10=${String(sum).padStart(3, "0")}${soh}`, "latin1");
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
  send(
    type: string,
    fields: ReadonlyArray<readonly [number, string | number]>,
    header: Fields = {},
  ): void {
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
    const payload = ["A", this.#name, header[56] ?? "SPOT", header[34] ?? "1", time].join(soh);
    const signature = sign(null, Buffer.from(payload), key.privateKey).toString("base64");
    const fields = { 95: signature.length, 96: signature, 98: 0, 108: 30, 141: "Y" };
    const all: Record<number, string | number> = {
      ...fields,
      553: key.value,
      25035: 2,
      ...more,
    };
    const pairs = Object.entries(all).map(([tag, value]) => [Number(tag), value] as const);
    this.send("A", pairs, { 52: time, ...header });
  }

  /** The next message that `fits`, which skips others. */
  async next(fits: (fields: Fields) => boolean, ms = 10_000): Promise<Fields> {
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
    this.send(
      "D",
      Object.entries(order).map(([tag, value]) => [Number(tag), value] as const),
    );
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

  ofType(type: string): Promise<Fields> {
    return this.next((fields) => fields[35] === type);
  }

  async closed(ms = 10_000): Promise<void> {
    const endMs = Date.now() + ms;
    while (!this.isClosed) {
      if (Date.now() > endMs) throw new Error("the connection is still open");
      await new Promise<void>((resolve) => setTimeout(resolve, 10));
    }
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
