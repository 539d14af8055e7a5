// A barrier of the main thread holds what it sends next until the matchers have answered what came before. Clearing and a
// matcher take turns on this thread, over the real rings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClearingAgent } from "../../src/adapters/runtime/clearing-agent.ts";
import { MatcherAgent, RingReplySink } from "../../src/adapters/runtime/matcher-agent.ts";
import { clearingClientSources } from "../../src/adapters/runtime/venue-memory.ts";
import { present } from "../../src/core/assert.ts";
import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { MatchingEngine } from "../../src/engine/matching/matching-engine.ts";
import { createTopology } from "../../src/venue/topology.ts";
import { CountersBuffer } from "../../src/wire/counters-buffer.ts";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { commandBytes, encodeCommand } from "../../src/wire/generated/command-codec.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { startUs, TestVenue } from "../support/machine/test-venue.ts";

/** Clearing and the matcher of all markets, over rings. */
function venueThreads() {
  const venue = new TestVenue();
  const account = venue.fund(1_000_000n * oneUsdc);
  const topology = { fronts: 1, matchers: 1, gatewaySlots: 0, limiterSeed: 1 };
  const { memory, slots, threadNames } = createTopology(topology);
  const clearing = new ClearingAgent({
    ...{ state: venue.state, memory, slots, opensWithoutIndex: true, inputLog: null },
    counters: new CountersBuffer(CountersBuffer.allocate(threadNames.length)),
    ...{ markIntervalUs: 1e6, fundingIntervalUs: 1e9, rewardIntervalUs: 1e9 },
  });
  const rings = present(memory.matchers[0], "there is a matcher");
  const replies = new SpscRing(rings.replies);
  const matcher = new MatcherAgent({
    ...{ roleName: "matcher", memory: rings, replies },
    engine: new MatchingEngine({
      ...{ markets: [marketId.ccUsdc], perpetuals: [] },
      sink: new RingReplySink(replies),
    }),
    clearingBell: new Doorbell(Doorbell.allocate()),
  });
  return { account, memory, clearing, matcher };
}

const order = (account: number, price: number) =>
  ({
    ...{ kind: CommandKind.placeOrder, account, market: marketId.ccUsdc, side: Side.buy },
    ...{ type: OrderType.limit, timeInForce: TimeInForce.gtc, price, qty: 1000 },
    ...{ ...noOptions, reusesClientId: false, clientId: "", attached: null },
  }) as const;

for (const [who, held] of [
  ["the main thread", true],
  ["a front", false],
] as const)
  test(`REW-64 a barrier of ${who} ${held ? "holds" : "does not hold"} its later commands`, () => {
    const { account, memory, clearing, matcher } = venueThreads();
    const source = held ? clearingClientSources(memory).main : 0;
    const ring = new SpscRing(present(memory.sources[source], "the source has rings").orders);
    const send = (correlation: number, command: object) => {
      const deadlineUs = startUs + 1e9;
      const stamped = { source, correlation, atUs: startUs + 1, deadlineUs, ...command } as Command;
      encodeCommand(ring, ring.claim(commandBytes(stamped)), stamped);
      ring.commit();
    };
    send(1, order(account, 1500));
    send(2, { kind: CommandKind.barrier, account: 0 });
    send(3, order(account, 1501));
    ring.publish();
    for (let cycle = 0; cycle < 3; cycle++) clearing.doWork();
    assert.equal(clearing.hasWork(), false, "clearing may sleep");
    assert.equal(matcher.doWork(), held ? 1 : 2);
    clearing.doWork();
    assert.equal(matcher.doWork(), held ? 1 : 0);
  });
