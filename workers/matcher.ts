// A matcher thread: single writer of the books of its markets. Order slots are shared only between clearing and the
// matchers: both restore the same seed, so a resting order has the same slot in both.

import { runBlocking } from "../src/adapters/runtime/agent-runner.ts";
import { MatcherAgent, RingReplySink } from "../src/adapters/runtime/matcher-agent.ts";
import { present } from "../src/core/assert.ts";
import type { MatchRequest } from "../src/core/generated/messages.ts";
import { matcherReplyRingBytes } from "../src/core/limits.ts";
import { isPerpetual } from "../src/core/markets.ts";
import { MatchingEngine } from "../src/engine/matching/matching-engine.ts";
import { warmUp } from "../src/engine/matching/warm-up.ts";
import { restingOrders, restingOrdersOf } from "../src/engine/state/snapshot/resting-orders.ts";
import {
  openPositions,
  positionsOf,
  type VenueSnapshot,
} from "../src/engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../src/engine/state/venue-state.ts";
import { unpackSnapshot } from "../src/wire/snapshot-codec.ts";
import { SpscRing } from "../src/wire/spsc-ring.ts";
import {
  bellOf,
  marketTable,
  mayFollow,
  openSeed,
  tellMain,
  vitalsOf,
  workerInit,
} from "./init.ts";
import { seeded } from "./seeded.ts";

const own = await workerInit();
const memory = present(own.memory.matchers[own.index], "the rings of this matcher");
const isOwn = (market: number) => market % own.memory.matchers.length === own.index;

if (own.settings.warmUp) warm();

const replies = new SpscRing(memory.replies);
const ownMarkets = own.markets.filter(({ id }) => isOwn(id));

/** The books of this matcher's markets with all resting orders, of a state or of what is stored of one. */
function openBooks(source: VenueState | VenueSnapshot): MatchingEngine {
  const isState = source instanceof VenueState;
  const engine = new MatchingEngine({
    markets: ownMarkets.map(({ id }) => id),
    perpetuals: ownMarkets.filter(isPerpetual).map(({ id }) => id),
    sink: new RingReplySink(replies),
  });
  for (const { market, account, lots } of isState ? openPositions(source) : positionsOf(source)) {
    if (isOwn(market)) engine.restorePosition(market, account, lots);
  }
  const restore = (order: Readonly<MatchRequest>) => {
    if (isOwn(order.market)) engine.restore(order);
  };
  if (isState) restingOrders(source, restore);
  else restingOrdersOf(source, restore);
  return engine;
}

// Only a venue that follows needs the whole state here: its events are applied until the venue leads.
const follows = mayFollow(own);
const { opened: engine } = await seeded({
  follows,
  open: (bytes) =>
    follows
      ? openSeed(bytes, marketTable(own), { remembersClientIds: false })
      : (unpackSnapshot(bytes) as VenueSnapshot),
  build: openBooks,
});
const clearingBell = bellOf(own.memory, own.slots.clearing);
const agent = new MatcherAgent({ roleName: own.name, memory, replies, engine, clearingBell });
tellMain({ kind: "ready", thread: own.name });
runBlocking(agent, vitalsOf(own, { hasLoop: false }));

/** Lets the compiler see the hot paths before the first order. */
function warm(): void {
  const memory = SpscRing.allocate(matcherReplyRingBytes);
  const scratch = new SpscRing(memory);
  const drain = new SpscRing(memory);
  warmUp(new RingReplySink(scratch), () => {
    scratch.publish();
    while (drain.next() >= 0);
    drain.release();
  });
}
