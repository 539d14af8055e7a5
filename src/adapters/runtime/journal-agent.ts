// The journal thread's duty cycle around the writer: wakes clearing when it releases ring room that clearing
// may be waiting for.

import { journalRingBytes } from "../../core/limits.ts";
import type { JournalWriter } from "../../services/journal/journal-writer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";
import { transactionRoomBytes } from "./venue-memory.ts";

/** With more bytes used, clearing takes nothing and sleeps until room is released. */
const usedBytesMax = journalRingBytes - transactionRoomBytes;

/** The part of the writer used by the duty cycle. */
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
    // The store's opener closes it.
  }
}
