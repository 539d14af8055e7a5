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

export interface RingClearingClientParts {
  /** Name of this thread in metrics. */
  readonly name: string;
  /** Number of this thread among the command sources. */
  readonly source: number;
  readonly sink: CommandRingSink;
  readonly replies: SpscRing;
  readonly clock: Clock;
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
    const { sink, source, clock, deadlineMs } = this.#parts;
    this.#lastCorrelation = (this.#lastCorrelation + 1) >>> 0;
    const correlation = this.#lastCorrelation;
    const atUs = clock.nowUs();
    const stamp = { source, correlation, atUs, deadlineUs: atUs + deadlineMs * 1000 };
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
    const { sink, source, clock } = this.#parts;
    const atUs = clock.nowUs();
    const tick = { kind: CommandKind.tick, source, correlation: 0, account: 0 };
    sink.trySend({ ...tick, atUs, deadlineUs: Math.min(atUs, dutyMs * 1000) }, "orders");
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
