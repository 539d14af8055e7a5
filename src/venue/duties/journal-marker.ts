// Once a second, if anything was acknowledged, has the journal thread send its chained hash: for the mark in the data
// folder, and for the followers, which the lease tells.

import { alignedInterval } from "../../adapters/runtime/aligned-interval.ts";
import type { MarkFile } from "../leadership/mark-file.ts";
import type { WorkerThread } from "../spawn.ts";

const callMs = 1_000;

export interface JournalMarkerParts {
  readonly journal: WorkerThread;
  readonly file: MarkFile;
  readonly epoch: string;
  readonly committedSeq: () => number;
}

export class JournalMarker {
  readonly #parts: JournalMarkerParts;
  readonly #stopCalling: () => void;
  #calledSeq = -1;

  constructor(parts: JournalMarkerParts) {
    this.#parts = parts;
    parts.journal.hear("chained", (chain) => parts.file.note(chain, parts.epoch));
    this.#stopCalling = alignedInterval(() => this.#call(), callMs);
  }

  /** Resolves when everything that is acknowledged now is marked. */
  async finish(): Promise<void> {
    const { journal, file } = this.#parts;
    const chained = journal.next("chained");
    journal.tell({ kind: "chain" });
    await chained;
    await file.written();
  }

  async close(): Promise<void> {
    this.#stopCalling();
    await this.#parts.file.written();
  }

  #call(): void {
    const seq = this.#parts.committedSeq();
    if (seq === this.#calledSeq) return;
    this.#calledSeq = seq;
    this.#parts.journal.tell({ kind: "chain" });
  }
}
