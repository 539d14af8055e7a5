// A venue process of a failover run: it follows until it may claim the lease, and then leads until it dies. Following,
// lease, clearing, matchers, journal and the leader's end of the bus are the real ones.
//
//   stand by ──lease over──▶ claim ──▶ fold up to the head, take the writer's lock ──▶ lead ──deposed──▶ dead
//                                                                    drain, name a follower in the lease ──▶ dead

import { isRetryable } from "../../../src/adapters/postgres/retryable.ts";
import type { Agent } from "../../../src/adapters/runtime/agent.ts";
import { LeaderBus } from "../../../src/adapters/runtime/bus/leader-bus.ts";
import { gatewaySources } from "../../../src/adapters/runtime/venue-memory.ts";
import { present } from "../../../src/core/assert.ts";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import { asUnixMs } from "../../../src/core/unix-ms.ts";
import { captureState } from "../../../src/engine/state/snapshot/venue-snapshot.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import type { Bus } from "../../../src/ports/bus.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Lease } from "../../../src/ports/leadership.ts";
import { RateLimiter } from "../../../src/services/access/rate-limiter.ts";
import { Follower, JournalDiverged } from "../../../src/services/journal/following/follower.ts";
import { JournalChain } from "../../../src/services/journal/following/journal-chain.ts";
import { newestSnapshot } from "../../../src/services/journal/replay.ts";
import { LeaseRenewal } from "../../../src/services/leadership/lease-renewal.ts";
import { LeaseWatch } from "../../../src/services/leadership/lease-watch.ts";
import { RunState } from "../../../src/wire/counters-buffer.ts";
import { Doorbell } from "../../../src/wire/doorbell.ts";
import { LeaseBuffer, VenueRole } from "../../../src/wire/lease-buffer.ts";
import { packSnapshot } from "../../../src/wire/snapshot-codec.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { startUs } from "../../support/machine/test-venue.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { SimulatedThreads, type TakenOver } from "../venue/simulated-threads.ts";
import { DatabaseFault, type SimulatedCluster } from "./simulated-cluster.ts";
import {
  type DatabaseCanary,
  SimulatedDatabase,
  SimulatedLeadership,
} from "./simulated-database.ts";
import { SimulatedSnapshots } from "./simulated-snapshots.ts";
import type { SimulatedProcess, SimulatedTime } from "./simulated-time.ts";

/** No command of these gateways is counted, so all leaders share it. */
const limiter = new RateLimiter(RateLimiter.allocate(1));

/** Name of the venue on the bus. */
export const venueName = "simulated";
/** More than gateways that are killed in the time after which a silent one loses its slot. */
export const gatewaySlots = 12;

const leaseMs = 240;
const renewMs = 60;
const pollMs = 25;
const faultMs = 100;
/** How often a leader writes all pending rows, and how often a follower reports where it is. */
const settleMs = 200;
const reportMs = 100;
/** Time between two looks whether everything accepted is done, before a handover. */
const drainMs = 5;

/** Deliberate faults of a venue; a run with one of them must fail. */
export type VenueCanary = DatabaseCanary | "ignores-the-lease" | "leads-with-another-journal";
const databaseCanaries: readonly DatabaseCanary[] = [
  ...(["ignores-the-epoch", "trusts-without-barrier"] as const),
  "believes-a-commit-whose-wait-was-cut",
];

export interface SimulatedVenueParts {
  readonly name: string;
  readonly cluster: SimulatedCluster;
  readonly time: SimulatedTime;
  readonly bus: (owner: SimulatedProcess) => Bus;
  /** Difference between this machine's clock and the time of the run. */
  readonly skewMs: number;
  readonly matchers: number;
  readonly canary: VenueCanary | null;
  /** A bug: the run fails. */
  readonly onBug: (error: unknown) => void;
}

/** State of a follower at the journal's head. */
type Warm = TakenOver & { readonly chainHash: Uint8Array };

interface Claimed {
  readonly epoch: string;
  /** The former leader. */
  readonly holder: string;
  readonly claimedMs: number;
  /** How long the former leader may still acknowledge. */
  readonly restMs: number;
  readonly warm: Warm | null;
}

/** What a leading venue has. */
interface Lead {
  readonly threads: SimulatedThreads;
  readonly agents: readonly Agent[];
}

export class SimulatedVenue implements SimulatedProcess {
  readonly name: string;
  isFrozen = false;
  isDead = false;
  /** How often this process found that its journal was not the leader's. */
  divergences = 0;
  /** Whether this process gave the lease to a follower, and whether it started from a snapshot. */
  hasHandedOver = false;
  hasSnapshot = false;
  readonly snapshots: SimulatedSnapshots;
  readonly #parts: SimulatedVenueParts;
  readonly #bus: Bus;
  readonly #database: SimulatedDatabase;
  readonly #leadership: SimulatedLeadership;
  readonly #watch: LeaseWatch;
  readonly #lease = new LeaseBuffer(LeaseBuffer.allocate());
  readonly clock: Clock;
  #follower: Follower | null = null;
  #lead: Lead | null = null;
  #reportedMs = 0;
  #settledSeq = 0;
  #nearest: string | null = null;
  #handedTo: string | null = null;

  constructor(parts: SimulatedVenueParts) {
    this.#parts = parts;
    this.name = parts.name;
    const { cluster, time, skewMs } = parts;
    const canary = databaseCanaries.find((one) => one === parts.canary) ?? null;
    const store = () => new SimulatedDatabase({ cluster, time, owner: this, canary });
    this.#database = store();
    this.snapshots = new SimulatedSnapshots({
      ...{ store, isFault: isRetryable, onBug: parts.onBug, nowMs: () => time.nowMs },
      onDiffering: () => this.#rebuild(),
    });
    this.#leadership = new SimulatedLeadership(this.#database, cluster);
    this.#watch = new LeaseWatch(this.name);
    this.#bus = parts.bus(this);
    const nowMs = () => asUnixMs(startUs / 1000 + time.nowMs + skewMs);
    this.clock = { nowMs, nowUs: () => nowMs() * 1000 };
    this.#standBy().catch((error) => this.#end(error));
  }

  get agents(): readonly Agent[] {
    return this.#lead?.agents ?? [];
  }

  /** The writer epoch under which it leads; 0 before that. */
  get epoch(): number {
    return this.#lease.epoch();
  }

  get isLeading(): boolean {
    return this.#lead !== null && !this.isDead;
  }

  /** State of the venue; null before it has one. */
  get state(): VenueState | null {
    return this.#lead?.threads.state ?? this.#follower?.state ?? null;
  }

  get isIdle(): boolean {
    return this.#lead?.threads.writer.isIdle ?? true;
  }

  tick(): void {
    const threads = this.#lead?.threads;
    if (threads === undefined) return;
    const nowUs = this.clock.nowUs();
    const stamp = { source: gatewaySlots, correlation: 0, account: 0, atUs: nowUs };
    threads.send({ kind: CommandKind.tick, ...stamp, deadlineUs: nowUs }, "orders");
  }

  /** Drains, gives the lease to the nearest follower and ends; does nothing if none follows. */
  handOver(): void {
    const lead = this.#lead;
    if (lead === null || this.#nearest === null || this.#handedTo !== null) return;
    if (lead.threads.counters.state() >= RunState.draining) return;
    lead.threads.counters.advanceTo(RunState.draining);
    lead.threads.writer.beginStop();
    this.#giveLease(lead).catch((error) => this.#end(error));
  }

  async #giveLease({ threads, agents }: Lead): Promise<void> {
    while (!threads.writer.isIdle || agents.some((agent) => agent.hasWork()))
      await this.#parts.time.pause(this, drainMs);
    const settledSeq = threads.counters.committedSeq();
    this.#handedTo = this.#nearest;
    this.#lease.end();
    const renewal = { settledSeq, chain: null, handedTo: this.#handedTo };
    const renewed = await this.#leadership.renew(this.name, renewal);
    this.hasHandedOver = renewed !== null;
    this.isDead = true;
  }

  /** Ends the process, as it ends itself when it is deposed. Anything else that went wrong is a bug. */
  #end(error: unknown): void {
    const isExpected = error instanceof DatabaseFault && error.code !== "RL001";
    if (!isExpected && !this.isDead) this.#parts.onBug(error);
    this.isDead = true;
  }

  async #standBy(): Promise<void> {
    const { time } = this.#parts;
    let claimed: Claimed | null = null;
    while (claimed === null) {
      try {
        claimed = await this.#look();
        if (claimed === null) await time.pause(this, pollMs);
      } catch (error) {
        this.#watch.failed(time.nowMs);
        if (error instanceof JournalDiverged) this.#rebuild();
        else if (!isRetryable(error)) throw error;
        await time.pause(this, faultMs);
      }
    }
    await this.#takeOver(claimed);
  }

  #rebuild(): void {
    this.divergences++;
    this.#follower = null;
  }

  /** Claims the lease if it is over, otherwise folds what is committed. */
  async #look(): Promise<Claimed | null> {
    const lease = await this.#leadership.read();
    const { time } = this.#parts;
    const { isOver, restMs } = this.#watch.look(lease, time.nowMs);
    if (!isOver) {
      await this.#follow(lease);
      return null;
    }
    const claimedMs = time.nowMs;
    const epoch = await this.#leadership.claim(
      { name: this.name, address: this.name, leaseMs },
      lease,
    );
    if (epoch === null) return null;
    return { epoch, holder: lease.holder, claimedMs, restMs, warm: await this.#finish() };
  }

  async #follow(lease: Lease): Promise<void> {
    const { time } = this.#parts;
    if (this.#follower === null) {
      const { state } = await newestSnapshot(this.#database, testMarkets);
      this.hasSnapshot ||= state.seq > 0;
      this.#follower = new Follower(state, this.#database);
    }
    const follower = this.#follower;
    try {
      await follower.catchUp(lease);
    } catch (error) {
      const isBlind = this.#parts.canary === "leads-with-another-journal";
      if (!isBlind || !(error instanceof JournalDiverged)) throw error;
    }
    this.snapshots.look(follower, lease);
    if (time.nowMs - this.#reportedMs < reportMs) return;
    this.#reportedMs = time.nowMs;
    const candidate = { name: this.name, address: this.name, leaseMs };
    await this.#leadership.follow(candidate, follower.seq);
  }

  async #takeOver({ epoch, holder, claimedMs, restMs, warm }: Claimed): Promise<void> {
    const lease = this.#lease;
    const servesFromMs = claimedMs + restMs;
    lease.setEpoch(epoch);
    lease.renewed(claimedMs, claimedMs + leaseMs);
    lease.setRole(VenueRole.leading);
    this.#renew(claimedMs);
    const isAlone = this.#leadership.endSessions(holder);
    await Promise.all([this.#database.becomeWriter(epoch), isAlone]);
    const { time } = this.#parts;
    if (servesFromMs > time.nowMs) await time.pause(this, servesFromMs - time.nowMs);
    if (!this.isDead) await this.#open(epoch, warm);
  }

  #renew(claimedMs: number): void {
    const { time } = this.#parts;
    const renewing = new LeaseRenewal({
      store: this.#leadership,
      holder: this.name,
      ...{ leaseMs, renewMs, claimedMs, isRetryable, log: quietLog },
      monotonicMs: () => time.nowMs,
      pause: (ms) => time.pause(this, ms),
      renewal: () => ({
        settledSeq: this.#settledSeq,
        chain: this.#handedTo === null ? (this.#database.chain?.mark() ?? null) : null,
        handedTo: this.#handedTo,
      }),
      onRenewed: (sentMs, untilMs, { nearest }) => {
        if (this.#handedTo === null) this.#lease.renewed(sentMs, untilMs);
        this.#nearest = nearest;
      },
      onFailed: (untilMs) => this.#lease.shorten(untilMs),
      onLost: () => {
        this.#lease.end();
        this.isDead = true;
      },
    });
    renewing.start();
  }

  /** The follower's state at the journal's head; nothing if there is none, or if it is not the journal's. */
  async #finish(): Promise<Warm | null> {
    const follower = this.#follower;
    if (follower === null) return null;
    try {
      await follower.finish();
    } catch (error) {
      if (!(error instanceof JournalDiverged)) throw error;
      if (this.#parts.canary !== "leads-with-another-journal") {
        this.#rebuild();
        return null;
      }
    }
    const bytes = packSnapshot(captureState(follower.state));
    return { bytes, unwritten: follower.unwritten(), chainHash: follower.chainHash() };
  }

  async #open(epoch: string, warm: Warm | null): Promise<void> {
    const { time, matchers, canary } = this.#parts;
    const mayAcknowledge = () =>
      canary === "ignores-the-lease" || this.#lease.mayAcknowledge(time.nowMs);
    const threads = await SimulatedThreads.start({
      ...{ store: this.#database, table: testMarkets, clock: this.clock, matchers, gatewaySlots },
      ...{ fronts: 0, readers: [], canary: null, onRefusal: () => undefined },
      onFault: (fault) => this.#end(fault),
      mayAcknowledge,
      ...(warm === null ? {} : { warm }),
    });
    const { seq } = threads.state;
    this.#database.chain = new JournalChain(seq, warm?.chainHash ?? new Uint8Array());
    const { memory, slots, counters } = threads;
    const { first, sources } = gatewaySources(memory, slots);
    const bus = time.withIntervalsOf(
      this,
      () =>
        new LeaderBus({
          ...{ bus: this.#bus, venue: venueName, epoch: Number(epoch), seq, sources, counters },
          ...{ firstSource: first, clock: this.clock, log: quietLog, hasDevelopmentTools: true },
          committed: present(sources[0], "a slot").committed,
          clearingBell: new Doorbell(present(memory.bells[slots.clearing], "a bell")),
          followedMs: () => 0,
          markets: 0,
          mayAcknowledge,
          limiter,
        }),
    );
    this.#lead = { threads, agents: [...threads.agents, bus] };
    void this.#settle(threads);
  }

  /** Has all pending rows written from time to time, so that a follower knows which rows are. */
  async #settle({ writer }: SimulatedThreads): Promise<void> {
    for (;;) {
      this.#settledSeq = await writer.settle();
      await this.#parts.time.pause(this, settleMs);
    }
  }
}
