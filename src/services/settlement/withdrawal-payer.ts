// Pays withdrawals from custody's coins, each once. As with batches, what is about to be sent is written
// first, all attempts of a round share command id, coins and deadline, and a round ends only when the
// ledger said no to its only attempt, or when its deadline has passed there and no completion is there.
//
//   requested ─▶ processing ─▶ paid ─clearing─▶ completed
//        ▲            │
//        └─new round──┴─▶ given up ─clearing─▶ failed, its money back

import { assert, present } from "../../core/assert.ts";
import { toLedgerAmount } from "../../core/ledger-amount.ts";
import type { MarketTable } from "../../core/markets.ts";
import { type CustodyStore, type DueWithdrawal, WithdrawalStage } from "../../ports/custody.ts";
import type { ChangeKey, Instrument, LedgerNetwork, Outcome } from "../../ports/ledger.ts";
import type { Log } from "../../ports/log.ts";
import { chooseCoins } from "./coin-choice.ts";
import { withdrawalCommandId } from "./custody-changes.ts";
import { isGivenUp, retryDelayMs } from "./retry-delay.ts";

export interface WithdrawalPayerParts {
  readonly store: CustodyStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Tells clearing how a withdrawal ended; done too where it has been told before. */
  readonly end: (withdrawalId: number, isCompleted: boolean) => Promise<void>;
  /** Runs a step while settlement chooses no coins. */
  readonly exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  readonly now: () => number;
  /** A random share from 0 up to 1. */
  readonly share: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** How long the attempts of one round may commit; the ledger itself refuses them afterwards. */
const roundMs = 600_000;
/** No attempt is begun so close to the deadline that it would only be refused. */
const lastAttemptMs = 5_000;
/** A deadline counts as passed on the ledger this long after it. */
const lapseMs = 120_000;
const unknownDelayMs = 1_000;

interface Attempt {
  readonly dedupOffset: number;
  readonly deadlineMs: number;
  readonly submissionId: string;
  readonly inputs: readonly string[];
}

export class WithdrawalPayer {
  readonly #parts: WithdrawalPayerParts;

  constructor(parts: WithdrawalPayerParts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { store, now } = this.#parts;
    while ((await store.takeRequested()) > 0);
    for (const row of await store.dueWithdrawals(now())) await this.#step(row);
  }

  async #step(row: DueWithdrawal): Promise<void> {
    const { store, end } = this.#parts;
    const { withdrawalId, stage } = row;
    const isPaid = stage === WithdrawalStage.paid;
    if (isPaid || stage === WithdrawalStage.givenUp) {
      await end(withdrawalId, isPaid);
      await store.close(withdrawalId);
    } else await this.#pay(row);
  }

  async #pay(row: DueWithdrawal): Promise<void> {
    if (row.dedupOffset !== null && (await this.#isAnswered(row))) return;
    const attempt = await this.#begin(row);
    if (attempt === null) {
      await this.#postpone(row, "not enough coins are free");
      return;
    }
    const { network, store, table, instruments } = this.#parts;
    const { withdrawalId, asset, amount, fee, destination } = row;
    const { decimals } = table.asset(asset);
    const outcome = await network.transfer({
      ...this.#change(row, attempt),
      leg: {
        legId: `w-${withdrawalId}`,
        sender: network.custody,
        receiver: destination,
        instrument: present(instruments.get(asset), "an asset on the ledger"),
        amount: toLedgerAmount(amount - fee, decimals),
        inputs: attempt.inputs,
      },
      reference: `w-${withdrawalId}`,
      isDirectOnly: true,
      requestedAtMs: attempt.deadlineMs - roundMs,
      executeBeforeMs: attempt.deadlineMs,
    });
    if (outcome.kind !== "committed") await this.#after(row, outcome);
    else await store.paid(withdrawalId, outcome.updateId, outcome.offset);
  }

  /** Looks for an earlier attempt of the round; true where nothing is to be sent now. */
  async #isAnswered(row: DueWithdrawal): Promise<boolean> {
    const { network, store, now } = this.#parts;
    const { withdrawalId } = row;
    const attempt = attemptOf(row);
    const found = await network.lookup(this.#change(row, attempt));
    if (found.kind === "committed") {
      await store.paid(withdrawalId, found.updateId, found.offset);
      return true;
    }
    if (now() < attempt.deadlineMs - lastAttemptMs) return false;
    const ledgerMs = found.kind === "absent" ? Date.parse(found.recordTime ?? "") : now();
    if (ledgerMs > attempt.deadlineMs + lapseMs)
      await this.#giveBack(row, "no attempt was in time");
    else await store.postpone(withdrawalId, now() + unknownDelayMs, "waiting for the deadline");
    return true;
  }

  /** What to send, written down before it is; null where coins are short. */
  async #begin(row: DueWithdrawal): Promise<Attempt | null> {
    const { network, store, table, exclusively, now, newId } = this.#parts;
    const { withdrawalId, asset } = row;
    const submissionId = newId();
    const earlier = row.dedupOffset === null ? null : attemptOf(row);
    const dedupOffset = earlier?.dedupOffset ?? (await network.ledgerEnd());
    const deadlineMs = earlier?.deadlineMs ?? now() + roundMs;
    return exclusively(async () => {
      const { decimals } = table.asset(asset);
      const units = toLedgerAmount(row.amount - row.fee, decimals);
      const party = network.custody;
      const free = earlier === null ? await store.freeCoins(party, asset) : [];
      const coins = free.map((coin) => ({ ...coin, party, asset, isLocked: false }));
      // An attempt that follows another of its round spends the same coins: at most one can commit.
      const inputs = earlier?.inputs ?? chooseCoins(coins, units);
      if (inputs === null) return null;
      const attempt = { dedupOffset, deadlineMs, submissionId, inputs };
      const isBegun = await store.beginAttempt({ withdrawalId, ...attempt });
      return isBegun ? attempt : null;
    });
  }

  #change({ withdrawalId, round }: DueWithdrawal, attempt: Attempt): ChangeKey {
    const { dedupOffset, submissionId } = attempt;
    const actAs = [this.#parts.network.custody];
    return {
      commandId: withdrawalCommandId(withdrawalId, round),
      actAs,
      dedupOffset,
      submissionId,
    };
  }

  async #after(
    row: DueWithdrawal,
    outcome: Exclude<Outcome, { kind: "committed" }>,
  ): Promise<void> {
    const { store, now, log } = this.#parts;
    const { withdrawalId } = row;
    const reason = outcome.words;
    // While an earlier attempt may still commit, no answer to this one ends the round.
    if (outcome.kind === "unknown" || row.isUnknown) {
      await store.postpone(withdrawalId, now() + unknownDelayMs, reason);
      return;
    }
    const isHopeless = outcome.action === "stop" || outcome.action === "fallback";
    if (!isHopeless) {
      await this.#giveBack(row, reason);
      return;
    }
    log.warn({ withdrawalId, reason }, "a withdrawal cannot be paid: its money goes back");
    await store.giveUp(withdrawalId, reason);
  }

  /** Ends the round: nothing of it is or comes on the ledger. */
  async #giveBack(row: DueWithdrawal, reason: string): Promise<void> {
    const { store, now, share } = this.#parts;
    const attempts = row.attempts + 1;
    const dueMs = now() + retryDelayMs(attempts, share(), true);
    await store.endRound(row.withdrawalId, dueMs, reason);
    if (isGivenUp(attempts, now() - row.createdMs)) await store.giveUp(row.withdrawalId, reason);
  }

  /** Nothing was sent. */
  async #postpone(row: DueWithdrawal, reason: string): Promise<void> {
    const { store, now, share, log } = this.#parts;
    log.warn({ withdrawalId: row.withdrawalId, reason }, "a withdrawal waits");
    await store.postpone(row.withdrawalId, now() + retryDelayMs(3, share(), false), reason);
  }
}

function attemptOf({ dedupOffset, deadlineMs, submissionId, inputs }: DueWithdrawal): Attempt {
  assert(
    dedupOffset !== null && deadlineMs !== null && submissionId !== null && inputs.length > 0,
    "an attempt was written down",
  );
  return { dedupOffset, deadlineMs, submissionId, inputs };
}
