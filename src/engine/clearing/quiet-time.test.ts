// Tests up to when clearing says that ticks have no effect. The machine asserts of every tick before that time that it
// had none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../test/support/machine/test-markets.ts";
import { sayIndex, TestVenue } from "../../../test/support/machine/test-venue.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { OrderType, TimeInForce } from "../../core/orders.ts";
import { SeededRandom } from "../../tools/load/seeded-random.ts";

const { btcPerp } = marketId;
const tickUs = 50_000;
const markUs = 1_000_000;

function tick(venue: TestVenue, atUs: number): void {
  venue.nowUs = atUs;
  const command = { ...venue.command({ kind: CommandKind.tick }), atUs, deadlineUs: atUs };
  venue.machine.handle(command);
}

function nextMarkUs(atUs: number): number {
  return (Math.floor(atUs / markUs) + 1) * markUs;
}

test("without open deadlines the time is quiet until the next marks", () => {
  const venue = new TestVenue();
  assert.equal(venue.machine.quietUntilUs, 0, "nothing is known before the first tick");
  const atUs = venue.nowUs + 70_000;
  tick(venue, atUs);
  assert.equal(venue.machine.quietUntilUs, nextMarkUs(atUs));
  venue.fund(oneUsdc);
  assert.equal(venue.machine.quietUntilUs, 0, "the next tick must consider each command");
});

test("a deadline ends the quiet time, however it was set", () => {
  const venue = new TestVenue();
  const account = venue.fund(1_000_000n * oneUsdc);
  const goodTillUs = venue.nowUs + 400_000;
  venue.buy(account, btcPerp, 10_000, 5, { timeInForce: TimeInForce.gtd, goodTillUs });
  tick(venue, venue.nowUs + tickUs);
  assert.equal(venue.machine.quietUntilUs, goodTillUs);
  tick(venue, goodTillUs);
  assert.equal(venue.events.at(-1)?.kind, EventKind.orderClosed);
  const cancelAtUs = venue.nowUs + 300_000;
  venue.done({ kind: CommandKind.setCountdown, account, market: btcPerp, cancelAtUs });
  tick(venue, venue.nowUs + tickUs);
  assert.equal(venue.machine.quietUntilUs, cancelAtUs);
});

test("no tick in a quiet time has an effect, whatever was traded before", () => {
  const random = new SeededRandom(24);
  const venue = new TestVenue({ fundingIntervalUs: 120_000_000, rewardIntervalUs: 5_000_000 });
  const accounts = [0, 1, 2].map(() => venue.fund(100_000n * oneUsdc));
  const price = () => 6_000_000 + random.below(200) * 1_000 - 100_000;
  const [referrer = 0, account = 0] = accounts;
  venue.done({ kind: CommandKind.setReferrer, account, referrer });
  let quiet = 0;
  for (let step = 0; step < 6_000; step++) {
    tick(venue, venue.nowUs + tickUs);
    if (venue.machine.quietUntilUs > venue.nowUs + tickUs) quiet++;
    if (random.below(4) > 0) continue;
    const account = accounts[random.below(accounts.length)] ?? 0;
    const side = random.below(2) as 0 | 1;
    const order = { account, market: btcPerp, side, price: price(), qty: 1 + random.below(40) };
    const dueUs = venue.nowUs + random.below(3_000_000);
    const acts = [
      () => venue.place(order),
      () => venue.place({ ...order, timeInForce: TimeInForce.gtd, goodTillUs: dueUs }),
      () => venue.place({ ...order, type: OrderType.stop, triggerPrice: price() }),
      () =>
        venue.send({ kind: CommandKind.setCountdown, account, market: btcPerp, cancelAtUs: dueUs }),
      () => sayIndex(venue, btcPerp, price()),
      () => venue.send({ kind: CommandKind.cancelAllOrders, account, market: btcPerp }),
    ];
    acts[random.below(acts.length)]?.();
  }
  const kinds = new Set(venue.events.map(({ kind }) => kind));
  for (const kind of [
    EventKind.traded,
    EventKind.fundingPaid,
    EventKind.marked,
    EventKind.rewarded,
  ])
    assert(kinds.has(kind), `the run must have an event of kind ${kind}`);
  assert(quiet > 1_000, `only ${quiet} ticks were followed by a quiet time`);
});
