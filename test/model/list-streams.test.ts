// Random days with many order lists, audited after every transaction: with usual shares of commands, few lists would be
// accepted, and hardly any working order be filled.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EventKind } from "../../src/core/generated/events.ts";
import { isPaidByWorking, type OrderListType } from "../../src/core/order-lists.ts";
import { captureState, restoreState } from "../../src/engine/state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import type { TestVenue } from "../support/machine/test-venue.ts";
import { auditedVenue } from "./clearing-runs.ts";
import { drive, streams } from "./clearing-steps.ts";
import type { Step } from "./step-scene.ts";

/** A step of this kind is a list, one of the other a limit or market order. */
const listKind = 54;
const orderKind = 10;

/** Every third step as a list, most others as orders that may fill one. */
function withLists(steps: readonly Step[]): Step[] {
  return steps.map(([kind, ...rest], at) => {
    if (at % 3 === 0) return [listKind, ...rest];
    return at % 7 === 0 ? [kind, ...rest] : [orderKind, ...rest];
  });
}

/** Orders that became active in lists whose working order pays for them. */
function paidOrders({ events }: TestVenue): number {
  const types = new Map<number, OrderListType>();
  let active = 0;
  for (const event of events) {
    if (event.kind === EventKind.orderListAccepted) {
      for (const place of [1, 2]) types.set(event.listId + place, event.listType);
    }
    const isActive =
      event.kind === EventKind.orderReleased || event.kind === EventKind.orderTriggered;
    const type = isActive ? types.get(event.orderId) : undefined;
    if (type !== undefined && isPaidByWorking(type)) active++;
  }
  return active;
}

/** Pegged orders that got their price: that of the best level, or of one behind it. */
function pricedOrders(
  { events }: TestVenue,
  kind: typeof EventKind.orderPegged | typeof EventKind.orderPeggedBehind,
): number {
  const pegged = new Set<number>();
  let priced = 0;
  for (const event of events) {
    if (event.kind === kind) pegged.add(event.orderId);
    if (event.kind === EventKind.orderTriggered && pegged.has(event.orderId)) priced++;
  }
  return priced;
}

test("SPT-86 SPT-88 SPT-105 SPT-106 SPT-112 lists hold and sell what they should on days with many lists", (t) => {
  let [active, priced, behind] = [0, 0, 0];
  fc.assert(
    fc.property(streams(1200), (steps) => {
      const { venue } = auditedVenue(2);
      for (const step of withLists(steps)) drive(venue, step);
      venue.machine.settle();
      active += paidOrders(venue);
      priced += pricedOrders(venue, EventKind.orderPegged);
      behind += pricedOrders(venue, EventKind.orderPeggedBehind);
      const copy = restoreState(testMarkets, captureState(venue.state));
      assert.equal(stateHash(copy), stateHash(venue.state), "a snapshot keeps the lists");
    }),
    { seed: 20261128, numRuns: 9, endOnFailure: true },
  );
  t.diagnostic(`${active} orders sold what their working order had bought`);
  t.diagnostic(`${priced} pegged orders got the best price, ${behind} that of a level behind it`);
  assert.ok(active > 10, "too few working orders were filled");
  assert.ok(priced > 5, "too few pegged orders got a price");
  assert.ok(behind > 5, "too few pegged orders got the price of a level behind the best one");
});
