// Defines the venue's gauges; each value is read when it is scraped.

import { Counter, Gauge, Registry } from "prom-client";
import type { Clock } from "../../ports/clock.ts";
import type { TradingState } from "../../services/settlement/custody/trading-state.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { LeaseBuffer, VenueRole } from "../../wire/lease-buffer.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { addCustody } from "./custody-gauges.ts";
import type { LoopDelay } from "./loop-delay.ts";
import { addMachineGauges } from "./machine-gauges.ts";
import type { MetricsSources, NamedRing } from "./metrics-sources.ts";
import { addSafetyGauges } from "./safety-gauges.ts";
import { SettlementFigures, shownStates } from "./settlement-figures.ts";
import { ThreadFigures } from "./thread-figures.ts";
import { ThreadStaleness } from "./thread-staleness.ts";
import { threadSeconds } from "./thread-time.ts";

/** Adds gauges with the figures of each thread; `names` has the same indexes as the heartbeats. */
function addThreadGauges(
  registry: Registry,
  counters: CountersBuffer,
  names: readonly string[],
  memory: SharedArrayBuffer,
): void {
  const staleness = new ThreadStaleness(counters, names.length);
  const all = names.map((_, index) => new ThreadFigures(memory, index));
  const figures: [name: string, help: string, read: (index: number) => number][] = [
    ["beats", "Duty cycles of a thread, modulo 2^32", (index) => counters.heartbeats(index)],
    [
      "silent_seconds",
      "Seconds since a thread's last heartbeat; an idle thread sends one every 0.2 s",
      (index) => staleness.secondsOf(index),
    ],
    [
      "loop_delay_seconds",
      "Longest event loop delay of a thread in the last second; of a nearly idle thread, the time for which it was busy; 0 for a thread without an event loop",
      (index) => all[index]?.loopDelaySeconds ?? 0,
    ],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name: `rialto_thread_${name}`,
      help,
      labelNames: ["thread"],
      registers: [registry],
      collect() {
        // Skip a thread that was never started: settlement does not run without a ledger.
        for (const [index, thread] of names.entries()) {
          if (counters.heartbeats(index) !== 0) this.set({ thread }, read(index));
        }
      },
    });
  }
}

/**
 * Adds the processor time of each thread and of the process. The difference of process and threads is the time of the
 * runtime's internal threads.
 */
function addProcessorTime(
  registry: Registry,
  { threadNames, threadFigures }: MetricsSources,
): void {
  const numbers = threadNames.map((_, index) => new ThreadFigures(threadFigures, index));
  new Counter({
    name: "rialto_thread_cpu_seconds_total",
    help: "Processor time of a thread, on Linux",
    labelNames: ["thread"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [index, thread] of threadNames.entries()) {
        const seconds = threadSeconds(numbers[index]?.kernelThread ?? 0);
        if (seconds !== null) this.inc({ thread }, seconds);
      }
    },
  });
  new Counter({
    name: "rialto_process_cpu_seconds_total",
    help: "Processor time of the venue's process, including the runtime's internal threads",
    registers: [registry],
    collect() {
      this.reset();
      const { user, system } = process.cpuUsage();
      this.inc((user + system) / 1e6);
    },
  });
}

/**
 * Returns the renderer of all gauges. `delay` is the histogram of the event loop's delay, which is reset at each
 * reading.
 */
export function createGauges(sources: MetricsSources, delay: LoopDelay): () => Promise<string> {
  const registry = new Registry();
  const counters = new CountersBuffer(sources.counters);
  addSeqs(registry, counters);
  addThreadGauges(registry, counters, sources.threadNames, sources.threadFigures);
  addProcessorTime(registry, sources);
  addMachineGauges(registry, sources.dataDir);
  addSafetyGauges(registry, sources, counters);
  addLeadership(registry, new LeaseBuffer(sources.lease), sources.monotonicMs);
  addRings(registry, sources.rings);
  addSettlement(registry, new SettlementFigures(sources.settlementFigures), sources.clock);
  addLoopDelay(registry, delay, sources.front);
  addCustody(registry, sources.custody);
  addPriceSources(registry, sources.priceSources);
  addMakers(registry, sources.makers);
  return () => registry.metrics();
}

function addSeqs(registry: Registry, counters: CountersBuffer): void {
  const figures: [name: string, help: string, read: () => number][] = [
    ["rialto_committed_seq", "Last durable event", () => counters.committedSeq()],
    ["rialto_issued_seq", "Last event issued by clearing", () => counters.issuedSeq()],
    ["rialto_run_state", "0 starting, 1 running, 2 draining, 3 stopped", () => counters.state()],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}

function busAwaySeconds(lease: LeaseBuffer, nowMs: number): number | null {
  const awayMs = lease.busAwayMs(nowMs);
  if (awayMs !== null) return awayMs / 1000;
  return lease.busConnectedMs(nowMs) === null ? null : 0;
}

/** Adds this venue's part among several on one database; a figure that is null is left out. */
function addLeadership(registry: Registry, lease: LeaseBuffer, monotonicMs: () => number): void {
  const figures: [name: string, help: string, read: () => number | null][] = [
    [
      "leader",
      "1 if this venue leads or is alone on its database, 0 if it follows another",
      () => (lease.role() === VenueRole.following ? 0 : 1),
    ],
    ["writer_epoch", "Number of the journal's writer", () => lease.epoch()],
    [
      "lease_age_seconds",
      "Seconds since the lease was last renewed; absent without a lease",
      () => (lease.ageMs(monotonicMs()) ?? Number.NaN) / 1000,
    ],
    [
      "follower_distance",
      "Events that the follower which is furthest behind lacks; absent without a follower",
      () => lease.distance(),
    ],
    [
      "venue_bus_away_seconds",
      "Seconds since this venue lost its connection to the bus; 0 while connected, absent without NATS_URL",
      () => busAwaySeconds(lease, monotonicMs()),
    ],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name: `rialto_${name}`,
      help,
      registers: [registry],
      collect() {
        const value = read();
        if (value === null || Number.isNaN(value)) this.remove();
        else this.set(value);
      },
    });
  }
}

function addSettlement(registry: Registry, figures: SettlementFigures, clock: Clock): void {
  const ageSeconds = () => {
    const { oldestMs } = figures;
    return oldestMs === 0 ? 0 : Math.max(0, clock.nowMs() - oldestMs) / 1000;
  };
  const read: [name: string, help: string, read: () => number][] = [
    ["rialto_settlement_lag_seconds", "Age of the oldest unsettled fill", ageSeconds],
    ["rialto_settlement_pending_fills", "Unsettled fills", () => figures.pendingFills],
    [
      "rialto_settlement_retries",
      "Settlement rounds that failed and were retried",
      () => figures.retries,
    ],
    [
      "rialto_settlement_coins_astray",
      "Holdings that differed between the venue's records and the ledger at the last comparison",
      () => figures.coinsAstray,
    ],
  ];
  for (const [name, help, value] of read) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  }
  new Gauge({
    name: "rialto_ledger_silent_seconds",
    help: "Seconds since the ledger's updates were last read to their end; absent until the first time after a start",
    registers: [registry],
    collect() {
      const { followedMs } = figures;
      if (followedMs === 0) this.remove();
      else this.set(Math.max(0, clock.nowMs() - followedMs) / 1000);
    },
  });
  new Gauge({
    name: "rialto_settlement_batches",
    help: "Unsettled batches, by state",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      for (const [index, state] of shownStates.entries())
        this.set({ state }, figures.batches(index));
    },
  });
}

function addPriceSources(registry: Registry, read: MetricsSources["priceSources"]): void {
  new Gauge({
    name: "rialto_price_source_failing",
    help: "1 while a price source of PRICE_FEEDS gives no price that counts, 0 while it does",
    labelNames: ["source"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, failing } of read()) this.set({ source: name }, failing === null ? 0 : 1);
    },
  });
}

const makerStates: readonly TradingState[] = ["ok", "paused", "halted"];

function addMakers(registry: Registry, read: MetricsSources["makers"]): void {
  new Gauge({
    name: "rialto_makers_held",
    help: "0 while the venue's own makers may trade, 1 while they are paused, 2 while they are halted",
    registers: [registry],
    collect() {
      this.set(makerStates.indexOf(read()));
    },
  });
}

/** Adds the delay of this front's event loop. */
function addLoopDelay(registry: Registry, delay: LoopDelay, front: string): void {
  new Gauge({
    name: "rialto_front_loop_delay_seconds",
    help: "Event loop delay of the front since the last scrape; 0 while the front is nearly idle, which is not sampled",
    labelNames: ["front", "quantile"],
    registers: [registry],
    collect() {
      for (const quantile of [0.5, 0.99, 0.999]) {
        this.set({ front, quantile: String(quantile) }, delay.quantileSeconds(quantile));
      }
      delay.reset();
    },
  });
}

function addRings(registry: Registry, rings: readonly NamedRing[]): void {
  const opened = rings.map(({ name, buffer }) => ({ name, ring: new SpscRing(buffer) }));
  const figures: [name: string, help: string, read: (ring: SpscRing) => number][] = [
    ["rialto_ring_used_bytes", "Bytes queued in a ring", (ring) => ring.usedBytes],
    [
      "rialto_ring_high_water_bytes",
      "Largest number of bytes queued in a ring since the start",
      (ring) => ring.highWater,
    ],
    ["rialto_ring_capacity_bytes", "Capacity of a ring", (ring) => ring.capacityBytes],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name,
      help,
      labelNames: ["ring"],
      registers: [registry],
      collect() {
        for (const entry of opened) this.set({ ring: entry.name }, read(entry.ring));
      },
    });
  }
}
