// States liabilities after each epoch, or each Nth: a task makes and stores the statement, and its digest is then sent
// to clearing, which journals it. Nothing waits for a statement. One is made at a time; an epoch whose turn comes while
// another is being stated gets none, and one whose statement fails gets none either.

import type { StatingTask } from "../../../workers/tasks/state-liabilities.ts";
import type { SafetyFigures, Solvency } from "../../adapters/telemetry/safety-figures.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { digestWordsOf } from "../../engine/epochs/statement-digest.ts";
import type { ClearingClient } from "../../ports/clearing-client.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { ledgerLateSecondsMax } from "../../ports/venue-problems.ts";
import type { StatedEpoch } from "../../services/epochs/liability-stating.ts";
import { taskEntries } from "../entry-points.ts";
import { idleMsBetween, TaskPool } from "./task-pool.ts";

export interface LiabilitySchedulerParts {
  /** Every how many epochs there is a statement; 0 for never. */
  readonly every: number;
  readonly epochMs: number;
  readonly task: Omit<StatingTask, "epoch" | "readsLedger" | "nowMs">;
  readonly clearing: ClearingClient;
  /** Milliseconds since the ledger was read to its end; null without a ledger, and before the first time. */
  readonly ledgerSilentMs: () => number | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: SafetyFigures;
}

export class LiabilityScheduler {
  readonly #parts: LiabilitySchedulerParts;
  readonly #pool: TaskPool;
  /** The newest epoch that was tried, or that was sealed when the venue began; null before that is known. */
  #tried: number | null = null;
  #isBusy = false;
  #isClosed = false;

  constructor(parts: LiabilitySchedulerParts) {
    this.#parts = parts;
    const { every, epochMs } = parts;
    const idleMs = idleMsBetween(every * epochMs);
    this.#pool = new TaskPool({ file: taskEntries.stateLiabilities, idleMs });
  }

  /** Called with the newest sealed epoch, more often than epochs are sealed. */
  sealed(epoch: number): void {
    const { every, log } = this.#parts;
    // An epoch that was sealed before is left out, so that a start has no work for it.
    this.#tried ??= epoch;
    if (every === 0 || epoch <= this.#tried || epoch % every !== 0) return;
    if (this.#isBusy || this.#isClosed) return;
    this.#isBusy = true;
    this.#tried = epoch;
    this.#state(epoch)
      .catch((error) => {
        if (!this.#isClosed) log.error({ err: error, epoch }, "stating liabilities failed");
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  /** Ends the pool and abandons a statement in progress, which the journal then lacks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }

  async #state(epoch: number): Promise<void> {
    const { task, clearing, clock, figures, log, ledgerSilentMs } = this.#parts;
    const beganMs = performance.now();
    const silentMs = ledgerSilentMs();
    const readsLedger = silentMs !== null && silentMs < ledgerLateSecondsMax * 1000;
    const request: StatingTask = { ...task, epoch, readsLedger, nowMs: clock.nowMs() };
    const stated = await this.#pool.run<StatedEpoch | null>(request, "stateLiabilitiesTask");
    if (stated === null || this.#isClosed) return;
    const { statedSeq, digest, deficits, accounts, tookMs } = stated;
    const { reason } = await clearing.send({
      ...{ kind: CommandKind.stateLiabilities, account: 0, epoch, statedSeq },
      ...digestWordsOf(digest),
    });
    if (reason !== RejectReason.none) {
      // A venue that stops takes no commands.
      log.warn({ epoch, reason }, "clearing took no statement of liabilities");
      return;
    }
    const solvency = solvencyOf(stated);
    const deficitIds = deficits.map(({ id }) => id);
    figures.stated({ epoch, solvency, deficits: deficitIds, tookMs: performance.now() - beganMs });
    log.debug({ epoch, statedSeq, accounts, solvency, tookMs }, "liabilities stated");
    const short = deficits.map(({ code }) => code);
    if (short.length > 0)
      log.error({ epoch, assets: short }, "custody holds less than the venue owes");
  }
}

function solvencyOf({ deficits, isKnown }: StatedEpoch): Solvency {
  if (deficits.length > 0) return "deficit";
  return isKnown ? "ok" : "unknown";
}
