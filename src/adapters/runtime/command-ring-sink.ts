// Commands of one source into its two rings toward clearing. A full ring is an answer, not a wait;
// so is a journal that does not get through, because nothing more could be acknowledged.

import type { Command } from "../../core/commands.ts";
import type { CommandLane, CommandSink } from "../../ports/command-sink.ts";
import { commandBytes, encodeCommand } from "../../wire/command-codec.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import type { SourceMemory } from "./venue-memory.ts";

export class CommandRingSink implements CommandSink {
  readonly #orders: SpscRing;
  readonly #cancels: SpscRing;
  readonly #clearingBell: Doorbell;
  readonly #counters: CountersBuffer;

  constructor(
    memory: Pick<SourceMemory, "orders" | "cancels">,
    clearingBell: Doorbell,
    counters: CountersBuffer,
  ) {
    this.#orders = new SpscRing(memory.orders);
    this.#cancels = new SpscRing(memory.cancels);
    this.#clearingBell = clearingBell;
    this.#counters = counters;
  }

  trySend(command: Command, lane: CommandLane): boolean {
    if (this.#counters.isJournalStalled()) return false;
    const ring = lane === "cancels" ? this.#cancels : this.#orders;
    const offset = ring.tryClaim(commandBytes(command));
    if (offset < 0) return false;
    encodeCommand(ring, offset, command);
    ring.commit();
    ring.publish();
    this.#clearingBell.ring();
    return true;
  }
}
