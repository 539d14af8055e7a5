// Sends commands to clearing from a thread that is not a front. Like a front, the thread is a command source with
// separate rings, and receives only the replies to its own commands. A reply means that the result is durable.

import { assert } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { emptyReply, type Reply } from "../../core/generated/messages.ts";
import {
  ClearingBusy,
  type ClearingClient,
  type UnstampedCommand,
} from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import { decodeReply } from "../../wire/generated/message-codec.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";
import type { Agent } from "./agent.ts";
import type { CommandRingSink } from "./command-ring-sink.ts";
import type { MarketClock } from "./venue-clock.ts";

export interface RingClearingClientParts {
  /** Name of this thread in metrics. */
  readonly name: string;
  /** Number of this thread among the command sources. */
  readonly source: number;
  readonly sink: CommandRingSink;
  readonly replies: SpscRing;
  /** The time of deadlines. */
  readonly clock: Clock;
  /** The time at which commands happen. */
  readonly market: Pick<MarketClock, "nowUs" | "edgeUs">;
  readonly deadlineMs: number;
}

export class RingClearingClient implements ClearingClient, Agent {
  readonly roleName: string;
  readonly #parts: RingClearingClientParts;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastCorrelation = 0;

  constructor(parts: RingClearingClientParts) {
    this.#parts = parts;
    this.roleName = parts.name;
  }

  /** Number of commands that have no reply yet. */
  get inFlight(): number {
    return this.#waiting.size;
  }

  send(command: UnstampedCommand): Promise<Reply> {
    const { sink, source, clock, market, deadlineMs } = this.#parts;
    this.#lastCorrelation = (this.#lastCorrelation + 1) >>> 0;
    const correlation = this.#lastCorrelation;
    const deadlineUs = clock.nowUs() + deadlineMs * 1000;
    const stamp = { source, correlation, atUs: market.nowUs(), deadlineUs };
    return new Promise((resolve, reject) => {
      if (sink.trySend({ ...command, ...stamp }, "orders")) this.#waiting.set(correlation, resolve);
      else reject(new ClearingBusy());
    });
  }

  /**
   * Sends a tick, which advances clearing's time and runs its scheduled tasks up to `dutyMs`. The tick is dropped if it
   * cannot be sent. If the reason is a full ring, the queued commands advance the time too.
   */
  tick(dutyMs: number): void {
    const { sink, source, market } = this.#parts;
    const atUs = market.nowUs();
    const stamp = { source, correlation: 0, account: 0, atUs, deadlineUs: atUs };
    const edgeUs = market.edgeUs();
    if (edgeUs !== null) sink.trySend({ ...stamp, kind: CommandKind.edgeTime, edgeUs }, "orders");
    const deadlineUs = Math.min(atUs, dutyMs * 1000);
    sink.trySend({ ...stamp, kind: CommandKind.tick, deadlineUs }, "orders");
  }

  doWork(): number {
    const { replies } = this.#parts;
    let heard = 0;
    for (let offset = replies.next(); offset >= 0; offset = replies.next()) {
      const reply = emptyReply();
      decodeReply(replies, offset, replies.length, reply);
      this.#answer(reply);
      heard++;
    }
    if (heard > 0) replies.release();
    return heard;
  }

  hasWork(): boolean {
    return !this.#parts.replies.isEmpty();
  }

  onClose(): void {
    this.#waiting.clear();
  }

  #answer(reply: Reply): void {
    const resolve = this.#waiting.get(reply.correlation);
    assert(resolve !== undefined, "a reply must answer a command of this client");
    this.#waiting.delete(reply.correlation);
    resolve(reply);
  }
}
