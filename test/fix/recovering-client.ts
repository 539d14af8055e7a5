// A FIX client that continues its numbers over connections, as an engine with a message store does: it takes messages in the
// order of their numbers, asks again for what is missing, and keeps every report under its number.

import { setTimeout as sleep } from "node:timers/promises";
import { type Fields, FixClient, type FixKey, type Pairs } from "./fix-client.ts";

const answerMsMax = 60_000;
const connectMsMax = 120_000;

export class RecoveringClient {
  /** Reports by number. */
  readonly reports = new Map<number, Fields>();
  /** Other messages in the order of their numbers. */
  readonly others: Fields[] = [];
  readonly faults: string[] = [];
  /** Reports that were sent again, and gap fills. */
  resent = 0;
  gaps = 0;
  /** Number expected of the venue's next message. */
  expected = 1;
  #port: number;
  readonly #key: FixKey;
  readonly #name: string;
  readonly #terms: Readonly<Record<number, string>>;
  #client: FixClient | null = null;
  #seq = 1;
  #seen = 0;
  /** The number that showed a gap for which a resend is on its way; 0 for none. */
  #awaited = 0;

  constructor(port: number, key: FixKey, name: string, terms: Readonly<Record<number, string>>) {
    this.#port = port;
    this.#key = key;
    this.#name = name;
    this.#terms = terms;
  }

  /** From the next connection on, connects to another venue or gateway. */
  moveTo(port: number): void {
    this.#port = port;
  }

  get isClosed(): boolean {
    return this.#client?.isClosed ?? true;
  }

  /** Connects until a Logon is accepted and everything missing has come. */
  async connect(): Promise<void> {
    for (const endMs = Date.now() + connectMsMax; Date.now() < endMs; await sleep(500)) {
      const client = new FixClient(this.#port, this.#name);
      this.#client = client;
      this.#seen = 0;
      this.#awaited = 0;
      client.seq = this.#seq;
      client.logon(this.#key, { 141: "N", ...this.#terms }, { 34: String(this.#seq) });
      client.seq = ++this.#seq;
      const accepted = await client.ofType("A").catch(() => null);
      if (accepted === null) {
        client.drop();
        continue;
      }
      await this.#until(() => this.expected > Number(accepted[34]));
      await this.settled();
      return;
    }
    throw new Error(
      `no Logon of ${this.#name} was accepted: ${JSON.stringify(this.others.at(-1))}`,
    );
  }

  /** Sends a message; `header` replaces or adds fields of the header. */
  send(type: string, fields: Pairs, header: Fields = {}): void {
    if (this.#client === null || this.isClosed) return;
    this.#client.send(type, fields, header);
    this.#seq = this.#client.seq;
  }

  /** Drops the connection. */
  drop(): void {
    this.take();
    this.#client?.drop();
  }

  /** Waits until everything that the venue has sent up to now has come in order. */
  async settled(): Promise<void> {
    const id = `settled-${this.#seq}`;
    this.send("1", [[112, id]]);
    await this.#until(() => this.others.some(({ 112: answer }) => answer === id));
  }

  /** Waits until so many reports have come in all. */
  async reported(count: number): Promise<void> {
    await this.#until(() => this.reports.size >= count);
  }

  async #until(isSo: () => boolean): Promise<void> {
    for (const endMs = Date.now() + answerMsMax; ; await sleep(5)) {
      this.take();
      if (isSo()) return;
      if (this.isClosed || Date.now() > endMs)
        throw new Error(`${this.#name} is not answered: ${JSON.stringify(this.others.slice(-2))}`);
    }
  }

  /** Takes the messages that have come. */
  take(): void {
    const messages = this.#client?.messages ?? [];
    while (this.#seen < messages.length) this.#takeOne(messages[this.#seen++] ?? {});
  }

  #takeOne(message: Fields): void {
    const seq = Number(message[34]);
    if (seq > this.expected) this.#ask(seq);
    else if (seq < this.expected) this.#compare(seq, message);
    else this.#takeNext(seq, message);
    if (this.expected > this.#awaited) this.#awaited = 0;
  }

  #ask(seq: number): void {
    if (this.#awaited > 0) return;
    this.#awaited = seq;
    this.send("2", [
      [7, this.expected],
      [16, 0],
    ]);
  }

  #compare(seq: number, message: Fields): void {
    const known = this.reports.get(seq);
    if (message[43] !== "Y") this.#blame(`number ${seq} came a second time`, message);
    else if (message[35] === "8" && known?.[17] !== message[17])
      this.#blame(`number ${seq} has another report`, message);
  }

  #takeNext(seq: number, message: Fields): void {
    if (message[35] === "4") {
      this.gaps++;
      this.expected = Number(message[36]);
      if (this.expected <= seq) this.#blame("a gap fill leads back", message);
      return;
    }
    this.expected = seq + 1;
    if (message[35] === "1") this.send("0", [[112, message[112] ?? ""]]);
    if (message[35] !== "8" || message[17] === undefined) {
      this.others.push(message);
      return;
    }
    if (message[43] === "Y") this.resent++;
    this.reports.set(seq, message);
  }

  #blame(text: string, message: Fields): void {
    this.faults.push(`${this.#name}: ${text}: ${JSON.stringify(message)}`);
  }
}
