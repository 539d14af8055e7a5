// An auditor of settlement. It uses only journal events and its own arithmetic of what each fill moves between parties.
// At the end it checks the ledger, the batches and the venue's state: each fill is settled once, and each coin is with
// its owner.

import assert from "node:assert/strict";
import {
  AccountFlag,
  AccountType,
  firstCustomerAccount,
  Wallet,
} from "../../../src/core/accounts.ts";
import { EventKind, type Traded, type VenueEvent } from "../../../src/core/generated/events.ts";
import type { MarketTable } from "../../../src/core/markets.ts";
import { Side } from "../../../src/core/orders.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import { BatchState } from "../../../src/ports/ledger/batch-states.ts";
import type { Party } from "../../../src/ports/ledger/ledger.ts";
import { naiveWorth } from "../../model/naive-worth.ts";
import type { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import type { SimulatedSettlement } from "./simulated-settlement.ts";

export interface SettlementSubjects {
  readonly state: VenueState;
  readonly ledger: SimulatedLedger;
  readonly rows: SimulatedSettlement;
  /** Deposits from outside less withdrawals, in minor units; the key is `party asset`. */
  readonly brought: ReadonlyMap<string, bigint>;
}

interface Move {
  readonly party: Party;
  readonly asset: number;
  readonly amount: bigint;
}

export class SettlementAudit {
  readonly #table: MarketTable;
  readonly #parties: ReadonlyMap<number, Party>;
  readonly #custody: Party;
  /** For each trade between two parties, the amounts that its fill adds to or takes from a party. */
  readonly #moves = new Map<number, readonly Move[]>();

  constructor(table: MarketTable, parties: ReadonlyMap<number, Party>, custody: Party) {
    this.#table = table;
    this.#parties = parties;
    this.#custody = custody;
  }

  /** Number of fills to settle on the ledger. */
  get fills(): number {
    return this.#moves.size;
  }

  take(event: VenueEvent): void {
    if (event.kind !== EventKind.traded) return;
    const { base } = this.#table.market(event.market);
    const [taker, maker] = [this.#partyOf(event.account), this.#partyOf(event.makerAccount)];
    if (base === null || taker === maker) return;
    this.#moves.set(event.tradeId, this.#movesOf(event, base.id));
  }

  /**
   * Returns a fill's movements: each side gives what it sold and gets what it bought, and custody collects the fees.
   */
  #movesOf(event: Traded, base: number): Move[] {
    const market = this.#table.market(event.market);
    const { quote, baseUnitsPerLot } = market;
    const lots = BigInt(event.qty) * baseUnitsPerLot;
    const value = naiveWorth(market, BigInt(event.price) * BigInt(event.qty));
    const sides = [
      { account: event.account, isBuyer: event.takerSide === Side.buy, fee: event.takerFee },
      { account: event.makerAccount, isBuyer: event.takerSide !== Side.buy, fee: event.makerFee },
    ];
    return sides.flatMap(({ account, isBuyer, fee }) => {
      const party = this.#partyOf(account);
      const asset = isBuyer ? base : quote.id;
      return [
        { party, asset: base, amount: isBuyer ? lots : -lots },
        { party, asset: quote.id, amount: isBuyer ? -value : value },
        { party, asset, amount: -fee },
        { party: this.#custody, asset, amount: fee },
      ];
    });
  }

  #partyOf(account: number): Party {
    return this.#parties.get(account) ?? this.#custody;
  }

  /** Compares everything. Call it when settlement has finished. */
  judge(subjects: SettlementSubjects): void {
    this.#judgeBatches(subjects);
    this.#judgeCoins(subjects);
    this.#judgeWallets(subjects);
  }

  #judgeBatches({ rows, ledger }: SettlementSubjects): void {
    const batchOf = new Map<number, string>();
    const times = new Map<string, number>();
    for (const { batchId } of ledger.settled) times.set(batchId, (times.get(batchId) ?? 0) + 1);
    for (const { batchId, state, fills, legs, updateId } of rows.batches) {
      for (const tradeId of fills) {
        assert(!batchOf.has(tradeId), "A fill must be in only one batch");
        batchOf.set(tradeId, batchId);
      }
      const isSettled = state === BatchState.confirmed && legs.length > 0;
      const expected = isSettled ? 1 : 0;
      assert.equal(times.get(batchId) ?? 0, expected, "A batch must be settled on the ledger once");
      times.delete(batchId);
      if (isSettled)
        assert(
          ledger.settled.some((one) => one.batchId === batchId && one.updateId === updateId),
          "A batch must name the update that settled it",
        );
      const isOver = state === BatchState.confirmed || fills.length === 0;
      assert(isOver, "Every fill must be settled in the end");
    }
    assert.equal(times.size, 0, "The ledger may settle only batches that the venue knows");
    for (const tradeId of this.#moves.keys())
      assert(batchOf.has(tradeId), "Every fill between two parties must be in a batch");
    assert.equal(batchOf.size, this.#moves.size, "Only fills between two parties may be settled");
  }

  /** Checks that every party owns exactly the coins that its deposits and fills gave it. */
  #judgeCoins({ ledger, brought }: SettlementSubjects): void {
    const expected = new Map(brought);
    for (const moves of this.#moves.values())
      for (const { party, asset, amount } of moves) add(expected, `${party} ${asset}`, amount);
    const held = new Map<string, bigint>();
    const parties = new Set([...expected.keys()].map((name) => name.split(" ", 1)[0]));
    for (const { owner, instrument, amount } of ledger.coins()) {
      // Skip parties that only swap: swap-audit.ts checks their coins.
      if (!parties.has(owner)) continue;
      const asset = this.#table.findAsset(instrument.id);
      assert(asset !== undefined, "A coin must belong to an asset");
      const unit = 10n ** BigInt(10 - asset.decimals);
      assert.equal(amount % unit, 0n, "Coins must be whole minor units");
      add(held, `${owner} ${asset.id}`, amount / unit);
    }
    for (const name of new Set([...expected.keys(), ...held.keys()]))
      assert.equal(
        held.get(name) ?? 0n,
        expected.get(name) ?? 0n,
        `The coins of ${name} must follow from deposits and fills`,
      );
  }

  /**
   * Checks that a member may trade, that its spot wallet equals its party's holdings and that nothing is pending on the
   * ledger.
   */
  #judgeWallets({ state, ledger }: SettlementSubjects): void {
    // Leave out coins that are locked for a swap: the venue counts them as gone, even after the swap's deadline.
    const swapped = new Set(
      ledger.participant.active().flatMap(({ contract, lock }) => {
        return lock === null || contract.payload["swap"] === undefined ? [] : [lock.coinId];
      }),
    );
    for (const [account, party] of this.#parties) {
      assert.equal(state.accounts.typeOf(account), AccountType.wallet);
      for (const { id, code, decimals } of this.#table.assets) {
        const coins = ledger.coins(party).filter(({ instrument, contractId }) => {
          return instrument.id === code && !swapped.has(contractId);
        });
        const units = coins.reduce((sum, { amount }) => sum + amount, 0n);
        const total = state.balances.total(account, Wallet.spot, id);
        assert.equal(
          total,
          units / 10n ** BigInt(10 - decimals),
          `Spot wallet ${account} in ${code} must equal the party's holdings`,
        );
      }
      const { enrolled, frozenBySettlement } = AccountFlag;
      const flags = state.accounts.flagsOf(account) & (enrolled | frozenBySettlement);
      assert.equal(flags, enrolled, `Member ${account} must be able to trade`);
    }
    for (let account = 1; account < state.accounts.next; account++) {
      if (account < firstCustomerAccount && !state.accounts.exists(account)) continue;
      for (const { id } of this.#table.assets)
        assert.equal(state.unsettled.of(account, id), 0n, "all proceeds that arrived must be free");
    }
    assert.deepEqual(state.swapHolds.all(), [], "amounts held for swaps must be released");
  }
}

function add(sums: Map<string, bigint>, name: string, amount: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + amount);
}
