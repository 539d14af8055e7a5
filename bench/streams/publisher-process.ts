// A publisher of trades in a process of its own: either a front of the venue, told of trades as they
// commit, or a bare server that publishes texts of the same length. Both are driven alike: so many
// trades now, or so many a second.

import * as uWS from "uWebSockets.js";
import { createGateway } from "../../src/adapters/gateway/gateway.ts";
import { systemClock } from "../../src/adapters/runtime/system-clock.ts";
import { Wallet } from "../../src/core/accounts.ts";
import { present } from "../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../src/core/events.ts";
import { VenueState } from "../../src/engine/clearing/venue-state.ts";
import { ConnectionCounter } from "../../src/services/access/connection-counter.ts";
import { RateLimiter } from "../../src/services/access/rate-limiter.ts";
import { SecretBox } from "../../src/services/access/secret-box.ts";
import { testMarkets } from "../../test/support/test-markets.ts";
import { TestVenue } from "../../test/support/test-venue.ts";
import { entropy, KeyStoreDouble, ListenKeysDouble } from "../../test/surface/front-fixture.ts";
import { HistoryDouble } from "../../test/surface/history-double.ts";
import { listen } from "../baseline/uws-echo.ts";

export type PublisherKind = "front" | "bare";

export type PublisherOrder =
  | { readonly start: PublisherKind }
  | { readonly publish: number }
  | { readonly perSecond: number; readonly forMs: number };

interface Publisher {
  readonly port: number;
  /** Makes one trade known; answers its id. */
  publish(): number;
}

/** Trades a front can be told of in one run. */
const tradesRecorded = 20_000;

/** What a venue says while two accounts trade: acceptance of a resting and of an incoming order, match. */
function recordedEvents(): VenueEvent[] {
  const events: VenueEvent[] = [];
  const venue = new TestVenue({ onEvent: (event) => events.push({ ...event }) });
  const seller = venue.fund(10n ** 15n);
  venue.credit(seller, Wallet.spot, 1, 10n ** 17n);
  const buyer = venue.fund(10n ** 15n);
  for (let trade = 0; trade < tradesRecorded; trade++) {
    venue.sell(seller, 0, 1500, 1000);
    venue.buy(buyer, 0, 1500, 1000);
    // Copies of all that was said would be walked at every command.
    venue.events.length = 0;
    venue.replies.length = 0;
  }
  return events;
}

/** A front as the venue has it, with the recorded events in place of the journal's. */
async function startFront(): Promise<Publisher> {
  const events = recordedEvents();
  const state = new VenueState(testMarkets, { remembersClientIds: false });
  const gateway = createGateway({
    state,
    name: "front-0",
    source: 1,
    isSoleFront: true,
    sink: { trySend: () => false },
    history: new HistoryDouble(testMarkets),
    keys: new KeyStoreDouble(),
    secretBox: new SecretBox(entropy.bytes(32), entropy),
    limiterMemory: RateLimiter.allocate(1),
    trustedProxies: ["127.0.0.1"],
    deadlineMs: 30_000,
    streams: {
      counterMemory: ConnectionCounter.allocate(1),
      connectionsPerAddressMax: 16,
      pingMs: 20_000,
      pongTimeoutMs: 60_000,
      listenKeys: new ListenKeysDouble(),
      listenKeyMs: 3_600_000,
      entropy,
    },
    clock: systemClock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    health: () => ({ isOk: true, seq: state.seq, committedSeq: state.seq, lagMs: 0 }),
    venueMetrics: async () => "",
    catchUp: () => {},
  });
  await gateway.prepare();
  let next = 0;
  return {
    port: await gateway.listen("127.0.0.1", 0),
    publish: () => {
      for (;;) {
        const event = present(events[next++], "trades enough were recorded");
        gateway.fold(event);
        if (event.kind === EventKind.traded) return event.tradeId;
      }
    },
  };
}

/** The least there can be: one topic, one text a trade. */
async function startBare(): Promise<Publisher> {
  const app = uWS.App();
  app.ws("/*", { maxBackpressure: 2 ** 20, open: (socket) => void socket.subscribe("trades") });
  const port = await listen(app);
  let id = 0;
  return {
    port,
    publish: () => {
      id++;
      const nowMs = Date.now();
      app.publish(
        "trades",
        `{"e":"trade","E":${nowMs},"s":"CC-USDC","t":${id},"p":"0.1500","q":"100.0","T":${nowMs},"m":false,"M":true}`,
      );
      return id;
    },
  };
}

/** Publishes at a steady rate; answers when each trade was made known, in microseconds. */
function pace(publisher: Publisher, perSecond: number, forMs: number): void {
  const stamps: [id: number, atUs: number][] = [];
  const startMs = performance.now();
  const timer = setInterval(() => {
    const elapsedMs = Math.min(performance.now() - startMs, forMs);
    const due = Math.floor((elapsedMs * perSecond) / 1000);
    while (stamps.length < due) {
      const atUs = (performance.timeOrigin + performance.now()) * 1000;
      stamps.push([publisher.publish(), atUs]);
    }
    if (elapsedMs < forMs) return;
    clearInterval(timer);
    process.send?.({ stamps });
  }, 1);
}

let publisher: Publisher | null = null;

async function take(order: PublisherOrder): Promise<void> {
  if ("start" in order) {
    publisher = await (order.start === "front" ? startFront() : startBare());
    process.send?.({ port: publisher.port });
  } else if (publisher !== null && "publish" in order) {
    for (let count = 0; count < order.publish; count++) publisher.publish();
  } else if (publisher !== null && "perSecond" in order) {
    pace(publisher, order.perSecond, order.forMs);
  }
}

process.on("message", (order: PublisherOrder) => void take(order));
process.once("disconnect", () => process.exit(0));
