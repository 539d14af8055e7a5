// A publisher of trades in its own process: either a front of the venue, which reads them from its ring of committed
// events, or a bare server that publishes texts of the same length. A committing thread wakes either kind in the same
// way.

import * as uWS from "uWebSockets.js";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { createGateway } from "../../src/adapters/gateway/gateway.ts";
import { loadServerLibrary } from "../../src/adapters/gateway/server/server-library.ts";
import type { Agent } from "../../src/adapters/runtime/agent.ts";
import { EventLoopRunner } from "../../src/adapters/runtime/agent-runner.ts";
import { FrontAgent } from "../../src/adapters/runtime/front-agent.ts";
import { systemClock } from "../../src/adapters/runtime/system-clock.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { ConnectionCounter } from "../../src/services/access/connection-counter.ts";
import { PublicAuthority } from "../../src/services/access/public-authority.ts";
import { RateLimiter } from "../../src/services/access/rate-limiter.ts";
import { SecretBox } from "../../src/services/access/secret-box.ts";
import { AnswerCounts } from "../../src/wire/answer-counts.ts";
import { CountersBuffer } from "../../src/wire/counters-buffer.ts";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import { noCustody, noSolvency, noTraffic } from "../../test/support/front/no-custody.ts";
import { noAnchors, noEpochs, noLiabilities } from "../../test/support/front/no-epochs.ts";
import { noProviders } from "../../test/support/front/no-providers.ts";
import { noSwaps } from "../../test/support/front/no-swaps.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { FakeHistory } from "../../test/surface/fake-history.ts";
import { FakeMarketSamples } from "../../test/surface/fake-market-samples.ts";
import { FakeOrderEvents } from "../../test/surface/fake-order-events.ts";
import { FakeSessionStore } from "../../test/surface/fake-session-store.ts";
import { entropy, FakeKeyStore, FakeListenKeys } from "../../test/surface/front-fixture.ts";
import { listen } from "../baseline/uws-echo.ts";

const { library } = await loadServerLibrary();

export type PublisherKind = "front" | "bare";

export type PublisherOrder =
  | { readonly start: PublisherKind }
  | { readonly publish: number }
  | { readonly perSecond: number; readonly forMs: number };

/** A message to the committing thread. */
export type CommitOrder = Exclude<PublisherOrder, { readonly start: PublisherKind }>;

export interface CommitThreadData {
  readonly kind: PublisherKind;
  readonly committed: SharedArrayBuffer;
  readonly doorbell: SharedArrayBuffer;
}

interface Publisher {
  readonly port: number;
  readonly agent: Agent;
}

const ringBytes = 2 ** 22;

const well = {
  ...{ isOk: true, refusing: null, lagMs: 0, isClockHeld: false, solvency: "unknown" as const },
  ...{ role: null, away: null, told: [] },
} as const;

/** Starts a front as in the venue. */
async function startFront(ring: SpscRing, counters: CountersBuffer): Promise<Publisher> {
  const state = new VenueState(testMarkets, { remembersClientIds: false });
  const gateway = createGateway({
    serverLibrary: library,
    pages: [],
    state,
    name: "front-0",
    source: 1,
    isSoleFront: true,
    isLedgerStale: () => false,
    isStoreAway: () => false,
    isStrict: false,
    build: { version: "0.0.0", commit: null, startedAt: "", isRewind: false },
    sink: { trySend: () => false },
    samples: new FakeMarketSamples(),
    history: new FakeHistory(testMarkets),
    orderEvents: new FakeOrderEvents(),
    keys: new FakeKeyStore(),
    secretBox: new SecretBox([{ version: 1, key: entropy.bytes(32) }], entropy),
    ...{ orderClaims: null, busFigures: null, waitingCommands: () => 0 },
    limiterMemory: RateLimiter.allocate(1),
    trustedProxies: ["127.0.0.1"],
    corsOrigins: [],
    deadlineMs: 30_000,
    fundingIntervalMs: 28_800_000,
    streams: {
      counterMemory: ConnectionCounter.allocate(1),
      connectionsPerAddressMax: 16,
      pingMs: 20_000,
      pongTimeoutMs: 60_000,
      listenKeys: new FakeListenKeys(),
      listenKeyMs: 3_600_000,
      entropy,
    },
    fix: null,
    native: {
      sessions: new FakeSessionStore(),
      ...{ epochs: noEpochs, anchors: noAnchors, liabilities: noLiabilities },
      members: { memberOf: async () => null },
      hasLedger: false,
      custody: noCustody,
      solvency: noSolvency,
      providers: noProviders,
      swaps: noSwaps,
      authority: new PublicAuthority(null),
      traffic: noTraffic,
      mirrorStaleMs: 90_000,
      houseFillsPerDay: 20_000,
      payees: { check: async () => "unavailable" },
      faucet: { host: async () => false, tap: async () => false, pay: async () => false },
      withdrawalTimeoutMs: 15_000,
      quoteMaxAgeMs: 60_000,
      nonceKey: new Uint8Array(32),
      entropy,
      challengeMs: 300_000,
      sessionMs: 86_400_000,
      accountsPerNetwork: 100,
      devTools: false,
      isSoundPoint: () => false,
    },
    ...{ clock: systemClock, marketClock: systemClock },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    health: () => ({ ...well, seq: state.seq, committedSeq: state.seq }),
    ...{ recent: null, answers: AnswerCounts.rowOf(AnswerCounts.allocate(1), 0) },
    venueMetrics: async () => "",
    catchUp: () => {},
  });
  await gateway.prepare();
  return {
    port: await gateway.listen("127.0.0.1", 0),
    agent: new FrontAgent({
      ...{ roleName: "front-0", ring, reader: gateway, counters, seq: 0 },
      mayAcknowledge: () => true,
    }),
  };
}

/** Publishes one text for each number in the ring. */
class BareAgent implements Agent {
  readonly roleName = "bare";
  readonly #ring: SpscRing;
  readonly #app: uWS.TemplatedApp;

  constructor(ring: SpscRing, app: uWS.TemplatedApp) {
    this.#ring = ring;
    this.#app = app;
  }

  doWork(): number {
    let count = 0;
    for (let at = this.#ring.next(); at >= 0; at = this.#ring.next()) {
      const id = this.#ring.f64[at / Float64Array.BYTES_PER_ELEMENT];
      const nowMs = Date.now();
      this.#app.publish(
        "trades",
        `{"e":"trade","E":${nowMs},"s":"CC-USDC","t":${id},"p":"0.1500","q":"100.0","T":${nowMs},"m":false,"M":true}`,
      );
      count++;
    }
    this.#ring.release();
    return count;
  }

  hasWork(): boolean {
    return !this.#ring.isEmpty();
  }

  onClose(): void {}
}

/** Starts the bare publisher: one topic, and one text per trade. */
async function startBare(ring: SpscRing): Promise<Publisher> {
  const app = uWS.App();
  app.ws("/*", { maxBackpressure: 2 ** 20, open: (socket) => void socket.subscribe("trades") });
  return { port: await listen(app), agent: new BareAgent(ring, app) };
}

async function start(kind: PublisherKind): Promise<Worker> {
  const workerData: CommitThreadData = {
    kind,
    committed: SpscRing.allocate(ringBytes),
    doorbell: Doorbell.allocate(),
  };
  const worker = new Worker(new URL("./commit-thread.js", import.meta.url), { workerData });
  await once(worker, "message");
  worker.on("message", (stamps) => process.send?.({ stamps }));
  const ring = new SpscRing(workerData.committed);
  const counters = new CountersBuffer(CountersBuffer.allocate(1));
  const { port, agent } = await (kind === "front" ? startFront(ring, counters) : startBare(ring));
  const bell = new Doorbell(workerData.doorbell);
  new EventLoopRunner(agent, { thread: 0, counters, bell, spinUs: 0, look: () => undefined });
  process.send?.({ port });
  return worker;
}

let committing: Worker | null = null;

async function take(order: PublisherOrder): Promise<void> {
  if ("start" in order) committing = await start(order.start);
  else committing?.postMessage(order);
}

process.on("message", (order: PublisherOrder) => void take(order));
process.once("disconnect", () => process.exit(0));
