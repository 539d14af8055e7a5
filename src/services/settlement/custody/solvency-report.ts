// What the venue owes beside what custody holds, asset by asset. The books are taken at one seq, the
// ledger at one offset that is not before it, and what is between the two is told; so the surplus of a
// venue changes only when somebody outside gives or takes, whatever is on its way.
//
//   surplus = ledger holdings + in flight − liabilities
//
// What a failed batch or a frozen member owes is no part of it: that is told beside it, as claims.

import { present } from "../../../core/assert.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { Asset } from "../../../core/money/assets.ts";
import { toLedgerAmount } from "../../../core/money/ledger-amount.ts";
import { heldOf, liabilitiesOf } from "../../../engine/state/liabilities.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import type { Clock } from "../../../ports/clock.ts";
import type {
  CrossingFills,
  LedgerMoment,
  SolvencyReader,
} from "../../../ports/ledger/solvency.ts";

// What is on its way between the venue's books and custody's coins: already in the one, not yet in the
// other. Pure.
//
//   books + in flight + claims = coins, but for what was there before anybody traded

/** Minor units by asset id. */
interface Crossings {
  /** Positive toward custody. */
  readonly inFlight: readonly bigint[];
  /** What is owed to custody and may never come: none below 0. */
  readonly claims: readonly bigint[];
}

/**
 * What is on its way. Fills that may never be settled are netted by themselves: what custody owes for them
 * is in flight as ever, what it is owed is a claim, so that no surplus counts on it. Spec SLV-3, SLV-5.
 */
export function crossingsOf(
  table: MarketTable,
  { fills, payments }: Pick<LedgerMoment, "fills" | "payments">,
): Crossings {
  const inFlight = table.assets.map(() => 0n);
  const claims = table.assets.map(() => 0n);
  const doubtful = new Map<string, bigint[]>();
  for (const group of fills) {
    const nets = group.doubtful === null ? inFlight : netsOf(doubtful, group.doubtful, table);
    const { base, quote } = custodyChange(table, group);
    const market = table.market(group.market);
    addTo(nets, present(market.base, "a spot market has a base").id, base * BigInt(group.sign));
    addTo(nets, market.quote.id, quote * BigInt(group.sign));
  }
  for (const nets of doubtful.values()) {
    for (const [asset, amount] of nets.entries())
      addTo(amount > 0n ? claims : inFlight, asset, amount);
  }
  for (const { asset, amount } of payments) addTo(inFlight, asset, amount);
  return { inFlight, claims };
}

function netsOf(all: Map<string, bigint[]>, name: string, table: MarketTable): bigint[] {
  const known = all.get(name);
  if (known !== undefined) return known;
  const nets = table.assets.map(() => 0n);
  all.set(name, nets);
  return nets;
}

function addTo(amounts: bigint[], asset: number, amount: bigint): void {
  amounts[asset] = present(amounts[asset], "an asset of the venue") + amount;
}

/** What custody gets by fills with members: their fee is kept back from what it sends. */
function custodyChange(table: MarketTable, group: CrossingFills): { base: bigint; quote: bigint } {
  const { isMemberBuyer, lots, quote, memberFee } = group;
  const base = lots * table.market(group.market).baseUnitsPerLot;
  return isMemberBuyer ? { base: memberFee - base, quote } : { base, quote: memberFee - quote };
}

export interface SolvencyReportParts {
  /** Folded up to what was committed when it was last asked for. */
  readonly state: VenueState;
  readonly reader: SolvencyReader;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** One asset; amounts in units of 10^−10. */
export interface SolvencyItem {
  readonly asset: Asset;
  readonly liabilities: bigint;
  /** Of the liabilities, what nobody can take out before it is settled. */
  readonly held: bigint;
  readonly holdings: bigint;
  readonly inFlight: bigint;
  /** What is owed to custody and may never come. */
  readonly claims: bigint;
  readonly surplus: bigint;
  readonly asOfMs: number;
  readonly ledgerOffset: number;
}

/** Why there is no report now. */
export type NoReport = "unreached" | "uneven";

/** Deposits are read a moment after coins; a report waits for that, at most so many times and so long. */
const looksMax = 150;
const lookMs = 20;
const waitMs = 10_000;
/** So long only where a report of before can be shown instead, and how old that may be. */
const freshWaitMs = 1_000;
const cacheMs = 300_000;

/** What the books say at one seq, minor units by asset id. */
interface Owed {
  readonly liabilities: readonly bigint[];
  readonly held: readonly bigint[];
  readonly asOfMs: number;
}

export class SolvencyReport {
  readonly #parts: SolvencyReportParts;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly SolvencyItem[] | NoReport> | null = null;
  /** The newest report, shown again while the ledger's two readings do not meet. */
  #last: readonly SolvencyItem[] | null = null;

  constructor(parts: SolvencyReportParts) {
    this.#parts = parts;
  }

  /** One is made at a time: who asks while it is gets the next one, together with all others. */
  items(): Promise<readonly SolvencyItem[] | NoReport> {
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        const made = this.#make();
        this.#running = made;
        return made;
      });
    return this.#next;
  }

  async #make(): Promise<readonly SolvencyItem[] | NoReport> {
    const { state, reader, clock, pause } = this.#parts;
    const beganMs = clock.nowMs();
    const cached = this.#cachedAt(beganMs);
    const untilMs = beganMs + (cached === null ? waitMs : freshWaitMs);
    for (let looks = 1; ; looks++) {
      // All of it before anything else is folded: one moment of the books.
      const { seq, nextTradeId, withdrawals } = state;
      const pendingWithdrawals = [...withdrawals.all()].map(({ withdrawalId }) => withdrawalId);
      const asOfMs = clock.nowMs();
      const owed = { liabilities: liabilitiesOf(state), held: heldOf(state), asOfMs };
      const ledger = await reader.read({ seq, nextTradeId, pendingWithdrawals });
      if (typeof ledger !== "string") {
        this.#last = this.#items(owed, ledger);
        return this.#last;
      }
      if (ledger === "unreached") return ledger;
      if (looks >= looksMax || clock.nowMs() >= untilMs) return cached ?? ledger;
      await pause(lookMs);
    }
  }

  #cachedAt(nowMs: number): readonly SolvencyItem[] | null {
    const asOfMs = this.#last?.[0]?.asOfMs ?? Number.NEGATIVE_INFINITY;
    return nowMs - asOfMs <= cacheMs ? this.#last : null;
  }

  #items(owed: Owed, ledger: LedgerMoment): SolvencyItem[] {
    const { table } = this.#parts.state;
    const crossings = crossingsOf(table, ledger);
    const { asOfMs } = owed;
    const { ledgerOffset } = ledger;
    return ledger.holdings.map(({ asset: id, units: holdings }) => {
      const asset = table.asset(id);
      const units = (minor: readonly bigint[]) => toLedgerAmount(minor[id] ?? 0n, asset.decimals);
      const [liabilities, held] = [units(owed.liabilities), units(owed.held)];
      const [inFlight, claims] = [units(crossings.inFlight), units(crossings.claims)];
      const surplus = holdings + inFlight - liabilities;
      const sums = { liabilities, held, holdings, inFlight, claims, surplus };
      return { asset, ...sums, asOfMs, ledgerOffset };
    });
  }
}
