// The custody cycle: renews the deposit terms that clients are shown, credits or returns deposits, pays withdrawals,
// consolidates coins and measures traffic. If a step fails, the other steps still run, and the failed step is retried
// in the next cycle.

import { CommandKind } from "../../../core/generated/commands.ts";
import type { MarketTable } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import type { ClearingClient } from "../../../ports/clearing-client.ts";
import type { CustodyStore, DepositRow, PaymentStore } from "../../../ports/ledger/custody.ts";
import type { Instrument, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { Log } from "../../../ports/log.ts";
import { CycleSchedule } from "../cycle-schedule.ts";
import { CustodyPayer } from "./custody-payer.ts";
import { DepositService } from "./deposit-service.ts";
import { HoldingConsolidator } from "./holding-consolidator.ts";
import type { TrafficMeter } from "./traffic-meter.ts";

export interface CustodyLoopParts {
  readonly pollMs: number;
  /** Age in ms at which the stored deposit terms are too old to be shown. */
  readonly quoteMaxAgeMs: number;
  readonly store: CustodyStore;
  readonly withdrawals: PaymentStore;
  readonly returns: PaymentStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Returns the registry of an instrument. */
  readonly registryOf: (instrument: Instrument) => string;
  readonly clearing: ClearingClient;
  readonly committedSeq: () => number;
  readonly isCustomer: (account: number) => Promise<boolean>;
  /** The idempotency key under which a deposit is credited. */
  readonly keyOf: (deposit: DepositRow) => RequestKey;
  readonly creditSeqOf: (deposit: DepositRow) => Promise<number | null>;
  readonly exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  readonly newId: () => string;
  /** Minimum number of coins of an asset that custody keeps. */
  readonly coinsMin: number;
  readonly traffic: TrafficMeter;
  /** The venue's time in ms. */
  readonly now: () => number;
  readonly log: Log;
}

/** Longest time that `stop` waits for the running step, because the ledger may never answer. */
const stopMsMax = 5_000;

/** Longest time without a cycle, as a share of the time for which the stored deposit terms are shown. */
const restShare = 1 / 4;

/** Clearing's reject reasons after which a retry can succeed. */
const retried: ReadonlySet<RejectReason> = new Set([
  RejectReason.deadlinePassed,
  RejectReason.venueFull,
  RejectReason.stopping,
  RejectReason.requestInFlight,
  RejectReason.tooManyRequestKeys,
]);

export class CustodyLoop {
  readonly #parts: CustodyLoopParts;
  readonly #deposits: DepositService;
  readonly #withdrawals: CustodyPayer;
  readonly #returns: CustodyPayer;
  readonly #coins: HoldingConsolidator;
  readonly #schedule: CycleSchedule;
  #turn: Promise<number> = Promise.resolve(0);
  #isStopped = false;
  /** True once deposits have been read, so that the place from which they are found is stored. */
  #hasRead = false;

  constructor(parts: CustodyLoopParts) {
    this.#parts = parts;
    const common = parts;
    this.#deposits = new DepositService({ ...common, credit: (deposit) => this.#credit(deposit) });
    const paying = { ...common, coins: parts.store, share: Math.random };
    this.#withdrawals = new CustodyPayer({
      ...paying,
      store: parts.withdrawals,
      end: (withdrawalId, isCompleted) => this.#end(withdrawalId, isCompleted),
    });
    this.#returns = new CustodyPayer({
      ...paying,
      store: parts.returns,
      end: (depositId, isPaid) => parts.store.endReturn(depositId, isPaid),
    });
    this.#coins = new HoldingConsolidator(common);
    const cycle = () => {
      this.#turn = this.#step();
      return this.#turn;
    };
    this.#schedule = new CycleSchedule({ pollMs: parts.pollMs, cycle });
  }

  /** Resolves when the running step ends, or after `stopMsMax`. A restart continues from the stored state. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#schedule.stop();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, stopMsMax);
    });
    await Promise.race([this.#turn, late]);
    clearTimeout(timer);
  }

  /** Takes note of a look for changes. */
  looked(hasChanged: boolean): void {
    if (hasChanged) this.#schedule.changed();
  }

  /** Runs a cycle. Returns how many milliseconds the next one may wait if nothing changes meanwhile. */
  async #step(): Promise<number> {
    const { pollMs, quoteMaxAgeMs, traffic } = this.#parts;
    // The first reading starts at the ledger's end, and a member learns where to pay from the quotes. So the quotes come
    // after it: a payment made before it would never be found.
    const isRead = await this.#guarded("deposits", () => this.#deposits.work());
    if (isRead) this.#hasRead = true;
    const done = [isRead];
    if (this.#hasRead) done.push(await this.#guarded("quotes", () => this.#quote()));
    done.push(
      await this.#guarded("withdrawals", () => this.#withdraw()),
      await this.#guarded("returns", () => this.#returns.work()),
      await this.#guarded("coins", () => this.#coins.work()),
      await this.#guarded("traffic", () => traffic.work()),
    );
    return done.includes(false) ? pollMs : quoteMaxAgeMs * restShare;
  }

  /** Runs a step; returns whether it succeeded. */
  async #guarded(name: string, step: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped) return false;
    try {
      await step();
      return true;
    } catch (error) {
      this.#parts.log.warn(
        { err: error, step: name },
        "a custody step failed; it is retried in the next cycle",
      );
      return false;
    }
  }

  /** Stores the deposit terms of all assets. Their time shows when the ledger last answered. */
  async #quote(): Promise<void> {
    const { store, network, instruments, registryOf } = this.#parts;
    await network.ledgerEnd();
    const assets = [...instruments].map(([asset, instrument]) => ({
      asset,
      admin: instrument.admin,
      instrument: instrument.id,
      registry: registryOf(instrument),
      custody: network.custody,
    }));
    await store.saveQuotes(assets, this.#parts.now());
  }

  async #withdraw(): Promise<void> {
    while ((await this.#parts.store.takeRequested()) > 0);
    await this.#withdrawals.work();
  }

  async #credit(deposit: DepositRow): Promise<number | "refused" | "unanswered"> {
    const { clearing, keyOf } = this.#parts;
    const { account, asset, amount } = deposit;
    const kind = CommandKind.deposit;
    const key = keyOf(deposit);
    const { reason, subject } = await clearing.send({
      kind,
      account: account ?? 0,
      asset,
      amount,
      key,
    });
    if (reason === RejectReason.none) return subject;
    return retried.has(reason) ? "unanswered" : "refused";
  }

  async #end(withdrawalId: number, isCompleted: boolean): Promise<void> {
    const kind = CommandKind.endWithdrawal;
    const { reason } = await this.#parts.clearing.send({
      kind,
      account: 0,
      withdrawalId,
      isCompleted,
    });
    // `unknownWithdrawal` means that clearing ended the withdrawal earlier and its reply was lost.
    if (reason === RejectReason.none || reason === RejectReason.unknownWithdrawal) return;
    throw new Error(`clearing did not end withdrawal ${withdrawalId}: ${reason}`);
  }
}
