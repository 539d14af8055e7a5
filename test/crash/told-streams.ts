// A stream subscriber that keeps running through crashes. It reopens a lost connection and records the frames of
// each connection separately; stream-audit.ts checks the frames.

import { setTimeout as sleep } from "node:timers/promises";
import { type ClientOptions, type Frame, StreamClient } from "../streams/stream-client.ts";

const retryMs = 20;

export interface ToldOptions extends ClientOptions {
  /** Called when a connection is open; its frames are those of the last span. */
  readonly opened?: (client: StreamClient) => void;
}

export class ToldStream {
  /** Frames of each connection, oldest connection first. */
  readonly spans: Frame[][] = [];
  /** Code and reason of each close. */
  readonly closes: string[] = [];
  readonly #url: () => string;
  readonly #options: ToldOptions;
  #client: StreamClient | null = null;
  #isOver = false;
  #loop: Promise<void> = Promise.resolve();

  /** `url` is called at each connect. */
  constructor(url: () => string, options: ToldOptions = {}) {
    this.#url = url;
    this.#options = options;
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

  /** Number of frames so far. */
  get count(): number {
    return this.spans.reduce((sum, { length }) => sum + length, 0);
  }

  /** The newest frame of all connections. */
  get lastFrame(): Frame | undefined {
    return this.spans.findLast((frames) => frames.length > 0)?.at(-1);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      // Build the address now: it contains the position to resume from, which is final only after the last connection
      // has ended.
      const client = await StreamClient.open(this.#url(), this.#options).catch(() => null);
      if (client === null) {
        await sleep(retryMs);
        continue;
      }
      this.#client = client;
      this.spans.push(client.frames);
      this.#options.opened?.(client);
      if (this.#isOver) client.close();
      while (client.closed === null) await sleep(retryMs);
      this.closes.push(`${client.closed.code} ${client.closed.reason}`.trim());
    }
  }
}
