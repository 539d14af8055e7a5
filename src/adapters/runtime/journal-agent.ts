// The journal thread's duty cycle around the writer: whenever ring room was given back, clearing is
// woken, because it may be waiting for exactly that.

import type { JournalWriter } from "../../services/journal/journal-writer.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import type { Agent } from "./agent.ts";

export class JournalAgent implements Agent {
  readonly roleName = "journal";
  readonly #writer: JournalWriter;
  readonly #clearingBell: Doorbell;

  constructor(writer: JournalWriter, clearingBell: Doorbell) {
    this.#writer = writer;
    this.#clearingBell = clearingBell;
  }

  doWork(): number {
    const work = this.#writer.doWork();
    if (work > 0) this.#clearingBell.ring();
    return work;
  }

  hasWork(): boolean {
    return this.#writer.hasWork();
  }

  onClose(): void {
    // The store is closed by whoever opened it.
  }
}
