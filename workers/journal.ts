// The journal thread: the single writer of the journal in PostgreSQL. It takes the writer's lock before anything reads
// the journal, reports that it has the lock, and receives its seed once the state is recovered.
//
// In a venue with a lease it takes the lock only once the main thread has claimed the writer epoch.
//
//   start ──locked──▶ ready ──seed──▶ ready, running ──drain──▶ drained ──stop──▶ closed

import { parentPort } from "node:worker_threads";
import { PostgresEventStore } from "../src/adapters/postgres/event-store.ts";
import { EventLoopRunner } from "../src/adapters/runtime/agent-runner.ts";
import { RingOutlet } from "../src/adapters/runtime/committed-outlet.ts";
import { JournalAgent } from "../src/adapters/runtime/journal-agent.ts";
import { monotonicMs } from "../src/adapters/runtime/system-clock.ts";
import { venueClock } from "../src/adapters/runtime/venue-clock.ts";
import { JournalFigures } from "../src/adapters/telemetry/journal-figures.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";
import { present } from "../src/core/assert.ts";
import type { CommitBatch } from "../src/ports/journal/event-store.ts";
import { JournalChain } from "../src/services/journal/following/journal-chain.ts";
import { JournalWriter } from "../src/services/journal/journal-writer.ts";
import {
  lateOrderCloses,
  writeLateOrderCloses,
} from "../src/services/journal/late-order-closes.ts";
import { Projection } from "../src/services/journal/projection.ts";
import { decodeControlMessage } from "../src/wire/generated/control-messages.ts";
import { LeaseBuffer } from "../src/wire/lease-buffer.ts";
import { unpackSnapshot } from "../src/wire/snapshot-codec.ts";
import { SpscRing } from "../src/wire/spsc-ring.ts";
import {
  bellOf,
  heard,
  marketTable,
  mayFollow,
  openSeed,
  tellMain,
  vitalsOf,
  workerInit,
} from "./init.ts";
import { type JournalPart, seeded } from "./seeded.ts";

/** Interval in ms at which a draining journal checks that everything is durable. */
const drainLookMs = 1;

const own = await workerInit();
const { settings, memory, slots } = own;
const vitals = vitalsOf(own, { hasLoop: true });
const log = createLog(settings.logLevel, own.name);
const clock = venueClock(memory.clock);
const store = new PostgresEventStore({
  connection: own.connection,
  log,
  isStopping: () => false,
});

// Listen for the state first, because it may arrive before the lock is taken.
const seeding = seeded({
  follows: mayFollow(own),
  open: (bytes) => openSeed(bytes, marketTable(own), { remembersClientIds: false }),
  build: (replica) => new Projection(replica, settings.projectionIntervalMs),
});
const lead = settings.lease === null ? null : await untilLeading();
const lease = new LeaseBuffer(memory.lease);
lease.setEpoch(await store.becomeWriter(lead?.epoch));
tellMain({ kind: "ready", thread: own.name });
const { opened: projection, part: unwritten } = await seeding;
const { rows: unwrittenRows, chainHash } = unpackSnapshot(unwritten) as JournalPart;
const { closed, ...rows } = unwrittenRows;
// The chained hash goes on from the former leader's, as the follower computed it; without one it begins here.
const chain = new JournalChain(projection.state.seq, chainHash);
projection.takeOver(rows, clock.nowMs());
const late = lateOrderCloses(store, closed);
// Without gateways nobody is served before all closes are written. With them trading goes on, and the writer writes the
// closes like other rows; the main thread waits for them before the fronts open.
if (lead === null) await writeLateOrderCloses(store, projection.state.seq, await late);
const areClosesKnown =
  lead === null
    ? Promise.resolve()
    : late.then((states) => projection.takeOverCloses(states, clock.nowMs()));

/** Waits until this venue leads. The writer's session is opened before; without it, it is opened then. */
async function untilLeading() {
  const leading = heard("lead");
  await store.prepareWriter().catch((err: unknown) => {
    log.warn({ err }, "the journal's session could not be opened before this venue leads");
  });
  return leading;
}

/** Adds acknowledged events to the chained hash: after their acknowledgement, which does not wait for it. */
function addToChain({ bytes, lengths }: CommitBatch): void {
  let at = 0;
  for (const length of lengths) {
    chain.add(bytes.subarray(at, at + length));
    at += length;
  }
}

function run(projection: Projection): { writer: JournalWriter; runner: EventLoopRunner } {
  const figures = new JournalFigures(memory.journalFigures);
  const writer = new JournalWriter({
    ring: new SpscRing(memory.journal),
    projection,
    store,
    mayAcknowledge: () => lease.mayAcknowledge(monotonicMs()),
    outlet: new RingOutlet(memory, slots, vitals.counters),
    counters: vitals.counters,
    clock,
    meter: {
      began: (oldestMs) => {
        figures.waitingSinceMs = oldestMs;
      },
      committed({ events, commitMs, ackMs, laggingSinceMs }) {
        figures.waitingSinceMs = 0;
        figures.laggingSinceMs = laggingSinceMs;
        if (events === 0) return;
        figures.batchEvents.record(events);
        figures.commitSeconds.record(commitMs / 1000);
        figures.ackSeconds.record(ackMs / 1000);
      },
    },
    log,
    onDelivered: addToChain,
    onCommitted: () => runner.poke(),
    onFault: (fault) => {
      // Throw outside the promise, so that the error ends this thread and the venue.
      setImmediate(() => {
        throw fault;
      });
    },
  });
  const agent = new JournalAgent(writer, bellOf(memory, slots.clearing));
  const runner = new EventLoopRunner(agent, vitals);
  return { writer, runner };
}

const { writer, runner } = run(projection);
tellMain({ kind: "ready", thread: own.name });

present(parentPort, "the port to the main thread").on("message", (bytes: Uint8Array) => {
  const { kind } = decodeControlMessage(bytes);
  if (kind === "settle") void settle();
  else if (kind === "chain") tellMain({ kind: "chained", ...chain.mark() });
  else if (kind === "drain") drain();
  else if (kind === "deliver") deliver();
  else if (kind === "stop") {
    runner.close();
    void store.close().then(() => process.exit(0));
  }
});

async function settle(): Promise<void> {
  await areClosesKnown;
  const settled = writer.settle();
  runner.poke();
  tellMain({ kind: "settled", seq: await settled });
}

function drain(): void {
  writer.beginStop();
  runner.poke();
  tellWhen(() => writer.isIdle);
}

function deliver(): void {
  tellWhen(() => {
    if (writer.isDelivered) writer.end();
    return writer.isDelivered;
  });
}

function tellWhen(isDrained: () => boolean): void {
  const look = setInterval(() => {
    if (!isDrained()) return;
    clearInterval(look);
    tellMain({ kind: "drained", thread: own.name });
  }, drainLookMs);
}
