// Sends the commands of a front one at a time, in the order in which they came: the next one leaves when the reply to the
// one before has arrived and everything that it caused is journaled. So ids and events depend on the order of commands
// only, not on the machine's speed. Only for `rialto start --rewind --step`. The bridge before this sink bounds how many
// commands wait.
//
//   idle ──command──▶ in flight ──reply──▶ settling (barriers until one brings no event) ──▶ idle

import { type Command, CommandKind } from "../../core/generated/commands.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import type { CommandLane, CommandSink } from "../../ports/command-sink.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import type { MarketClock } from "./venue-clock.ts";

export interface StepSinkParts {
  readonly sink: CommandSink;
  readonly counters: Pick<CountersBuffer, "issuedSeq">;
  /** This front's number among the command sources. */
  readonly source: number;
  readonly market: Pick<MarketClock, "nowUs">;
  /** The time of the deadlines in microseconds. */
  readonly edgeUs: () => number;
  /** Answers a command that clearing does not get. */
  readonly refuse: (command: Command, reason: RejectReason) => void;
}

export class StepSink implements CommandSink {
  readonly #parts: StepSinkParts;
  readonly #waiting: { readonly command: Command; readonly lane: CommandLane }[] = [];
  #phase: "idle" | "in flight" | "settling" = "idle";
  #seq = 0;

  constructor(parts: StepSinkParts) {
    this.#parts = parts;
  }

  trySend(command: Command, lane: CommandLane): boolean {
    // A sign of life gets no reply, and causes no event.
    if (command.kind === CommandKind.signOfLife) return this.#parts.sink.trySend(command, lane);
    if (this.#phase === "idle") return this.#send(command, lane);
    this.#waiting.push({ command, lane });
    return true;
  }

  /** Takes note of a reply; returns whether it belongs to a barrier of this sink, and to no request. */
  takesReply(): boolean {
    const isOwn = this.#phase === "settling";
    const seq = this.#parts.counters.issuedSeq();
    if (!isOwn || seq !== this.#seq) this.#settle(seq);
    else {
      this.#phase = "idle";
      this.#next();
    }
    return isOwn;
  }

  #settle(seq: number): void {
    const { sink, source, market } = this.#parts;
    this.#phase = "settling";
    this.#seq = seq;
    const stamp = { source, correlation: 0, atUs: market.nowUs(), account: 0 };
    const deadlineUs = Number.MAX_SAFE_INTEGER;
    const barrier = { kind: CommandKind.barrier, ...stamp, deadlineUs } as const;
    if (sink.trySend(barrier, "orders")) return;
    // The venue stops, or its rings are full: whatever waits is refused like the barrier.
    this.#phase = "idle";
    this.#next();
  }

  #next(): void {
    const { edgeUs, refuse } = this.#parts;
    while (this.#phase === "idle") {
      const first = this.#waiting.shift();
      if (first === undefined) return;
      const { command, lane } = first;
      if (command.deadlineUs < edgeUs()) refuse(command, RejectReason.deadlinePassed);
      else if (!this.#send(command, lane)) refuse(command, RejectReason.stopping);
    }
  }

  #send(command: Command, lane: CommandLane): boolean {
    const { sink, market } = this.#parts;
    // The market's time may have been moved while the command waited.
    command.atUs = market.nowUs();
    if (!sink.trySend(command, lane)) return false;
    this.#phase = "in flight";
    return true;
  }
}
