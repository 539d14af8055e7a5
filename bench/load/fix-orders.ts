// Limit orders over one FIX session, one at a time. Like the HTTP connection of loads it is minimal, because it shares the
// machine with the venue that it measures: it looks for the end of a message and the two fields that it needs.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  bytesOf,
  type FixKey,
  logonFields,
  type Pairs,
  pairsOf,
  utcNow,
} from "../../test/fix/fix-client.ts";
import type { Way } from "./turns.ts";

const soh = "\x01";
/** How a trailer begins, and its length: SOH, `10=`, three digits, SOH. */
const trailer = `${soh}10=`;
const trailerLength = 8;
const readBytes = 64 * 1024;

/** An order that trades with nothing. */
const terms: Pairs = [
  [38, "200"],
  [40, 2],
  [44, "0.09"],
  [54, 1],
  [55, "CC-USDC"],
];

/** Its time in force: GTC rests, IOC expires at once, which is a second report. */
export type Lasting = "GTC" | "IOC";

/** TimeInForce, and the ExecType of the last report. */
const lastings = {
  GTC: { code: 1, last: `${soh}150=0${soh}` },
  IOC: { code: 3, last: `${soh}150=C${soh}` },
} as const;
const refusal = new RegExp(`${soh}(?:150=8|35=[359])${soh}`);

/** A message that answers a request, and the time in ms at which it came. */
interface Answer {
  readonly message: string;
  readonly endMs: number;
}

export class FixOrders implements Way {
  readonly #socket: Socket;
  readonly #name: string;
  readonly #lasting: (typeof lastings)[Lasting];
  #seq = 1;
  #rest = "";
  #wake: (answer: Answer) => void = () => undefined;

  /** Connects to `port` and logs on. */
  static async open(port: number, key: FixKey, lasting: Lasting): Promise<FixOrders> {
    const name = "ORDERS";
    const orders = new FixOrders(port, name, lasting);
    await once(orders.#socket, "connect");
    const time = utcNow();
    const logon = pairsOf(logonFields(key, name, { 52: time }));
    const answer = await orders.#sent(orders.#message("A", logon, time));
    if (!answer.message.includes(`${soh}35=A${soh}`))
      throw new Error(`logon: ${shown(answer.message)}`);
    return orders;
  }

  private constructor(port: number, name: string, lasting: Lasting) {
    this.#name = name;
    this.#lasting = lastings[lasting];
    const callback = (count: number, buffer: Uint8Array): boolean =>
      this.#read((buffer as Buffer).toString("latin1", 0, count));
    const onread = { buffer: Buffer.allocUnsafeSlow(readBytes), callback };
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread });
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#answer(`${soh}35=5${soh}58=connection lost${soh}`));
  }

  next(): string {
    return this.#message("D", [[11, `f${this.#seq}`], [59, this.#lasting.code], ...terms]);
  }

  async answered(request: string): Promise<number> {
    const { message, endMs } = await this.#sent(request);
    if (refusal.test(message)) throw new Error(`order over FIX: ${shown(message)}`);
    return endMs;
  }

  close(): void {
    this.#socket.destroy();
  }

  #message(type: string, fields: Pairs, time = utcNow()): string {
    const head = [
      [35, type],
      [34, this.#seq++],
      [49, this.#name],
      [52, time],
      [56, "SPOT"],
    ] as const;
    return bytesOf([...head, ...fields]).toString("latin1");
  }

  /** Sends a message; resolves with the last report of an order, or with another answer. */
  #sent(message: string): Promise<Answer> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#socket.write(message, "latin1");
    });
  }

  #answer(message: string): void {
    this.#wake({ message, endMs: performance.now() });
  }

  #read(bytes: string): boolean {
    let text = this.#rest + bytes;
    for (;;) {
      const at = text.indexOf(trailer);
      if (at < 0 || at + trailerLength > text.length) break;
      const message = text.slice(0, at + trailerLength);
      text = text.slice(at + trailerLength);
      const isReport = message.includes(`${soh}35=8${soh}`);
      if (!isReport || message.includes(this.#lasting.last) || refusal.test(message))
        this.#answer(message);
    }
    this.#rest = text;
    return true;
  }
}

function shown(message: string): string {
  return message.replaceAll(soh, "|");
}
