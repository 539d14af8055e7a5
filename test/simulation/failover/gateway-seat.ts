// One of the gateways of a failover run, through all its processes: each starts as a gateway does, from the newest
// snapshot and the journal up to the seq that a leader announces, and takes the place of the one that was killed.

import { isRetryable } from "../../../src/adapters/postgres/retryable.ts";
import { type Bus, busSubjects } from "../../../src/ports/bus.ts";
import { announced, recover } from "../../../src/services/journal/replay.ts";
import { BusMessageReader } from "../../../src/wire/bus-message.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { GatewayJournal } from "./gateway-journal.ts";
import { SimulatedGateway, type SimulatedGatewayParts } from "./simulated-gateway.ts";
import type { SimulatedProcess } from "./simulated-time.ts";
import { venueName } from "./simulated-venue.ts";

/** Pause after a fault of the database. */
const faultMs = 50;

export interface GatewaySeatParts
  extends Omit<SimulatedGatewayParts, "state" | "number" | "skewMs"> {
  /** Number of the next process among all of the run. */
  readonly nextNumber: () => number;
  readonly drawSkewMs: () => number;
  readonly onBug: (error: unknown) => void;
}

export class GatewaySeat {
  /** All processes so far; the last one runs, unless it was killed. */
  readonly all: SimulatedGateway[] = [];
  readonly #parts: GatewaySeatParts;
  /** Number of processes that started from a snapshot. */
  fromSnapshot = 0;

  constructor(parts: GatewaySeatParts) {
    this.#parts = parts;
    this.#start().catch(parts.onBug);
  }

  /** The process that runs; null while one starts. */
  get current(): SimulatedGateway | null {
    const last = this.all.at(-1);
    return last === undefined || last.isDead ? null : last;
  }

  /** Kills the running process; another one starts. Returns false if none runs. */
  restart(): boolean {
    const { current } = this;
    if (current === null) return false;
    current.kill();
    this.#start().catch(this.#parts.onBug);
    return true;
  }

  async #start(): Promise<void> {
    const { cluster, time, bus, nextNumber, drawSkewMs, name } = this.#parts;
    const starting = { name: `${name} start`, isFrozen: false, isDead: false };
    const durableSeq = await announcedSeq(bus(starting));
    const journal = announced(new GatewayJournal(cluster, starting), durableSeq);
    for (;;) {
      try {
        const { projection, snapshotSeq } = await recover(journal, testMarkets, {
          projectionIntervalMs: 0,
        });
        if (snapshotSeq > 0) this.fromSnapshot++;
        starting.isDead = true;
        const own = { number: nextNumber(), skewMs: drawSkewMs(), state: projection.state };
        this.all.push(new SimulatedGateway({ ...this.#parts, ...own }));
        return;
      } catch (error) {
        if (!isRetryable(error)) throw error;
        await time.pause(starting as SimulatedProcess, faultMs);
      }
    }
  }
}

/** Waits for a leader; resolves with the last seq that it announces as durable. */
function announcedSeq(bus: Bus): Promise<number> {
  const reader = new BusMessageReader();
  return new Promise((resolve) => {
    bus.subscribe(busSubjects(venueName).groups, (message) => {
      if (reader.open(message) === null) resolve(reader.header.durableSeq);
    });
  });
}
