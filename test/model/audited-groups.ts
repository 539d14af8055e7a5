// Market-maker protection as the auditor sees it: it adds up each window anew at every fill. An order may close for its
// group's sake only after a fill has triggered the group.

import assert from "node:assert/strict";
import {
  EventKind,
  type MakerGroupSet,
  type Traded,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import { groupFillsMax } from "../../src/core/maker-limits.ts";
import type { MarketTable } from "../../src/core/markets.ts";

interface AuditedGroup {
  readonly terms: MakerGroupSet;
  fills: { tsUs: number; qty: number; value: number }[];
  isTriggered: boolean;
}

/** An order of a fill or of a close. */
interface GroupedOrder {
  readonly account: number;
  readonly market: number;
  readonly isReduceOnly: boolean;
}

export class AuditedGroups {
  readonly #table: MarketTable;
  readonly #groups = new Map<string, AuditedGroup>();
  /** `account/market` of all that were ever in a triggered group: cancels may be answered after a reset. */
  readonly #triggered = new Set<string>();

  constructor(table: MarketTable) {
    this.#table = table;
  }

  note(event: VenueEvent): void {
    if (event.kind === EventKind.makerGroupSet) {
      const key = `${event.account}/${event.group}`;
      assert(this.#groups.get(key)?.isTriggered !== true, "a triggered group must be reset first");
      const set = { terms: { ...event }, fills: [], isTriggered: false };
      if (event.markets === 0) this.#groups.delete(key);
      else this.#groups.set(key, set);
    } else if (event.kind === EventKind.makerGroupReset) {
      const group = this.#groups.get(`${event.account}/${event.group}`);
      assert(group !== undefined, "a group that is reset must exist");
      group.fills = [];
      group.isTriggered = false;
    }
  }

  trade(event: Traded, orders: readonly (GroupedOrder | undefined)[]): void {
    for (const order of orders) {
      const group = order && this.#of(order);
      if (order === undefined || group === undefined || group.isTriggered) continue;
      const { lotDecimals, tickDecimals } = this.#table.market(event.market);
      const qty = event.qty / 10 ** lotDecimals;
      const value = (qty * event.price) / 10 ** tickDecimals;
      group.fills.push({ tsUs: event.tsUs, qty, value });
      group.isTriggered = this.#isReached(group, event.tsUs);
      if (!group.isTriggered) continue;
      for (const { id } of this.#table.markets) {
        if (((group.terms.markets >> id) & 1) === 1) this.#triggered.add(`${order.account}/${id}`);
      }
    }
  }

  /** Asserts that the group of an order that was closed for its sake has been triggered. */
  judgeClose({ account, market, isReduceOnly }: GroupedOrder): void {
    assert(!isReduceOnly, "a reduce-only order is in no group");
    assert(
      this.#triggered.has(`${account}/${market}`),
      "only a trigger may close a group's orders",
    );
  }

  #of({ account, market, isReduceOnly }: GroupedOrder): AuditedGroup | undefined {
    if (isReduceOnly) return undefined;
    return [...this.#groups.values()].find(
      ({ terms }) => terms.account === account && ((terms.markets >> market) & 1) === 1,
    );
  }

  #isReached(group: AuditedGroup, tsUs: number): boolean {
    const { terms } = group;
    const counted = group.fills.filter((fill) => fill.tsUs > tsUs - terms.windowUs);
    group.fills = counted;
    const first = this.#table.market(terms.market);
    const qty = counted.reduce((sum, fill) => sum + fill.qty, 0);
    const value = counted.reduce((sum, fill) => sum + fill.value, 0);
    const qtyLimit = terms.qtyLimit / 10 ** first.lotDecimals;
    const valueLimit = Number(terms.valueLimit) / 10 ** first.quote.decimals;
    assert(counted.length <= groupFillsMax, "the count of a group must be bounded");
    // Sums of decimal fractions may be a little too small.
    const least = 1 - 1e-9;
    return (
      (qtyLimit > 0 && qty >= qtyLimit * least) ||
      (valueLimit > 0 && value >= valueLimit * least) ||
      counted.length >= terms.countLimit
    );
  }
}
