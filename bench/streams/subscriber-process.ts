// Runs the subscribers of a stream in their own process. They are raw sockets that count frames in place; only a few
// read the trade ids. A client library would cost more than the measured work.

import { connect, type Socket } from "node:net";

export interface SubscriberPlan {
  readonly port: number;
  readonly subscribers: number;
}

/**
 * Number of subscribers that read the contents of their frames. They are spread evenly over all subscribers; the others
 * only count frames.
 */
const sampled = 16;
const perAddress = 16;
const reportMs = 5;
const readBytes = 256 * 1024;
const shared = Buffer.allocUnsafeSlow(readBytes);
const longLength = 126;

let frames = 0;
/** Trade id and arrival time in microseconds of each frame that a sampled subscriber received. */
const receipts: [id: number, atUs: number][] = [];

class Subscriber {
  readonly #isSampled: boolean;
  #isUpgraded = false;
  /** Payload bytes of the current frame that have not arrived yet. */
  #missing = 0;
  #rest: Buffer | null = null;

  constructor(isSampled: boolean) {
    this.#isSampled = isSampled;
  }

  /**
   * Takes received data; returns true for the first chunk, which contains the server's answer to the upgrade request.
   */
  take(chunk: Buffer): boolean {
    if (!this.#isUpgraded) {
      this.#isUpgraded = true;
      const end = chunk.indexOf("\r\n\r\n") + 4;
      if (end < chunk.length) this.#count(chunk.subarray(end));
      return true;
    }
    this.#count(this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]));
    return false;
  }

  #count(chunk: Buffer): void {
    this.#rest = null;
    if (this.#isSampled) this.#read(chunk);
    let at = Math.min(this.#missing, chunk.length);
    this.#missing -= at;
    while (at < chunk.length) {
      const head = chunk[at + 1] === longLength ? 4 : 2;
      if (at + head > chunk.length) {
        this.#rest = Buffer.from(chunk.subarray(at));
        return;
      }
      const length = head === 4 ? chunk.readUInt16BE(at + 2) : (chunk[at + 1] ?? 0);
      frames++;
      this.#missing = Math.max(at + head + length - chunk.length, 0);
      at += head + length;
    }
  }

  /** Records the trade ids in a chunk. Skips ids whose digits are split across two chunks. */
  #read(chunk: Buffer): void {
    // `hrtime` has the same clock in every process and thread of the machine.
    const atUs = Number(process.hrtime.bigint() / 1000n);
    for (const [, id] of chunk.toString("latin1").matchAll(/"t":(\d+),/g)) {
      receipts.push([Number(id), atUs]);
    }
  }
}

function open(port: number, index: number, isSampled: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const subscriber = new Subscriber(isSampled);
    const socket = connect({
      host: "127.0.0.1",
      port,
      onread: {
        buffer: shared,
        callback: (bytes: number) => {
          if (subscriber.take(shared.subarray(0, bytes))) resolve(socket);
          return true;
        },
      },
    });
    socket.once("error", reject);
    const client = Math.floor(index / perAddress);
    socket.write(
      "GET /ws/cc-usdc@trade HTTP/1.1\r\nHost: venue\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `X-Forwarded-For: 198.18.${client >> 8}.${client & 255}\r\n` +
        `Sec-WebSocket-Key: ${Buffer.alloc(16, index).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
  });
}

async function run({ port, subscribers }: SubscriberPlan): Promise<void> {
  const every = Math.max(Math.floor(subscribers / sampled), 1);
  for (let index = 0; index < subscribers; index++) await open(port, index, index % every === 0);
  process.send?.({ ready: true });
  let reported = 0;
  setInterval(() => {
    if (frames === reported) return;
    reported = frames;
    process.send?.({ frames });
  }, reportMs);
}

process.on("message", (message: SubscriberPlan | "receipts") => {
  if (message === "receipts") process.send?.({ receipts: receipts.splice(0) });
  else void run(message);
});
process.once("disconnect", () => process.exit(0));
