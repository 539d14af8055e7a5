// Applies the events of maker groups, and counts fills in them. That a fill triggers a group is no event of its own: it
// follows from the fill, so both are in one transaction, and a replay triggers at the same fill.

import { assert, unreachable } from "../../../core/assert.ts";
import {
  EventKind,
  type MakerGroupReset,
  type MakerGroupSet,
  type Traded,
} from "../../../core/generated/events.ts";
import { bigintOf } from "../../../core/money/amounts.ts";
import { OrderFlag } from "../orders/order-table.ts";
import {
  firstMarketIn,
  type MakerGroup,
  type MakerGroupTerms,
  unitsPerLot,
} from "../tables/maker-groups.ts";
import type { VenueState } from "../venue-state.ts";

/** Applies the event; asserts that it fits the state. */
export function applyMakerGroup(state: VenueState, event: MakerGroupSet | MakerGroupReset): void {
  const { makerGroups } = state;
  const { account, group } = event;
  switch (event.kind) {
    case EventKind.makerGroupSet:
      if (event.markets === 0) makerGroups.remove(account, group);
      else setMakerGroup(state, event);
      break;
    case EventKind.makerGroupReset: {
      const found = makerGroups.get(account, group);
      assert(found !== undefined, "a group must exist when it is reset");
      found.reset();
      break;
    }
    default:
      unreachable(event);
  }
}

/** Sets a group, which has at least one market; its quantity limit is in lots of the first of its markets. */
export function setMakerGroup(
  { makerGroups, table }: VenueState,
  { account, group, markets, windowUs, qtyLimit, valueLimit, countLimit }: MakerGroupTerms,
): MakerGroup {
  const { lotDecimals } = table.market(firstMarketIn(markets));
  const qtyMax = bigintOf(qtyLimit) * unitsPerLot(lotDecimals);
  const terms = { account, group, markets, windowUs, qtyLimit, valueLimit, countLimit };
  return makerGroups.set(terms, qtyMax);
}

/** Counts a match in the groups of both accounts, before its orders close. */
export function countInGroups(
  state: VenueState,
  event: Traded,
  {
    taker,
    maker,
    value,
  }: { readonly taker: number; readonly maker: number; readonly value: bigint },
): void {
  if (state.makerGroups.count === 0) return;
  countFor(state, event, event.account, taker, value);
  countFor(state, event, event.makerAccount, maker, value);
}

function countFor(
  { makerGroups, orders, table }: VenueState,
  { market, qty, tsUs }: Traded,
  account: number,
  slot: number,
  value: bigint,
): void {
  const group = makerGroups.of(account, market);
  if (group === undefined || orders.has(slot, OrderFlag.reduceOnly)) return;
  group.count({ tsUs, qty: bigintOf(qty) * unitsPerLot(table.market(market).lotDecimals), value });
}
