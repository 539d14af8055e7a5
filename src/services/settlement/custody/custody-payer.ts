// Makes custody payments of one kind, withdrawals or returned deposits, each exactly once. As with batches,
// an attempt is stored before it is sent, and all attempts of a round share command id, coins and deadline. Without a
// commit, a round ends only when the ledger has rejected its only attempt, or when its deadline has passed on the
// ledger without a completion.
//
//   requested ─▶ processing ─▶ paid ──reported──▶ completed
//        ▲            │
//        └─new round──┴─▶ given up ──reported──▶ failed

import { assert, present } from "../../../core/assert.ts";
import {
  type CustodyStore,
  type DuePayment,
  type PaymentStore,
  WithdrawalStage,
} from "../../../ports/ledger/custody.ts";
import type {
  ChangeKey,
  Instrument,
  LedgerNetwork,
  Outcome,
} from "../../../ports/ledger/ledger.ts";
import type { Log } from "../../../ports/log.ts";
import { chooseCoins } from "../batches/coin-choice.ts";
import { isGivenUp, retryDelayMs } from "../retry-delay.ts";
import { paymentCommandId, paymentReference } from "./custody-changes.ts";

export interface CustodyPayerParts {
  readonly store: PaymentStore;
  readonly coins: Pick<CustodyStore, "freeCoins">;
  readonly network: LedgerNetwork;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Reports how a payment ended. Idempotent. */
  readonly end: (paymentId: number, isCompleted: boolean) => Promise<void>;
  /** Runs `step` at a time when settlement is not choosing coins. */
  readonly exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  readonly now: () => number;
  /** A random number in [0, 1). */
  readonly share: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** Time in ms in which the attempts of one round may commit. The ledger refuses them after that. */
const roundMs = 600_000;
/** No attempt starts this close to the deadline, because the ledger would refuse it as too late. */
const lastAttemptMs = 5_000;
/** Additional ledger time in ms after a round's deadline. Once it has passed, no attempt of the round can commit. */
const lapseMs = 120_000;
const unknownDelayMs = 1_000;

interface Attempt {
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly string[];
}

export class CustodyPayer {
  readonly #parts: CustodyPayerParts;

  constructor(parts: CustodyPayerParts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { store, now } = this.#parts;
    for (const row of await store.due(now())) await this.#step(row);
  }

  async #step(row: DuePayment): Promise<void> {
    const { store, end } = this.#parts;
    const { paymentId, stage } = row;
    const isPaid = stage === WithdrawalStage.paid;
    if (isPaid || stage === WithdrawalStage.givenUp) {
      await end(paymentId, isPaid);
      await store.close(paymentId);
    } else await this.#pay(row);
  }

  async #pay(row: DuePayment): Promise<void> {
    if (row.dedupOffset !== null && (await this.#isAnswered(row))) return;
    const attempt = await this.#begin(row);
    if (attempt === null) {
      await this.#postpone(row, "not enough coins are free");
      return;
    }
    const { network, store, instruments } = this.#parts;
    const { paymentId, asset, units, destination } = row;
    const reference = paymentReference(store.kind, paymentId);
    const outcome = await network.transfer({
      ...this.#change(row, attempt),
      leg: {
        legId: reference,
        sender: network.custody,
        receiver: destination,
        instrument: present(
          instruments.get(asset),
          "the asset must have an instrument on the ledger",
        ),
        amount: units,
        inputs: attempt.inputs,
      },
      reference,
      isDirectOnly: true,
      requestedAtMs: attempt.deadlineMs - roundMs,
      executeBeforeMs: attempt.deadlineMs,
    });
    if (outcome.kind !== "committed") await this.#after(row, outcome);
    else await store.paid(paymentId, outcome.updateId, outcome.offset);
  }

  /** Looks up earlier attempts of the round on the ledger. True if nothing may be sent now. */
  async #isAnswered(row: DuePayment): Promise<boolean> {
    const { network, store, now } = this.#parts;
    const { paymentId } = row;
    const attempt = attemptOf(row);
    const found = await network.lookup(this.#change(row, attempt));
    if (found.kind === "committed") {
      await store.paid(paymentId, found.updateId, found.offset);
      return true;
    }
    if (now() < attempt.deadlineMs - lastAttemptMs) return false;
    const ledgerMs = Date.parse(found.recordTime ?? "");
    if (ledgerMs > attempt.deadlineMs + lapseMs)
      await this.#giveBack(row, "no attempt committed before the deadline");
    else await store.postpone(paymentId, now() + unknownDelayMs, "waiting for the deadline");
    return true;
  }

  /** Stores and returns the attempt to send; null if too few coins are free, or if the payment is no longer open. */
  async #begin(row: DuePayment): Promise<Attempt | null> {
    const { network, store, coins, exclusively, now, newId } = this.#parts;
    const { paymentId, asset, units } = row;
    const submissionId = newId();
    const earlier = row.dedupOffset === null ? null : attemptOf(row);
    const dedupOffset = earlier?.dedupOffset ?? (await network.ledgerEnd());
    const deadlineMs = earlier?.deadlineMs ?? now() + roundMs;
    return exclusively(async () => {
      const party = network.custody;
      const free = earlier === null ? await coins.freeCoins(party, asset) : [];
      const own = free.map((coin) => ({ ...coin, party, asset, isLocked: false }));
      // Later attempts of a round spend the same coins, so that at most one can commit.
      const inputs = earlier?.inputs ?? chooseCoins(own, units);
      if (inputs === null) return null;
      const attempt = { dedupOffset, deadlineMs, submissionId, inputs };
      const isBegun = await store.begin({ paymentId, ...attempt });
      return isBegun ? attempt : null;
    });
  }

  #change({ paymentId, round }: DuePayment, attempt: Attempt): ChangeKey {
    const { dedupOffset, submissionId } = attempt;
    const actAs = [this.#parts.network.custody];
    return {
      commandId: paymentCommandId(this.#parts.store.kind, paymentId, round),
      actAs,
      dedupOffset,
      submissionId,
    };
  }

  async #after(row: DuePayment, outcome: Exclude<Outcome, { kind: "committed" }>): Promise<void> {
    const { store, now, log } = this.#parts;
    const { paymentId } = row;
    const reason = outcome.message;
    // While an earlier attempt may still commit, no answer to this attempt ends the round.
    if (outcome.kind === "unknown" || row.isUnknown) {
      await store.postpone(paymentId, now() + unknownDelayMs, reason);
      return;
    }
    const isHopeless = outcome.action === "stop" || outcome.action === "fallback";
    if (!isHopeless) {
      await this.#giveBack(row, reason);
      return;
    }
    log.warn({ kind: store.kind, paymentId, reason }, "a custody payment has failed for good");
    await store.giveUp(paymentId, reason);
  }

  /** Ends a round of which no attempt has committed or can still commit. */
  async #giveBack(row: DuePayment, reason: string): Promise<void> {
    const { store, now, share } = this.#parts;
    const attempts = row.attempts + 1;
    const dueMs = now() + retryDelayMs(attempts, share(), true);
    await store.endRound(row.paymentId, dueMs, reason);
    if (isGivenUp(attempts, now() - row.createdMs)) await store.giveUp(row.paymentId, reason);
  }

  /** Postpones a payment for which nothing could be sent. */
  async #postpone(row: DuePayment, reason: string): Promise<void> {
    const { store, now, share, log } = this.#parts;
    log.warn({ kind: store.kind, paymentId: row.paymentId, reason }, "a custody payment waits");
    await store.postpone(row.paymentId, now() + retryDelayMs(3, share(), false), reason);
  }
}

function attemptOf({ dedupOffset, deadlineMs, submissionId, inputs }: DuePayment): Attempt {
  assert(
    dedupOffset !== null && deadlineMs !== null && submissionId !== null && inputs.length > 0,
    "the attempt must be stored first",
  );
  return { dedupOffset, deadlineMs, submissionId, inputs };
}
