// The journal thread's duty cycle: runs the journal's writer, and wakes clearing after the writer released ring room
// for which clearing may be waiting.

import { journalRingBytes } from "../../core/limits.ts";
import type { JournalWriter } from "../../services/journal/journal-writer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";
import { transactionRoomBytes } from "./venue-memory.ts";

/** Number of used bytes above which clearing takes nothing and sleeps until room is released. */
const usedBytesMax = journalRingBytes - transactionRoomBytes;

/** The methods of the writer that the duty cycle uses. */
export type DutyWriter = Pick<JournalWriter, "doWork" | "hasWork" | "releasedFromBytes">;

export class JournalAgent implements Agent {
  readonly roleName = "journal";
  readonly #writer: DutyWriter;
  readonly #clearingBell: Doorbell;

  constructor(writer: DutyWriter, clearingBell: Doorbell) {
    this.#writer = writer;
    this.#clearingBell = clearingBell;
  }

  doWork(): number {
    const work = this.#writer.doWork();
    if (this.#writer.releasedFromBytes > usedBytesMax) this.#clearingBell.ring();
    return work;
  }

  hasWork(): boolean {
    return this.#writer.hasWork();
  }

  onClose(): void {
    // Nothing to release: the store is closed by the code that opened it.
  }
}
