// The journal thread's duty cycle around the writer: when ring room was given back that clearing may
// have been waiting for, it is woken.

import { journalRingBytes } from "../../core/limits.ts";
import type { JournalWriter } from "../../services/journal/journal-writer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";
import { transactionRoomBytes } from "./venue-memory.ts";

/** With more than this in the ring, clearing takes nothing and sleeps until room was given back. */
const usedBytesMax = journalRingBytes - transactionRoomBytes;

/** What the duty cycle needs of the writer. */
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
    // The store is closed by whoever opened it.
  }
}
