// The bus thread of a leader: connects the gateways with clearing and the journal. Runs only if NATS_URL is set.

import { parentPort } from "node:worker_threads";
import { NatsBus } from "../src/adapters/nats/nats-bus.ts";
import { EventLoopRunner } from "../src/adapters/runtime/agent-runner.ts";
import { LeaderBus } from "../src/adapters/runtime/bus/leader-bus.ts";
import { monotonicMs } from "../src/adapters/runtime/system-clock.ts";
import { venueClock } from "../src/adapters/runtime/venue-clock.ts";
import { gatewaySources } from "../src/adapters/runtime/venue-memory.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";
import { SettlementFigures } from "../src/adapters/telemetry/settlement-figures.ts";
import { present } from "../src/core/assert.ts";
import { RateLimiter } from "../src/services/access/rate-limiter.ts";
import { decodeControlMessage } from "../src/wire/generated/control-messages.ts";
import { LeaseBuffer } from "../src/wire/lease-buffer.ts";
import { bellOf, tellMain, vitalsOf, workerInit } from "./init.ts";

const own = await workerInit();
const { settings, memory, slots } = own;
const vitals = vitalsOf(own, { hasLoop: true });
const log = createLog(settings.logLevel, own.name);
const { first, sources } = gatewaySources(memory, slots);
const ledger = new SettlementFigures(memory.settlementFigures);
const bus = new NatsBus({
  settings: present(settings.bus, "the settings of the bus"),
  name: `${settings.venueName} leader`,
  log,
});
const lease = new LeaseBuffer(memory.lease);
const noteBus = (isConnected: boolean) => lease.setBus(isConnected, monotonicMs());
noteBus(bus.isConnected);
bus.onChange(noteBus);
const closing: (() => void)[] = [];

/** Starts to serve gateways. The journal's writer has its lock by now, and has stored its epoch. */
function start(seq: number): void {
  const agent = new LeaderBus({
    ...{ bus, seq, sources, log },
    epoch: lease.epoch(),
    mayAcknowledge: () => lease.mayAcknowledge(monotonicMs()),
    venue: settings.venueName,
    firstSource: first,
    committed: present(sources[0], "the first slot of gateways").committed,
    clearingBell: bellOf(memory, slots.clearing),
    counters: vitals.counters,
    limiter: new RateLimiter(memory.limiter),
    clock: venueClock(memory.clock),
    hasDevelopmentTools: settings.devTools,
    markets: own.markets.length,
    followedMs: () => ledger.followedMs,
  });
  const runner = new EventLoopRunner(agent, vitals);
  closing.push(() => {
    // The last replies may have reached the ring just before the stop.
    while (agent.doWork() > 0);
    runner.close();
  });
  tellMain({ kind: "ready", thread: own.name });
}

present(parentPort, "the port to the main thread").on("message", (bytes: Uint8Array) => {
  const message = decodeControlMessage(bytes);
  if (message.kind === "seed") start(message.seq);
  else if (message.kind === "stop") {
    for (const close of closing) close();
    void bus.close().then(() => process.exit(0));
  }
});
