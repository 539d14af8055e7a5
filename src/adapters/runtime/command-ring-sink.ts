// Sends commands of one source through its two rings to clearing. If a ring is full, or the journal is stalled so that
// nothing can be acknowledged, or if the venue accepts only cancels, it returns false instead of waiting. The first
// command of an event-loop turn is published at once. The following commands are published together, because ringing
// the doorbell is a system call.

import type { Command } from "../../core/generated/commands.ts";
import type { CommandLane, CommandSink } from "../../ports/command-sink.ts";
import { type CountersBuffer, RunState } from "../../wire/counters-buffer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import { commandBytes, encodeCommand } from "../../wire/generated/command-codec.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import type { SourceMemory } from "./venue-memory.ts";

/** Number of unpublished commands at which they are published at once, instead of at the end of the event-loop turn. */
const commandsPerRing = 16;

export class CommandRingSink implements CommandSink {
  readonly #orders: SpscRing;
  readonly #cancels: SpscRing;
  readonly #clearingBell: Pick<Doorbell, "ring">;
  readonly #counters: CountersBuffer;
  /**
   * True if the source may still send while the venue stops. Clients' commands are refused as soon as the venue begins
   * to stop.
   */
  readonly #outlivesDrain: boolean;
  /** Number of commands not yet published to clearing. */
  #unpublished = 0;
  #isTurnOpen = false;
  readonly #endTurn = () => {
    this.#isTurnOpen = false;
    if (this.#unpublished > 0) this.#publish();
  };

  constructor(
    memory: Pick<SourceMemory, "orders" | "cancels">,
    clearingBell: Pick<Doorbell, "ring">,
    counters: CountersBuffer,
    outlivesDrain: boolean,
  ) {
    this.#orders = new SpscRing(memory.orders);
    this.#cancels = new SpscRing(memory.cancels);
    this.#clearingBell = clearingBell;
    this.#counters = counters;
    this.#outlivesDrain = outlivesDrain;
  }

  /** Whether the venue takes commands of the lane from this source: not while it stops, or accepts only cancels. */
  takes(lane: CommandLane): boolean {
    if (this.#outlivesDrain) return true;
    const counters = this.#counters;
    if (counters.state() >= RunState.draining) return false;
    return lane === "cancels" || !counters.isCancelOnly();
  }

  trySend(command: Command, lane: CommandLane): boolean {
    if (this.#counters.isJournalStalled() || !this.takes(lane)) return false;
    const ring = lane === "cancels" ? this.#cancels : this.#orders;
    const offset = ring.tryClaim(commandBytes(command));
    if (offset < 0) return false;
    encodeCommand(ring, offset, command);
    ring.commit();
    this.#unpublished++;
    if (!this.#isTurnOpen) {
      this.#isTurnOpen = true;
      setImmediate(this.#endTurn);
      this.#publish();
    } else if (this.#unpublished >= commandsPerRing) this.#publish();
    return true;
  }

  #publish(): void {
    this.#unpublished = 0;
    this.#cancels.publish();
    this.#orders.publish();
    this.#clearingBell.ring();
  }
}
