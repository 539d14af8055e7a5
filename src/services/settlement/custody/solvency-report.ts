// Compares the venue's liabilities with custody's holdings, by asset. The liabilities are read at one seq, and the
// holdings afterwards at one ledger offset. Amounts that only one of the two readings includes are shown as
// in flight. The surplus therefore changes only when money is added or removed from outside.
//
// surplus = ledger holdings + in flight − liabilities
//
// Amounts owed to custody by failed batches or frozen members do not count; they are shown separately as claims.

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

/**
 * Amounts that are booked either in the venue's balances or on the ledger, but not yet in both. In minor units by asset
 * id. The sums satisfy:
 *
 * custody's coins + in flight + claims = liabilities + the coins that custody had before the first trade
 */
interface Crossings {
  /** Positive for amounts on their way to custody. */
  readonly inFlight: readonly bigint[];
  /** Amounts owed to custody that may never be paid; at least 0. */
  readonly claims: readonly bigint[];
}

/**
 * Amounts in flight and claims. Fills that may never settle are netted separately. What custody owes for such fills
 * counts as in flight; what others owe custody for them counts as a claim, so that no surplus depends on it. Spec
 * SLV-3, SLV-5.
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
    addTo(
      nets,
      present(market.base, "a spot market must have a base asset").id,
      base * BigInt(group.sign),
    );
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
  amounts[asset] = present(amounts[asset], "the asset must be one of the venue's") + amount;
}

/** What custody receives by fills with members, negative if it pays. The members' fee reduces what custody pays. */
function custodyChange(table: MarketTable, group: CrossingFills): { base: bigint; quote: bigint } {
  const { isMemberBuyer, lots, quote, memberFee } = group;
  const base = lots * table.market(group.market).baseUnitsPerLot;
  return isMemberBuyer ? { base: memberFee - base, quote } : { base, quote: memberFee - quote };
}

/** What custody has of an asset, in units of 10^−10. */
interface Cover {
  readonly holdings: bigint;
  readonly inFlight: bigint;
  readonly claims: bigint;
  readonly surplus: bigint;
}

/** The cover of each asset on the ledger, by asset id, against the liabilities in minor units. Spec SLV-1. */
export function coverOf(
  table: MarketTable,
  ledger: LedgerMoment,
  liabilities: readonly bigint[],
): ReadonlyMap<number, Cover> {
  const crossings = crossingsOf(table, ledger);
  return new Map(
    ledger.holdings.map(({ asset: id, units: holdings }) => {
      const { decimals } = table.asset(id);
      const units = (minor: readonly bigint[]) => toLedgerAmount(minor[id] ?? 0n, decimals);
      const [inFlight, claims] = [units(crossings.inFlight), units(crossings.claims)];
      return [
        id,
        { holdings, inFlight, claims, surplus: holdings + inFlight - units(liabilities) },
      ];
    }),
  );
}

export interface SolvencyReportParts {
  /** The front's read model. It folds further events while the report waits for the ledger. */
  readonly state: VenueState;
  readonly reader: SolvencyReader;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
}

/** One asset; amounts in units of 10^−10. */
export interface SolvencyItem {
  readonly asset: Asset;
  readonly liabilities: bigint;
  /** The part of the liabilities that cannot be withdrawn before it is settled. */
  readonly held: bigint;
  readonly holdings: bigint;
  readonly inFlight: bigint;
  /** Amount owed to custody that may never be paid. */
  readonly claims: bigint;
  readonly surplus: bigint;
  readonly asOfMs: number;
  readonly ledgerOffset: number;
}

/**
 * Why no report is available. `unreached`: the ledger was never reached. `uneven`: the parts of the ledger's data were
 * not all read up to the same offset.
 */
export type NoReport = "unreached" | "uneven";

/**
 * The venue reads deposits from the ledger slightly later than coins, so the two may end at different offsets at first.
 * A report then reads again every `lookMs`, at most `looksMax` times and for at most `waitMs`.
 */
const looksMax = 150;
const lookMs = 20;
const waitMs = 10_000;
/** If a report of at most `cacheMs` ago can be shown instead, a new report waits only `freshWaitMs`. */
const freshWaitMs = 1_000;
const cacheMs = 300_000;

/** The books at one seq, in minor units by asset id. */
interface Owed {
  readonly liabilities: readonly bigint[];
  readonly held: readonly bigint[];
  readonly asOfMs: number;
}

export class SolvencyReport {
  readonly #parts: SolvencyReportParts;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly SolvencyItem[] | NoReport> | null = null;
  /** The newest report, shown while the parts of the ledger's data end at different offsets. */
  #last: readonly SolvencyItem[] | null = null;

  constructor(parts: SolvencyReportParts) {
    this.#parts = parts;
  }

  /** Computes one report at a time. All callers that arrive during a computation share the next report. */
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
      // Read everything before more events are folded, so that all amounts are those of one seq.
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

  #items({ liabilities, held, asOfMs }: Owed, ledger: LedgerMoment): SolvencyItem[] {
    const { table } = this.#parts.state;
    const { ledgerOffset } = ledger;
    return [...coverOf(table, ledger, liabilities)].map(([id, cover]) => {
      const asset = table.asset(id);
      const units = (minor: readonly bigint[]) => toLedgerAmount(minor[id] ?? 0n, asset.decimals);
      const owed = { liabilities: units(liabilities), held: units(held) };
      return { asset, ...owed, ...cover, asOfMs, ledgerOffset };
    });
  }
}
