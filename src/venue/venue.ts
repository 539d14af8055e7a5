// A whole venue as one object: `open` recovers and starts everything, `close` stops it so that every accepted
// request is durable and answered. The command line and the tests build the same object.
//
//   database ─▶ journal thread takes the lock ─▶ recovery ─▶ clearing, matchers, journal, fronts ─▶ open
//   close: fronts refuse and finish ─▶ clearing client ─▶ journal writes the rest ─▶ threads end ─▶ database

import { setTimeout as sleep } from "node:timers/promises";
import { rangesHold } from "../adapters/network/address-ranges.ts";
import { specialAddresses } from "../adapters/network/special-addresses.ts";
import { HttpPriceSource } from "../adapters/prices/http-price-source.ts";
import type { RingClearingClient } from "../adapters/runtime/ring-clearing-client.ts";
import type { MarketClock, VenueClock } from "../adapters/runtime/venue-clock.ts";
import { SettlementFigures } from "../adapters/telemetry/settlement-figures.ts";
import { priceFeedBytesMax } from "../core/limits.ts";
import type { MarketTable } from "../core/markets.ts";
import type { ClearingClient } from "../ports/clearing-client.ts";
import type { Clock } from "../ports/clock.ts";
import type { LedgerEndpoint } from "../ports/ledger/ledger-endpoint.ts";
import type { Log } from "../ports/log.ts";
import type { PriceSourceState } from "../ports/price-source.ts";
import { IndexFeed } from "../services/prices/index-feed.ts";
import { RunState } from "../wire/counters-buffer.ts";
import { Doorbell } from "../wire/doorbell.ts";
import type { Config, PriceSettings } from "./config/config.ts";
import { checkFixFiles } from "./config/fix-files.ts";
import { applyProcessSettings } from "./config/process-settings.ts";
import type { VenueDatabase } from "./database.ts";
import type { ClockControl } from "./duties/clock-monitor.ts";
import type { IdleAccounts } from "./duties/idle-accounts.ts";
import type { MarketControl } from "./duties/market-control.ts";
import type { SnapshotScheduler } from "./duties/snapshots.ts";
import { venueTurn } from "./folder-turn.ts";
import type { MasterKeyControl, VenueKeys } from "./keys/venue-keys.ts";
import type { HeldLease } from "./leadership/held-lease.ts";
import { VenueLedger } from "./ledger/venue-ledger.ts";
import { marketControlOf } from "./market-moves.ts";
import { OperatorRefusal } from "./operator/operator-commands.ts";
import { PortClaim } from "./port-claim.ts";
import type { WarmSeed } from "./recovery.ts";
import type { WorkerThread } from "./spawn.ts";
import { StepTimes } from "./step-times.ts";
import { openOn, settleJournal, type VenueOpening, type VenueParts } from "./venue-start.ts";

interface PriceFeedGround {
  readonly settings: PriceSettings;
  readonly clearing: ClearingClient;
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly log: Log;
  readonly onStates: (states: readonly PriceSourceState[]) => void;
}

/** Starts polling the configured feeds; null if there are none. */
function startPriceFeeds({ settings, ...ground }: PriceFeedGround): IndexFeed | null {
  const { feeds, intervalMs, timeoutMs, networks, staleMs } = settings;
  if (feeds.length === 0) return null;
  const isSpecial = rangesHold(specialAddresses);
  const isAllowed = rangesHold(networks);
  const mayReach = (address: string) => isAllowed(address) || !isSpecial(address);
  const common = { timeoutMs, bytesMax: priceFeedBytesMax, mayReach, clock: ground.clock };
  const sources = feeds.map((url) => new HttpPriceSource({ ...common, url }));
  const feed = new IndexFeed({ ...ground, sources, staleMs });
  feed.start(intervalMs);
  return feed;
}

/** How long a thread may take to exit before it is terminated. */
const endWaitMs = 2_000;
/** A final snapshot that takes longer delays the stop by more than it saves at the next start. */
const lastSnapshotMsMax = 5_000;
/** How long a venue stays after it has handed over: longer than its successor takes to open (docs/decisions/0080). */
const stayMs = 2_000;

export class Venue {
  readonly #parts: VenueParts;
  readonly #ledger: VenueLedger;
  readonly #prices: IndexFeed | null;
  #marketControl: MarketControl | null = null;
  #closing: Promise<void> | null = null;
  #staying: Promise<void> | null = null;
  #draining: Promise<void> | null = null;

  private constructor(parts: VenueParts) {
    this.#parts = parts;
    const { config, log, database, clearing, table, time, spawnSettlement: spawn } = parts;
    const { marketClock } = parts;
    const { clock } = time;
    const { connection, sql } = database;
    const onReached = (endpoint: LedgerEndpoint) => {
      if (!config.devTools) return;
      for (const front of parts.fronts) front.tell({ kind: "ledger", endpoint });
    };
    const figures = new SettlementFigures(parts.topology.memory.settlementFigures);
    const followedMs = () => figures.followedMs;
    const ground = { config, connection, sql, log, clock };
    this.#ledger = new VenueLedger({ ...ground, onReached, followedMs, spawn });
    const onStates = (sources: readonly PriceSourceState[]) => {
      for (const front of parts.fronts) front.tell({ kind: "price-sources", sources });
    };
    this.#prices = startPriceFeeds({
      ...{ settings: config.prices, clearing, table, log, onStates },
      // A price is stamped and runs out in the time of the marks that use it.
      clock: marketClock,
    });
  }

  /** Starts a venue and reports the progress of its replay. If a step fails, stops what was started and rethrows. */
  static async open(config: Config, log: Log, opening: VenueOpening = {}): Promise<Venue> {
    applyProcessSettings();
    checkFixFiles(config.fix);
    // Lock the folder before anything else, because processes in it may belong to another venue.
    const folder = await venueTurn(config.dataDir);
    let claim: PortClaim | null = null;
    try {
      claim = await PortClaim.of(config.host, config.port);
      const { port } = claim;
      opening.onPort?.(port);
      return new Venue(await openOn({ config, log, folder, port, claim }, opening));
    } catch (error) {
      await claim?.release();
      await folder.release();
      throw error;
    }
  }

  get clearing(): RingClearingClient {
    return this.#parts.clearing;
  }

  get table(): MarketTable {
    return this.#parts.table;
  }

  get database(): VenueDatabase {
    return this.#parts.database;
  }

  get seed(): WarmSeed {
    return this.#parts.seed;
  }

  get keys(): VenueKeys {
    return this.#parts.keys;
  }

  /** The operator's rotation of the master key. Every front and the settlement thread take part in it. */
  get masterKeys(): MasterKeyControl {
    const { fronts, keys } = this.#parts;
    return keys.control(async (held) => {
      const answers = fronts.map((front) => front.next("keyed"));
      for (const front of fronts) front.tell({ kind: "master-keys", keys: held });
      await Promise.all([...answers, this.#ledger.useMasterKeys(held)]);
    });
  }

  get clock(): VenueClock {
    return this.#parts.time.clock;
  }

  /** Shows the clock to the operator, and lets the operator accept it for the venue and an embedded ledger. */
  get clockControl(): ClockControl {
    const { time } = this.#parts;
    const accept = () => {
      const accepted = time.accept();
      this.#ledger.acceptClock();
      return accepted;
    };
    const market = () =>
      this.#parts.marketTime === null ? {} : { market: this.marketControl.show() };
    return { show: () => ({ ...time.show(), ...market() }), accept };
  }

  /** The time of events. */
  get marketClock(): MarketClock {
    return this.#parts.marketClock;
  }

  /** The operator's control of the market's time; throws an OperatorRefusal if the venue cannot be rewound. */
  get marketControl(): MarketControl {
    this.#marketControl ??= marketControlOf(this.#parts, () => this.settle());
    return this.#marketControl;
  }

  get snapshots(): SnapshotScheduler {
    return this.#parts.snapshots;
  }

  get idleAccounts(): IdleAccounts {
    return this.#parts.idleAccounts;
  }

  get ledger(): VenueLedger {
    return this.#ledger;
  }

  get port(): number {
    return this.#parts.port;
  }

  get committedSeq(): number {
    return this.#parts.counters.committedSeq();
  }

  get issuedSeq(): number {
    return this.#parts.counters.issuedSeq();
  }

  /** The lease by which this venue leads; null if it is alone on its database. */
  get lease(): HeldLease | null {
    return this.#parts.lease;
  }

  /** Calls back with the first fault of any thread; the caller must then abort the venue. */
  whenFaulted(tell: (fault: Error) => void): void {
    this.#parts.threads.whenFaulted(tell);
  }

  /** Writes all pending rows; returns the seq up to which rows are complete. */
  settle(): Promise<number> {
    return settleJournal(this.#parts.journal, this.#parts.counters);
  }

  /**
   * Refuses new requests, finishes accepted ones, writes the rest and stops. With `storesSnapshot`, also stores a final
   * snapshot if events follow the last one and time allows, so that the next start replays little. Idempotent.
   */
  close({ storesSnapshot = false } = {}): Promise<void> {
    this.#closing ??= this.#close(storesSnapshot);
    return this.#closing;
  }

  /** Stops everything without finishing requests; everything acknowledged is durable. */
  async abort(): Promise<void> {
    const { counters, threads, database, folder } = this.#parts;
    // Do this first, because the run state, which is set next, already ends clearing and the matchers.
    threads.beginEnd();
    counters.advanceTo(RunState.stopped);
    await this.#stopMain();
    await this.#endThreads();
    await this.#ledger.close();
    await this.#parts.lease?.close();
    await database.close();
    await folder.release();
  }

  /**
   * Finishes everything that was accepted and gives the lease to the nearest follower, which then leads. The caller
   * must then abort the venue, also after an error. Throws an OperatorRefusal if no venue follows; then nothing has begun.
   */
  async handOver(): Promise<{ readonly tookMs: number }> {
    const { lease, threads } = this.#parts;
    if (lease === null) throw new OperatorRefusal("this venue is alone: it runs with ROLE=single");
    if (lease.isHandedOver)
      throw new OperatorRefusal("this venue has handed over already, and ends");
    if (!(await lease.isFollowed()))
      throw new OperatorRefusal("no venue follows: start one, and wait until it has caught up");
    const beganMs = performance.now();
    // Settlement and pending rows may take long, so both are finished while the venue still trades.
    await this.#ledger.drain();
    const settledSeq = await threads.untilFault(this.settle());
    this.#draining ??= this.#drain({ settledSeq });
    await threads.untilFault(this.#draining);
    if (!lease.isHandedOver)
      throw new Error("the follower has gone meanwhile: this venue ends and gives up its lease");
    return { tookMs: Math.round(performance.now() - beganMs) };
  }

  /**
   * Sends the clients of this venue's own fronts away and lets `stayMs` pass. Called between a handover and the end, so
   * that neither the end nor a restart takes processor time from the successor, or from its database, while it opens.
   * Idempotent.
   */
  stay(): Promise<void> {
    this.#staying ??= this.#stay();
    return this.#staying;
  }

  async #stay(): Promise<void> {
    for (const front of this.#parts.fronts) front.tell({ kind: "stop" });
    await sleep(stayMs);
  }

  /**
   * Refuses new requests and finishes accepted ones. Then hands over if another venue follows, which writes what rows are
   * left; otherwise writes all rows. Marks the journal's end. `settledSeq`: settlement is drained, and rows are written up to this seq.
   */
  async #drain({ settledSeq = 0 } = {}): Promise<void> {
    const { counters, fronts, journal, lease, log } = this.#parts;
    const steps = new StepTimes<"answered" | "delivered" | "named">();
    counters.advanceTo(RunState.draining);
    this.#prices?.close();
    // Drain both at the same time: settlement may wait for a commit, and meanwhile fronts must already refuse new
    // orders.
    const answered = fronts.map((front) => drained(front));
    await Promise.all([settledSeq > 0 ? null : this.#ledger.drain(), ...answered]);
    steps.done("answered");
    const isFollowed = lease !== null && lease.nearest !== null;
    await drained(journal, isFollowed ? "deliver" : "drain");
    steps.done("delivered");
    if (isFollowed) {
      await lease.handOver(settledSeq);
      steps.done("named");
    }
    log.info(steps.ms, "drained; each step's end in ms after the venue refused new requests");
    await this.#parts.marker.finish();
  }

  async #close(storesSnapshot: boolean): Promise<void> {
    const { threads, config, log } = this.#parts;
    this.#draining ??= this.#drain();
    if (!(await isDoneWithin(threads.untilFault(this.#draining), config.stopTimeoutMs))) {
      log.warn({}, "the stop timed out; everything acknowledged is in the journal");
    } else if (
      storesSnapshot &&
      this.#parts.lease?.nearest == null &&
      this.snapshots.lastSeq < this.committedSeq
    ) {
      const stored = threads.untilFault(this.snapshots.fold());
      if (!(await isDoneWithin(stored, lastSnapshotMsMax)))
        log.warn({}, "the final snapshot was not stored; the next start replays more events");
    }
    if (this.#parts.lease?.isHandedOver === true) await this.stay();
    await this.abort();
  }

  /** Lets threads exit by themselves: terminating a front with open sockets aborts the whole process. */
  async #endThreads(): Promise<void> {
    const { fronts, journal, bus, threads, topology } = this.#parts;
    this.#ledger.endThread();
    for (const thread of [...fronts, journal, ...(bus === null ? [] : [bus])])
      thread.tell({ kind: "stop" });
    for (const bell of topology.memory.bells) new Doorbell(bell).ring();
    await isDoneWithin(threads.ended(), endWaitMs);
    await threads.terminate();
  }

  async #stopMain(): Promise<void> {
    const { ticks, runner, snapshots, epochs, liabilities } = this.#parts;
    const { idleAccounts, sampler, marker, time } = this.#parts;
    this.#prices?.close();
    ticks.stop();
    runner.close();
    const duties = [snapshots, epochs, liabilities, idleAccounts, sampler, marker, time];
    await Promise.all(duties.map((duty) => duty.close()));
  }
}

function drained(thread: WorkerThread, kind: "drain" | "deliver" = "drain"): Promise<unknown> {
  const answer = thread.next("drained");
  thread.tell({ kind });
  return answer;
}

/** Returns true if `step` resolved in time; false after the timeout or a fault. */
export async function isDoneWithin(step: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const done = step.then(
    () => true,
    () => false,
  );
  const isDone = await Promise.race([done, late]);
  clearTimeout(timer);
  return isDone;
}
