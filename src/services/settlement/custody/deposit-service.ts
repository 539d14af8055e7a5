// Credits each payment that custody receives to the account named by the payment's reference. Each coin is stored as a
// row together with the ledger cursor. A row is credited under an idempotency key, so clearing credits it once; if the
// reply was lost, the journal is searched before the next attempt.
//
//   coin seen ──▶ pending ──▶ credited
//           │        └──▶ unclaimed    clearing refuses the credit
//           ├──▶ unclaimed             no reference, or no such customer
//           └──▶ too small             below the minimum deposit; the coin stays with custody

import { accountOfReference } from "../../../core/ids/deposit-reference.ts";
import type { MarketTable } from "../../../core/markets.ts";
import { ledgerDecimals } from "../../../core/money/ledger-amount.ts";
import {
  type CustodyStore,
  type DepositRow,
  DepositState,
  type Receipt,
} from "../../../ports/ledger/custody.ts";
import type { IncomingCoin, Instrument, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { Log } from "../../../ports/log.ts";

export interface DepositServiceParts {
  readonly store: CustodyStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  readonly committedSeq: () => number;
  /** Whether `account` is an open customer account. */
  readonly isCustomer: (account: number) => Promise<boolean>;
  /** The seq of the event that credited the deposit; null if the journal has none after the deposit's `seqBefore`. */
  readonly creditSeqOf: (deposit: DepositRow) => Promise<number | null>;
  /** Credits the deposit once and resolves with the credit's seq. "unanswered" is retried, "refused" is not. */
  readonly credit: (deposit: DepositRow) => Promise<number | "refused" | "unanswered">;
  readonly log: Log;
}

const pagesMax = 100;

export class DepositService {
  readonly #parts: DepositServiceParts;

  constructor(parts: DepositServiceParts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    await this.#read();
    const { store, credit, creditSeqOf, committedSeq, log } = this.#parts;
    for (const deposit of await store.openDeposits()) {
      const { depositId, seqBefore } = deposit;
      const earlier = seqBefore === null ? null : await creditSeqOf(deposit);
      if (earlier !== null) {
        await store.credited(depositId, earlier);
        continue;
      }
      const before = seqBefore ?? committedSeq();
      await store.beginCredit(depositId, before);
      const credited = await credit({ ...deposit, seqBefore: before });
      if (typeof credited === "number") await store.credited(depositId, credited);
      else if (credited === "refused") {
        log.error({ depositId }, "clearing refuses a deposit; it is stored as unclaimed");
        await store.unclaimed(depositId);
      }
    }
  }

  /** Reads ledger updates after the stored cursor. The first call starts at the ledger's current end. */
  async #read(): Promise<void> {
    const { store, network } = this.#parts;
    const from = await store.depositCursor();
    if (from === null) {
      await store.addReceipts([], await network.ledgerEnd());
      return;
    }
    const minimums = await store.depositMinimums();
    for (let after = from, pages = 0; pages < pagesMax; pages++) {
      const { coins, through } = await network.incoming(after);
      if (through === after) return;
      const receipts: Receipt[] = [];
      for (const coin of coins) receipts.push(...(await this.#receipt(coin, minimums)));
      await store.addReceipts(receipts, through);
      after = through;
    }
  }

  async #receipt(
    coin: IncomingCoin,
    minimums: ReadonlyMap<number, bigint>,
  ): Promise<readonly Receipt[]> {
    const { table, instruments, isCustomer } = this.#parts;
    const { holding, updateId, recordTime, sender, reference } = coin;
    const { admin, id } = holding.instrument;
    const asset = table.assets.find((each) => {
      const own = instruments.get(each.id);
      return own?.admin === admin && own.id === id;
    });
    // The venue does not list the coin's asset.
    if (asset === undefined) return [];
    // Rounded down: fractions of a minor unit stay with the venue. Spec DEP-2.
    const amount = holding.amount / 10n ** BigInt(ledgerDecimals - asset.decimals);
    const named = accountOfReference(reference ?? "");
    const account = named !== null && (await isCustomer(named)) ? named : null;
    const least = minimums.get(asset.id) ?? 1n;
    const state =
      account === null
        ? DepositState.unclaimed
        : amount < least
          ? DepositState.tooSmall
          : DepositState.pending;
    return [
      {
        contractId: holding.contractId,
        updateId,
        offset: holding.createdOffset,
        recordedMs: Date.parse(recordTime),
        sender,
        asset: asset.id,
        units: holding.amount,
        amount,
        reference,
        account,
        state,
      },
    ];
  }
}
