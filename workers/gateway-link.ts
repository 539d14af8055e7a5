// Connects a front of a gateway process with the leader. The front is the same as in a venue; only what is behind its
// rings differs.

import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { Gateway } from "../src/adapters/gateway/gateway.ts";
import { NatsBus } from "../src/adapters/nats/nats-bus.ts";
import { PostgresEventStore } from "../src/adapters/postgres/event-store.ts";
import { isRetryable } from "../src/adapters/postgres/retryable.ts";
import type { ThreadVitals } from "../src/adapters/runtime/agent-runner.ts";
import { GatewayPump } from "../src/adapters/runtime/bus/gateway-pump.ts";
import type { FrontAgent } from "../src/adapters/runtime/front-agent.ts";
import { systemEntropy } from "../src/adapters/runtime/system-entropy.ts";
import type { VenueClock } from "../src/adapters/runtime/venue-clock.ts";
import type { SourceMemory } from "../src/adapters/runtime/venue-memory.ts";
import type { SettlementFigures } from "../src/adapters/telemetry/settlement-figures.ts";
import { present } from "../src/core/assert.ts";
import { clientIdBytesMax } from "../src/core/limits.ts";
import type { Log } from "../src/ports/log.ts";
import { GroupFollower } from "../src/services/bus/group-follower.ts";
import { OrderClaims } from "../src/services/bus/order-claims.ts";
import { tellMain, type WorkerInit } from "./init.ts";

/** Pause in ms between two looks whether the front may open. */
const lookMs = 10;

/** Before the front follows its leader. */
const noFigures = {
  queued: 0,
  unanswered: 0,
  gaps: 0,
  resends: 0,
  refused: 0,
  discarded: 0,
  leaderAwayMs: 0,
  busAwayMs: 0,
} as const;

interface FrontParts {
  readonly agent: FrontAgent;
  readonly gateway: Gateway;
  readonly wake: () => void;
  /** Seq of the state with which the front started. */
  readonly seq: number;
  readonly clock: VenueClock;
  readonly ledger: SettlementFigures;
  readonly vitals: ThreadVitals;
  readonly log: Log;
}

/**
 * The name by which the leader recognises this thread after a restart: the machine, the port and the thread's index.
 * Two gateways of one machine have different ports.
 */
function gatewayName(port: number, index: number): string {
  const end = `:${port}/${index}`;
  return (
    hostname()
      .replace(/[^\w.-]/g, "-")
      .slice(0, clientIdBytesMax - end.length) + end
  );
}

export class GatewayLink {
  readonly #own: WorkerInit;
  readonly #rings: SourceMemory;
  #pump: GatewayPump | null = null;
  /** What the front's commands count for at the leader. */
  readonly orderClaims = new OrderClaims();
  readonly #closing: (() => void)[] = [];

  /** What the front rings when it has sent commands. */
  readonly bell = { ring: () => this.#pump?.ring() };

  constructor(own: WorkerInit, rings: SourceMemory) {
    this.#own = own;
    this.#rings = rings;
  }

  /** Figures of the way to the leader, for metrics. */
  readonly figures = () => this.#pump?.figures ?? noFigures;

  /** Milliseconds since a leader was last heard that takes this front's commands. */
  get leaderAwayMs(): number {
    return this.figures().leaderAwayMs;
  }

  /** Milliseconds since the connection to the bus was lost; 0 while there is one. */
  get busAwayMs(): number {
    return this.figures().busAwayMs;
  }

  get awayMsMax(): number {
    return this.#own.settings.gatewayTimeoutMs;
  }

  /** Follows the leader; resolves once the front has every event that the leader announced. */
  async follow(front: FrontParts): Promise<void> {
    const { settings, connection, name } = this.#own;
    const { agent, gateway, wake, seq, clock, ledger, vitals, log } = front;
    const venue = settings.venueName;
    const isVerbose = ["debug", "trace"].includes(settings.logLevel);
    const natsSettings = present(settings.bus, "the settings of the bus");
    const bus = new NatsBus({ settings: natsSettings, name: `${venue} ${name}`, log });
    const journal = new PostgresEventStore({ connection, log, isStopping: () => false });
    const onFault = (fault: unknown) => {
      if (!isRetryable(fault)) throw fault;
      log.warn({ err: fault }, "missing events could not be read; trying again");
    };
    const onGap = (gap: { from: number; until: number }) =>
      log.info(gap, "events are missing; reading them from the journal");
    const pump = new GatewayPump({
      ...{ bus, venue, log, wake },
      rings: this.#rings,
      counters: vitals.counters,
      name: gatewayName(settings.port, this.#own.index),
      incarnation: Buffer.from(systemEntropy.bytes(6)).readUIntBE(0, 6),
      nowUs: () => clock.nowUs(),
      orderClaims: this.orderClaims,
      requestMsMax: settings.gatewayTimeoutMs,
      follow: (parts) => new GroupFollower({ seq, journal, pause, onGap, onFault, ...parts }),
      makeRoom: () => void agent.doWork(),
      onAnswer: isVerbose ? (answer) => log.debug(answer, "answered") : null,
      abandon: (correlation) => gateway.abandon(correlation),
      markets: this.#own.markets.length,
      onMarketsAdded: () => tellMain({ kind: "outdated", thread: name }),
      ledgerFollowed: (agoMs) => {
        if (agoMs !== null) ledger.followed(clock.nowMs() - agoMs);
      },
    });
    this.#pump = pump;
    this.#closing.push(() => {
      pump.close();
      void bus.close();
      void journal.close();
    });
    // Closed orders become rows within two intervals of the projection; before, only fronts that saw them close know.
    const rowsMs = clock.nowMs() + 2 * settings.projectionIntervalMs;
    while (!pump.isReady || clock.nowMs() < rowsMs) await pause(lookMs);
  }

  close(): void {
    for (const close of this.#closing) close();
  }
}
