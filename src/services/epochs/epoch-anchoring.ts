// Runs the committer's steps while the venue runs. After a confirmed epoch, the next step follows immediately. If no
// epoch is waiting, it follows when the next one is sealed. If the ledger did not commit an epoch, it follows after a
// pause.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { EpochAnchorStore } from "../../ports/ledger/epoch-anchors.ts";
import type { LedgerNetwork } from "../../ports/ledger/ledger.ts";
import type { Log } from "../../ports/log.ts";
import { type CommitStep, EpochCommitter } from "./epoch-committer.ts";

const lookMs = 500;
const pauseMs = 1_000;
/** Pause after the committer has stopped. Only an operator can change that, so an occasional check suffices. */
const stoppedPauseMs = 60_000;

export interface EpochAnchoringParts {
  readonly venueName: string;
  readonly networkName: string;
  readonly network: LedgerNetwork;
  readonly anchors: EpochAnchorStore;
  readonly clock: Clock;
  /** The newest sealed epoch; 0 while it is unknown. */
  readonly sealedEpoch: () => number;
  readonly log: Log;
  /** Called for each confirmed epoch. */
  confirmed(epoch: number): void;
}

export class EpochAnchoring {
  readonly #parts: EpochAnchoringParts;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;
  #notBeforeMs = 0;
  /** The newest sealed epoch when no epoch was waiting; null while one may be waiting. */
  #idleAfter: number | null = null;
  #isClosed = false;

  constructor(parts: EpochAnchoringParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  /** Stops; resolves after the current step. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #look(): void {
    const { clock, sealedEpoch, log } = this.#parts;
    if (this.#running !== null || sealedEpoch() === this.#idleAfter) return;
    if (clock.nowMs() < this.#notBeforeMs) return;
    this.#idleAfter = null;
    this.#running = this.#commitAll()
      .catch((error) => {
        this.#pause(pauseMs);
        if (!this.#isClosed) log.warn({ err: error }, "committing epochs failed, retrying");
      })
      .finally(() => {
        this.#running = null;
      });
  }

  async #commitAll(): Promise<void> {
    const { venueName: venue, networkName, network, anchors } = this.#parts;
    const freshId = () => randomUUID();
    const committer = new EpochCommitter({ venue, networkName, network, anchors, freshId });
    for (;;) {
      if (this.#isClosed) return;
      // Read before the step, which then sees this epoch's row.
      const newest = this.#parts.sealedEpoch();
      const step = await committer.step();
      if (step.kind === "idle") {
        this.#idleAfter = newest;
        return;
      }
      if (step.kind !== "confirmed") {
        this.#tell(step);
        return;
      }
      this.#parts.confirmed(step.epoch);
    }
  }

  #tell(step: Extract<CommitStep, { message: string }>): void {
    const { log } = this.#parts;
    const isStopped = step.kind === "stopped";
    this.#pause(isStopped ? stoppedPauseMs : pauseMs);
    if (isStopped) log.error({ words: step.message }, "epochs are not committed");
    else log.debug({ words: step.message }, "an epoch is waiting for the ledger");
  }

  #pause(ms: number): void {
    this.#notBeforeMs = this.#parts.clock.nowMs() + ms;
  }
}
