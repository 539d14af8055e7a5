// Runs one publisher and many subscribers, each side in its own process. Measures the frames delivered a second with a
// limited number of trades in flight, and the latency of a frame at a steady rate.

import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { PublisherKind, PublisherOrder } from "./publisher-process.ts";
import type { SubscriberPlan } from "./subscriber-process.ts";

/** Maximum number of trades in flight: so few that their frames stay far below the backlog limit of a subscriber. */
const windowTrades = 256;

interface Told {
  readonly port?: number;
  readonly ready?: true;
  readonly frames?: number;
  readonly receipts?: readonly (readonly [number, number])[];
  readonly stamps?: readonly (readonly [number, number])[];
}

/** A child process and the messages exchanged with it. */
class Peer {
  readonly #child: ChildProcess;
  readonly #heard = new Set<(told: Told) => void>();

  constructor(file: string) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), { stdio: "inherit" });
    this.#child.on("message", (told: Told) => {
      for (const hear of this.#heard) hear(told);
    });
  }

  tell(message: PublisherOrder | SubscriberPlan | "receipts"): void {
    this.#child.send(message);
  }

  hear(listener: (told: Told) => void): () => void {
    this.#heard.add(listener);
    return () => this.#heard.delete(listener);
  }

  next<K extends keyof Told>(name: K): Promise<NonNullable<Told[K]>> {
    return new Promise((resolve) => {
      const end = this.hear((told) => {
        const value = told[name];
        if (value === undefined) return;
        end();
        resolve(value as NonNullable<Told[K]>);
      });
    });
  }

  end(): void {
    this.#child.disconnect();
  }
}

export class FanOut {
  readonly #publisher: Peer;
  readonly #subscribers: Peer;
  readonly #count: number;

  private constructor(publisher: Peer, subscribers: Peer, count: number) {
    this.#publisher = publisher;
    this.#subscribers = subscribers;
    this.#count = count;
  }

  static async open(kind: PublisherKind, count: number): Promise<FanOut> {
    const publisher = new Peer("./publisher-process.js");
    const started = publisher.next("port");
    publisher.tell({ start: kind });
    const port = await started;
    const subscribers = new Peer("./subscriber-process.js");
    const ready = subscribers.next("ready");
    subscribers.tell({ port, subscribers: count });
    await ready;
    return new FanOut(publisher, subscribers, count);
  }

  /** Returns the frames delivered a second, measured after a warm-up. */
  async framesPerSecond(warmUpMs: number, forMs: number): Promise<number> {
    let published = 0;
    let delivered = 0;
    let first = -1;
    const top = () => {
      const more = windowTrades - (published - delivered / this.#count);
      if (more < 1) return;
      const publish = Math.floor(more);
      published += publish;
      this.#publisher.tell({ publish });
    };
    const end = this.#subscribers.hear(({ frames }) => {
      if (frames === undefined) return;
      if (first < 0) first = frames - 1;
      delivered = frames;
      top();
    });
    top();
    await sleep(warmUpMs);
    const [startFrames, startMs] = [delivered, performance.now()];
    await sleep(forMs);
    const rate = ((delivered - startFrames) * 1000) / (performance.now() - startMs);
    end();
    await sleep(500);
    return rate;
  }

  /** Returns the microseconds from the commit of a trade to its frame, over the sampled subscribers, sorted. */
  async latenciesUs(perSecond: number, forMs: number): Promise<readonly number[]> {
    this.#subscribers.tell("receipts");
    await this.#subscribers.next("receipts");
    const done = this.#publisher.next("stamps");
    this.#publisher.tell({ perSecond, forMs });
    const stamps = new Map(await done);
    await sleep(500);
    const received = this.#subscribers.next("receipts");
    this.#subscribers.tell("receipts");
    const latencies = (await received).flatMap(([id, atUs]) => {
      const stamp = stamps.get(id);
      return stamp === undefined ? [] : [atUs - stamp];
    });
    return latencies.sort((a, b) => a - b);
  }

  close(): void {
    this.#subscribers.end();
    this.#publisher.end();
  }
}
