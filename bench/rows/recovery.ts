// Rows about recovery: the rate of folding the journal into state, and the time until a venue that was killed a million
// events after its snapshot answers an order again.

import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { startEmbeddedPostgres } from "../../src/adapters/postgres/server/embedded-postgres.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { recover } from "../../src/services/journal/replay.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { type LoadKey, RequestSigner } from "../../src/tools/load/signed-requests.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillJournal } from "../venue/journal-filler.ts";
import type { VenueProcess } from "../venue/venue-process.ts";

const eventsAfterSnapshot = 1_000_000;
const restingOrders = 100_000;
const accounts = 4_000;
const silent = (): void => undefined;
const silentLog = { debug: silent, info: silent, warn: silent, error: silent };
/** Settings of a venue that takes only the snapshots that the row requests. */
const settings = { SNAPSHOT_EVENTS: "1000000000", SNAPSHOT_INTERVAL_MS: "86400000" };

/** A running venue whose journal has a million events after its snapshot. */
interface GrownVenue {
  readonly venue: VenueProcess;
  readonly key: LoadKey;
  readonly events: number;
  readonly openOrders: number;
}

const grown = new WeakMap<Bench, Promise<GrownVenue>>();

/** Returns the grown venue, which both rows share. */
function grownVenue(bench: Bench): Promise<GrownVenue> {
  const known = grown.get(bench) ?? grow(bench);
  grown.set(bench, known);
  return known;
}

async function grow(bench: Bench): Promise<GrownVenue> {
  const dataDir = await bench.stage.folder();
  const young = await bench.stage.startVenue(dataDir, settings);
  const [key] = await createLoadKeys(dataDir, 1);
  if (key === undefined) throw new Error("the venue created no key");
  await snapshot(young);
  await young.stop();
  const server = await startEmbeddedPostgres({ dataDir, holderFile: null, log: silent });
  const sql = openPostgres(server.connection, "queries");
  const [before] = await sql<{ seq: string }[]>`select max(seq) as seq from snapshots`;
  const lastSeq = await fillJournal({
    connection: server.connection,
    events: eventsAfterSnapshot,
    restingOrders,
    accounts,
    endsInOrder: false,
    say: bench.say,
  });
  await sql.end();
  await server.stop("fast");
  const venue = await bench.stage.startVenue(dataDir, settings);
  const events = lastSeq - Number(before?.seq ?? 0);
  return { venue, key, events, openOrders: await openOrdersOf(venue) };
}

async function openOrdersOf(venue: VenueProcess): Promise<number> {
  const sql = openPostgres(await venue.database(), "queries");
  const [row] = await sql<{ open: string }[]>`select count(*) as open from orders where status = 0`;
  await sql.end();
  return Number(row?.open);
}

async function snapshot(venue: VenueProcess): Promise<void> {
  const answer = await callControl(controlSocketPath(venue.dataDir), "snapshot");
  if (!answer.isOk) throw new Error(`snapshot: ${answer.error}`);
}

async function replayRate(bench: Bench): Promise<Reading> {
  const { venue } = await grownVenue(bench);
  const connection = await venue.database();
  const store = new PostgresEventStore({ connection, log: silentLog, isStopping: () => true });
  const source = {
    readEvents: store.readEvents.bind(store),
    readSnapshots: async function* () {},
  };
  try {
    const startedMs = performance.now();
    const { replayed } = await recover(source, testMarkets, { projectionIntervalMs: 250 });
    const seconds = (performance.now() - startedMs) / 1000;
    const { score, passed } = atLeast(replayed / seconds, 200_000);
    return {
      measured: `${shortNumber(score)} events/s`,
      baseline: "",
      score,
      passed,
      figures: { "events/s": Math.round(score), events: replayed },
      notes: ["whole journal to state, projection replica included, read from PostgreSQL"],
    };
  } finally {
    await store.close();
  }
}

interface Restart {
  readonly venue: VenueProcess;
  readonly ms: number;
  /**
   * Milliseconds from the start of the process until the public API and the control socket answered. `recoveryMs` is
   * the recovery time that the venue reports.
   */
  readonly openMs: number;
  readonly recoveryMs: number;
}

/** Kills the venue and starts it again; returns the milliseconds until the new process has placed an order. */
async function restartMs(bench: Bench, venue: VenueProcess, key: LoadKey): Promise<Restart> {
  await venue.kill();
  const startedMs = performance.now();
  const next = await bench.stage.startVenue(venue.dataDir, settings);
  const { host, port } = next.endpoint;
  const signer = new RequestSigner(key, host, "10.0.0.1");
  const query = "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200&price=0.1000";
  for (;;) {
    const target = signer.request("POST", "/api/v3/order", query).split(" ", 2)[1] ?? "";
    const headers = { "X-MBX-APIKEY": key.key };
    const answer = await fetch(`http://${host}:${port}${target}`, { method: "POST", headers });
    if (answer.ok) break;
    const message = await answer.text();
    if (answer.status !== 503) throw new Error(`first order: ${answer.status} ${message}`);
  }
  const ms = performance.now() - startedMs;
  const status = await callControl(controlSocketPath(next.dataDir), "status");
  const { recovered_in_ms: recoveryMs } = status.result as { recovered_in_ms: number };
  return { venue: next, ms, openMs: next.startMs, recoveryMs };
}

async function restart(bench: Bench): Promise<Reading> {
  const { venue, key, events, openOrders } = await grownVenue(bench);
  const behind = await restartMs(bench, venue, key);
  await snapshot(behind.venue);
  const fresh = await restartMs(bench, behind.venue, key);
  grown.set(bench, Promise.resolve({ venue: fresh.venue, key, events, openOrders }));
  const { score, passed } = atMost(behind.ms / 1000, 5);
  return {
    measured: `${shortNumber(score)} s; fresh snapshot ${shortNumber(fresh.ms / 1000)} s`,
    baseline: "",
    score,
    passed: passed && fresh.ms <= 2000,
    figures: {
      "s, 1 M events behind": behind.ms / 1000,
      "s, fresh snapshot": fresh.ms / 1000,
      "s until open, 1 M events behind": behind.openMs / 1000,
      "s until open, fresh snapshot": fresh.openMs / 1000,
      "s of recovery, 1 M events behind": behind.recoveryMs / 1000,
      "s of recovery, fresh snapshot": fresh.recoveryMs / 1000,
      "events behind": events,
      "open orders": openOrders,
    },
    notes: [
      `${shortNumber(events)} events after the snapshot, ${shortNumber(openOrders)} open orders; ` +
        "from the start of the process to the first acknowledged order; PostgreSQL kept running",
      `recovery itself took ${shortNumber(behind.recoveryMs / 1000)} s, ` +
        `with a fresh snapshot ${shortNumber(fresh.recoveryMs / 1000)} s`,
    ],
  };
}

export const recoveryRows: readonly BenchRow[] = [
  { id: "P14", measure: "replay, journal to state", goal: "≥ 200 k events/s", run: replayRate },
  {
    id: "P15",
    measure: "restart after SIGKILL, 1 M events after the snapshot",
    goal: "≤ 5 s, fresh snapshot ≤ 2 s",
    run: restart,
  },
];
