// Market-maker protection: groups of an account's markets with limits on what its orders there may execute within a
// rolling window of event time. A fill that reaches a limit triggers its group; clearing refuses new orders of a
// triggered group and cancels the open ones. What each fill counted is kept for as long as the window, so sums are exact.
// The count of fills has a limit in every group, which bounds that memory.

import { assert, present } from "../../../core/assert.ts";
import { marketsMax } from "../../../core/limits.ts";
import { groupFillsMax, groupsPerAccountMax } from "../../../core/maker-limits.ts";
import type { Market } from "../../../core/markets.ts";

/** A group as its owner has set it. Limits of 0 are none. */
export interface MakerGroupTerms {
  readonly account: number;
  /** The owner's number for it, 1 … groupsPerAccountMax. */
  readonly group: number;
  /** One bit for each market, by its number. */
  readonly markets: number;
  /** Length of the window in microseconds. */
  readonly windowUs: number;
  /** Limits: lots of the first market, minor units of its quote asset, and number of fills. */
  readonly qtyLimit: number;
  readonly valueLimit: bigint;
  readonly countLimit: number;
}

/** What one fill counted. */
export interface GroupFill {
  readonly tsUs: number;
  /** Hundred-millionths of the base asset, so that markets with different lots can be added. */
  readonly qty: bigint;
  /** Minor units of the quote asset. */
  readonly value: bigint;
}

/** A row of a snapshot. */
export interface MakerGroupRow extends MakerGroupTerms {
  readonly triggeredUs: number;
}

/** A fill of a group, in a snapshot. */
export interface GroupFillRow extends GroupFill {
  readonly account: number;
  readonly group: number;
}

/** Units of `GroupFill.qty` in one lot of a market with these decimals. */
export function unitsPerLot(lotDecimals: number): bigint {
  assert(lotDecimals <= 8, "a lot must be a whole number of hundred-millionths");
  return 10n ** BigInt(8 - lotDecimals);
}

export class MakerGroup {
  readonly terms: MakerGroupTerms;
  /** `qtyLimit` in the units of fills; 0n for none. */
  readonly qtyMax: bigint;
  /** Microseconds of the fill that reached a limit; 0 while the group is not triggered. */
  triggeredUs = 0;
  readonly #fills: GroupFill[] = [];
  #head = 0;
  #qty = 0n;
  #value = 0n;

  constructor(terms: MakerGroupTerms, qtyMax: bigint) {
    this.terms = terms;
    this.qtyMax = qtyMax;
  }

  /** Fills in the window, as of the last one. */
  get fills(): readonly GroupFill[] {
    return this.#fills.slice(this.#head);
  }

  /** What is counted in the window that ends at `nowUs`. */
  countedAt(nowUs: number): {
    readonly qty: bigint;
    readonly value: bigint;
    readonly count: number;
  } {
    let [qty, value, count] = [0n, 0n, 0];
    for (const fill of this.fills) {
      if (fill.tsUs <= nowUs - this.terms.windowUs) continue;
      qty += fill.qty;
      value += fill.value;
      count++;
    }
    return { qty, value, count };
  }

  /** Counts a fill; triggers the group if a limit is reached now. A triggered group counts nothing. */
  count(fill: GroupFill): void {
    if (this.triggeredUs > 0) return;
    this.#expire(fill.tsUs - this.terms.windowUs);
    this.#push(fill);
    const { valueLimit, countLimit } = this.terms;
    const isReached =
      (this.qtyMax > 0n && this.#qty >= this.qtyMax) ||
      (valueLimit > 0n && this.#value >= valueLimit) ||
      this.#fills.length - this.#head >= countLimit;
    if (isReached) this.triggeredUs = fill.tsUs;
  }

  /** Restores a fill of a snapshot. */
  restoreFill(fill: GroupFill): void {
    this.#push(fill);
  }

  /** Forgets all fills and accepts orders again. */
  reset(): void {
    this.#fills.length = 0;
    this.#head = 0;
    this.#qty = 0n;
    this.#value = 0n;
    this.triggeredUs = 0;
  }

  #push(fill: GroupFill): void {
    assert(
      this.#fills.length - this.#head < groupFillsMax,
      "a group must be triggered before its window is full",
    );
    this.#fills.push(fill);
    this.#qty += fill.qty;
    this.#value += fill.value;
  }

  /** Drops the fills up to `untilUs`. */
  #expire(untilUs: number): void {
    for (let fill = this.#fills[this.#head]; fill !== undefined; fill = this.#fills[this.#head]) {
      if (fill.tsUs > untilUs) break;
      this.#qty -= fill.qty;
      this.#value -= fill.value;
      this.#head++;
    }
    assert(this.#qty >= 0n && this.#value >= 0n, "a window must not count less than nothing");
    if (this.#head <= groupFillsMax) return;
    this.#fills.splice(0, this.#head);
    this.#head = 0;
  }
}

export class MakerGroups {
  /** Number of groups. A field, because every order reads it. */
  count = 0;
  /** By account × (groupsPerAccountMax + 1) + group. */
  readonly #groups = new Map<number, MakerGroup>();
  /** By account × marketsMax + market; a market is in at most one group of an account. */
  readonly #byMarket = new Map<number, MakerGroup>();

  get(account: number, group: number): MakerGroup | undefined {
    return this.#groups.get(keyOf(account, group));
  }

  /** The group to which the account's orders in the market belong. */
  of(account: number, market: number): MakerGroup | undefined {
    return this.#byMarket.get(account * marketsMax + market);
  }

  /** Sets a group, which then has counted nothing; asserts that no other group has one of its markets. */
  set(terms: MakerGroupTerms, qtyMax: bigint): MakerGroup {
    const { account, group, markets } = terms;
    assert(markets !== 0, "a group must have a market");
    this.remove(account, group);
    const made = new MakerGroup(terms, qtyMax);
    for (const market of marketsIn(markets)) {
      assert(this.of(account, market) === undefined, "a market must be in one group of an account");
      this.#byMarket.set(account * marketsMax + market, made);
    }
    this.#groups.set(keyOf(account, group), made);
    this.count = this.#groups.size;
    return made;
  }

  /** Removes a group, if it exists. */
  remove(account: number, group: number): void {
    const found = this.get(account, group);
    if (found === undefined) return;
    this.#groups.delete(keyOf(account, group));
    this.count = this.#groups.size;
    for (const market of marketsIn(found.terms.markets)) {
      this.#byMarket.delete(account * marketsMax + market);
    }
  }

  /** The account's groups, by number. */
  ofAccount(account: number): MakerGroup[] {
    const numbers = Array.from({ length: groupsPerAccountMax }, (_, at) => at + 1);
    return numbers.flatMap((group) => this.get(account, group) ?? []);
  }

  /** All groups for a snapshot, by account and number. */
  rows(): MakerGroupRow[] {
    return this.all().map(({ terms, triggeredUs }) => ({ ...terms, triggeredUs }));
  }

  /** What all groups have counted, for a snapshot: by account and number, oldest first. */
  fills(): GroupFillRow[] {
    return this.all().flatMap(({ terms: { account, group }, fills }) =>
      fills.map((fill) => ({ account, group, ...fill })),
    );
  }

  /** Restores one fill of a snapshot; asserts that its group exists. */
  restoreFill({ account, group, tsUs, qty, value }: GroupFillRow): void {
    present(this.get(account, group), "the group of a fill must exist").restoreFill({
      tsUs,
      qty,
      value,
    });
  }

  /** All groups, by account and number. */
  all(): MakerGroup[] {
    const keys = [...this.#groups.keys()].sort((one, other) => one - other);
    return keys.map((key) => present(this.#groups.get(key), "every key must have a group"));
  }
}

function keyOf(account: number, group: number): number {
  return account * (groupsPerAccountMax + 1) + group;
}

/** A set of markets as bits, one for each by its number. */
export function bitsOf(markets: readonly Pick<Market, "id">[]): number {
  return markets.reduce((bits, { id }) => bits | (1 << id), 0);
}

/** The lowest number of a market in a set of bits, which must not be empty. */
export function firstMarketIn(markets: number): number {
  assert(markets !== 0, "a set of markets must not be empty");
  return 31 - Math.clz32(markets & -markets);
}

/** The numbers of the markets in a set of bits. */
export function marketsIn(markets: number): number[] {
  const found: number[] = [];
  for (let market = 0; market < marketsMax; market++) {
    if (((markets >>> market) & 1) === 1) found.push(market);
  }
  return found;
}
