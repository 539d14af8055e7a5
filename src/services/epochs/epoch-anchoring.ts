// Runs the committer's steps while the venue runs. After a confirmed epoch, the next step follows immediately. If no
// epoch is waiting, it follows at the next poll. If the ledger did not commit an epoch, it follows after a pause.

import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { EpochAnchorStore } from "../../ports/ledger/epoch-anchors.ts";
import type { LedgerNetwork } from "../../ports/ledger/ledger.ts";
import type { Log } from "../../ports/log.ts";
import { type CommitStep, EpochCommitter } from "./epoch-committer.ts";

const lookMs = 250;
/**
 * If no epoch is waiting, the next look follows after this share of an epoch's duration, but at most `idlePauseMsMax`.
 */
const idleShare = 1 / 8;
const idlePauseMsMax = 2_000;
const pauseMs = 1_000;
/** Pause after the committer has stopped. Only an operator can change that, so an occasional check suffices. */
const stoppedPauseMs = 60_000;

export interface EpochAnchoringParts {
  readonly venueName: string;
  readonly networkName: string;
  readonly network: LedgerNetwork;
  readonly anchors: EpochAnchorStore;
  readonly clock: Clock;
  readonly epochMs: number;
  readonly log: Log;
  /** Called for each confirmed epoch. */
  confirmed(epoch: number): void;
}

export class EpochAnchoring {
  readonly #parts: EpochAnchoringParts;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | null = null;
  #notBeforeMs = 0;
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
    const { clock, log } = this.#parts;
    if (this.#running !== null || clock.nowMs() < this.#notBeforeMs) return;
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
      const step = await committer.step();
      if (step.kind === "idle") {
        this.#pause(Math.min(idlePauseMsMax, idleShare * this.#parts.epochMs));
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
