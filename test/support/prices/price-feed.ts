// Starts and controls the price feed process of price-feed-process.ts.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FeedBehaviour } from "./price-feed-process.ts";

interface Message {
  readonly port?: number;
  readonly isTold?: boolean;
  readonly requests?: number;
}

const program = fileURLToPath(new URL("./price-feed-process.js", import.meta.url));

export class PriceFeed {
  readonly url: string;
  readonly #child: ChildProcess;
  #requests = 0;

  static async open(): Promise<PriceFeed> {
    const child = fork(program, { stdio: "ignore" });
    const [{ port = 0 }] = (await once(child, "message")) as [Message];
    return new PriceFeed(child, port);
  }

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}/prices`;
    child.on("message", ({ requests }: Message) => {
      this.#requests = requests ?? this.#requests;
    });
  }

  /** Number of requests received. */
  get requests(): number {
    return this.#requests;
  }

  /** Sets the behaviour; resolves when all later requests get it. */
  async tell(behaviour: FeedBehaviour): Promise<void> {
    const child = this.#child;
    await new Promise<void>((resolve) => {
      const hear = ({ isTold }: Message) => {
        if (isTold !== true) return;
        child.off("message", hear);
        resolve();
      };
      child.on("message", hear);
      child.send(behaviour);
    });
  }

  /** Makes the feed answer these prices, each with `time`: the current time by default, none if it is null. */
  async say(prices: Readonly<Record<string, string>>, time: number | null = Date.now()) {
    const rows = Object.entries(prices).map(([symbol, price]) => {
      return time === null ? { symbol, price } : { symbol, price, time };
    });
    await this.tell({ body: JSON.stringify(rows) });
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }
}
