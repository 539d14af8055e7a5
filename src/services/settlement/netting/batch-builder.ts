// Adds committed fills to the open batch of their pair of parties and seals batches that are due.
// BatchExecutor takes over from there.
//
//   fills ─gather─▶ open ─seal─▶ ready
//
// The nets of open batches are cached in memory. If a step fails, the cache is discarded and rebuilt from the stored
// fills.

import { present } from "../../../core/assert.ts";
import type { MarketTable } from "../../../core/markets.ts";
import { MarketKind } from "../../../core/markets.ts";
import { toLedgerAmount } from "../../../core/money/ledger-amount.ts";
import type { LedgerNetwork, Party } from "../../../ports/ledger/ledger.ts";
import type { SettledFill, SettlementStore } from "../../../ports/ledger/settlement-store.ts";
import { type FillTerms, netHash, PairNet, pairOf } from "./netting.ts";
import { type SealSettings, sealReason, sealUnit } from "./seal-rule.ts";

export interface BatchBuilderParts {
  readonly store: SettlementStore;
  readonly network: Pick<LedgerNetwork, "custody">;
  readonly table: MarketTable;
  readonly seal: SealSettings;
  /** True if settlement is short of traffic. Batches then wait longer before they are sealed. */
  readonly isTrafficScarce: () => boolean;
  readonly now: () => number;
}

interface OpenBatch {
  readonly batchId: string;
  readonly a: Party;
  readonly b: Party;
  readonly openedMs: number;
  readonly net: PairNet;
}

const fillsPerPage = 5000;

export class BatchBuilder {
  readonly #parts: BatchBuilderParts;
  #open: Map<string, OpenBatch> | null = null;

  constructor(parts: BatchBuilderParts) {
    this.#parts = parts;
  }

  /**
   * Adds the fills committed since the last call to their batches. Returns the number of fills added; a fill within one
   * party belongs to no batch.
   */
  async gather(): Promise<number> {
    const parties = await this.#parties();
    let taken = 0;
    for (;;) {
      const page = await this.#guarded((open) => this.#takePage(open, parties));
      if (page === null) return taken;
      taken += page;
      // Seal full batches while gathering, so that a backlog does not become one huge batch per pair.
      await this.#sealWhere(({ net }) => net.tradeIds.length >= this.#parts.seal.fillsMax);
    }
  }

  /** Seals the batches that have waited long enough, or all of them if `isForced`. */
  async seal(isForced = false): Promise<void> {
    if (isForced) {
      await this.#sealWhere(() => true);
      return;
    }
    const { now, seal, table, isTrafficScarce } = this.#parts;
    const unit = table.assets.findIndex(({ code }) => code === sealUnit);
    const isScarce = isTrafficScarce();
    const isShort = await this.#headroom();
    const closed = await this.#parts.store.closedMarkets();
    await this.#sealWhere((batch) => {
      const { net, openedMs } = batch;
      const state = {
        fillCount: net.tradeIds.length,
        // A batch that cannot be valued gets the shortest window, so that a large exposure never waits longer.
        exposure: net.exposure(unit) ?? seal.midExposure,
        ageMs: now() - openedMs,
        isShortOfHeadroom: isShort(batch),
        isMarketClosing: closed.some((market) => net.markets.has(market)),
      };
      return sealReason(state, isScarce, seal) !== null;
    });
  }

  async #takePage(
    open: Map<string, OpenBatch>,
    parties: (account: number) => Party,
  ): Promise<number | null> {
    const { store, table, network, now } = this.#parts;
    const markets = table.markets.filter(({ kind }) => kind === MarketKind.spot);
    const { fills, through } = await store.nextFills(
      markets.map(({ id }) => id),
      fillsPerPage,
    );
    if (through === 0) return null;
    const placed = fills.flatMap((fill) => {
      const pair = pairOf(parties(fill.buyer), parties(fill.seller));
      return pair === null ? [] : [{ fill, ...pair }];
    });
    const openedMs = now();
    const taken = await store.takeFills(placed, through, openedMs);
    const batches = new Map(taken.map(({ a, b, batchId }) => [`${a} ${b}`, batchId]));
    for (const { fill, a, b } of placed) {
      const batchId = present(batches.get(`${a} ${b}`), "every pair must have a batch");
      const found = open.get(batchId);
      const batch = found ?? {
        batchId,
        a,
        b,
        openedMs,
        net: new PairNet({ a, b }, network.custody),
      };
      if (found === undefined) open.set(batchId, batch);
      batch.net.add(this.#terms(fill, parties));
    }
    return placed.length;
  }

  async #sealWhere(isDue: (batch: OpenBatch) => boolean): Promise<void> {
    const { store } = this.#parts;
    await this.#guarded(async (open) => {
      for (const batch of [...open.values()].filter(isDue)) {
        const { batchId, net } = batch;
        const legs = net.legs();
        const sealed = { legs, netHash: netHash(legs, net.tradeIds), receipts: net.receipts() };
        await store.seal(batchId, sealed);
        open.delete(batchId);
      }
    });
  }

  /** Runs `step` on the open batches. If it fails, the cache is discarded. */
  async #guarded<T>(step: (open: Map<string, OpenBatch>) => Promise<T>): Promise<T> {
    const open = this.#open ?? (await this.#load());
    this.#open = null;
    const result = await step(open);
    this.#open = open;
    return result;
  }

  async #load(): Promise<Map<string, OpenBatch>> {
    const { store, network } = this.#parts;
    const parties = await this.#parties();
    const open = new Map<string, OpenBatch>();
    for (const { batchId, partyA: a, partyB: b, openedMs } of await store.openBatches()) {
      const net = new PairNet({ a, b }, network.custody);
      for (const fill of await store.fillsOf(batchId)) net.add(this.#terms(fill, parties));
      open.set(batchId, { batchId, a, b, openedMs, net });
    }
    return open;
  }

  /**
   * Returns a function that is true for a batch short of headroom: the free coins of a member that pays in the batch
   * are less than 110 % of what the member must deliver in all unsettled batches.
   */
  async #headroom(): Promise<(batch: OpenBatch) => boolean> {
    const { store, network, table } = this.#parts;
    const open = await this.#guarded(async (batches) => [...batches.values()]);
    if (open.length === 0) return () => false;
    const owed = new Map<string, bigint>();
    const add = (sender: Party, asset: number, amount: bigint) => {
      if (sender === network.custody) return;
      const key = purseKey(sender, asset);
      owed.set(key, (owed.get(key) ?? 0n) + amount);
    };
    for (const { net } of open)
      for (const { sender, asset, amount } of net.legs()) add(sender, asset, amount);
    if (owed.size === 0) return () => false;
    const { held, underway } = await store.purses();
    for (const { party, asset, amount } of underway) add(party, asset, amount);
    const free = new Map(held.map(({ party, asset, amount }) => [purseKey(party, asset), amount]));
    const isShort = (sender: Party, asset: number) => {
      const key = purseKey(sender, asset);
      const { decimals } = present(table.assets[asset], "the asset of a leg must be known");
      const outflow = toLedgerAmount(owed.get(key) ?? 0n, decimals);
      return (free.get(key) ?? 0n) * 100n < outflow * 110n;
    };
    return ({ net }) =>
      net.legs().some(({ sender, asset }) => sender !== network.custody && isShort(sender, asset));
  }

  async #parties(): Promise<(account: number) => Party> {
    const { store, network } = this.#parts;
    const members = await store.members();
    const byAccount = new Map(members.map(({ account, party }) => [account, party]));
    return (account) => byAccount.get(account) ?? network.custody;
  }

  #terms(fill: SettledFill, parties: (account: number) => Party): FillTerms {
    const market = present(
      this.#parts.table.markets[fill.market],
      "the market of a fill must be known",
    );
    const { tradeId, qty, quote, buyerFee, sellerFee } = fill;
    return {
      tradeId,
      market: market.id,
      buyer: parties(fill.buyer),
      seller: parties(fill.seller),
      buyerAccount: fill.buyer,
      sellerAccount: fill.seller,
      base: present(market.base, "a spot market must have a base asset").id,
      quote: market.quote.id,
      baseAmount: BigInt(qty) * market.baseUnitsPerLot,
      quoteAmount: quote,
      buyerFee,
      sellerFee,
    };
  }
}

function purseKey(party: Party, asset: number): string {
  return `${asset} ${party}`;
}
