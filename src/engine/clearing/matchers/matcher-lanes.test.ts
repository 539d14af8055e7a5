// Barriers: a barrier is answered once all requests that were in flight when it arrived have been answered. It does not
// wait for requests that are sent after it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { Side } from "../../../core/orders.ts";

const { btcPerp, ethPerp } = marketId;

test("a barrier is answered at once with the last seq if no request is in flight", () => {
  const venue = new TestVenue();
  venue.open();
  const reply = venue.send({ kind: CommandKind.barrier });
  assert.equal(reply.lastSeq, venue.state.seq);
  assert.equal(reply.subject, 0);
});

test("a barrier waits for all earlier requests on every lane of every matcher", () => {
  const venue = new TestVenue({ matcherCount: 2 });
  const account = venue.fund(1000n * oneUsdc);
  const resting = venue.buy(account, btcPerp, 9000, 1);
  const order = (market: number) =>
    orderCommand({ account, market, side: Side.buy, price: 10_000, qty: 1 });
  venue.take(order(btcPerp));
  venue.take(order(ethPerp));
  venue.take({
    kind: CommandKind.cancelOrder,
    account,
    market: btcPerp,
    orderId: resting,
    clientId: "",
  });
  const barriers = [
    venue.take({ kind: CommandKind.barrier }),
    venue.take({ kind: CommandKind.barrier }),
  ];
  venue.take(order(btcPerp));
  const isAnswered = () => venue.replies.some(({ correlation }) => barriers.includes(correlation));
  for (const [matcher, lane] of [
    [0, MatchLane.cancels],
    [0, MatchLane.orders],
  ] as const) {
    venue.machine.answerNext(matcher, lane);
    assert(!isAnswered());
  }
  venue.machine.answerNext(1, MatchLane.orders);
  for (const barrier of barriers) assert.equal(venue.replyTo(barrier).lastSeq, venue.state.seq);
  assert.equal(venue.machine.waiting(0, MatchLane.orders), 1, "what came later still waits");
  venue.machine.settle();
});
