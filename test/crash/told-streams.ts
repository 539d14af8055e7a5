// A listener that keeps running through crashes: keeps a stream open, reopens it when it is lost, and records the
// frames of each connection separately. It judges nothing.

import { setTimeout as sleep } from "node:timers/promises";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { type Frame, StreamClient } from "../streams/stream-client.ts";

const retryMs = 20;

export class ToldStream {
  /** Frames by connection, oldest first. */
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

  /** Drops the connection as a broken network does. */
  cut(): void {
    this.#client?.close();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.cut();
    await this.#loop;
  }

  /** Every frame of every connection. */
  get frames(): Frame[] {
    return this.spans.flat();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const { host, port } = this.#endpoint();
      // The path says where to resume, so build it only after the previous connection has ended.
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
