// A stream subscriber that keeps running through crashes. It reopens a lost connection and records the frames of
// each connection separately; stream-audit.ts checks the frames.

import { setTimeout as sleep } from "node:timers/promises";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { type Frame, StreamClient } from "../streams/stream-client.ts";

const retryMs = 20;

export class ToldStream {
  /** Frames of each connection, oldest connection first. */
  readonly spans: Frame[][] = [];
  readonly #path: () => string;
  readonly #endpoint: () => Endpoint;
  #client: StreamClient | null = null;
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();

  /** `path` and `endpoint` are called at each connect. */
  constructor(path: () => string, endpoint: () => Endpoint) {
    this.#path = path;
    this.#endpoint = endpoint;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Closes the connection without notice, as a broken network does. */
  cut(): void {
    this.#client?.close();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.cut();
    await this.#loop;
  }

  /** All frames of all connections. */
  get frames(): Frame[] {
    return this.spans.flat();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const { host, port } = this.#endpoint();
      // Build the path now: it contains the position to resume from, which is final only after the last connection
      // has ended.
      const url = `ws://${host}:${port}${this.#path()}`;
      const client = await StreamClient.open(url).catch(() => null);
      if (client === null) {
        await sleep(retryMs);
        continue;
      }
      this.#client = client;
      this.spans.push(client.frames);
      if (this.#isOver) client.close();
      while (client.closed === null) await sleep(retryMs);
    }
  }
}
