// The faults of a failover run: in each step the random numbers decide whether one of them happens, and to whom. Most
// end by themselves after a while; `end` ends all of them.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { FailoverCounts } from "./failover-counts.ts";
import type { GatewaySeat } from "./gateway-seat.ts";
import type { LossyHub } from "./lossy-bus.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";
import type { SimulatedProcess, SimulatedTime } from "./simulated-time.ts";
import type { SimulatedVenue } from "./simulated-venue.ts";

/** Of a thousand steps, the number in which each fault happens. */
const chances = {
  killVenue: 3,
  killGateway: 1,
  handOver: 4,
  freeze: 2,
  pauseLeader: 7,
  heldLease: 5,
  lateCommit: 8,
  cut: 4,
  disconnect: 2,
  break: 8,
  cutWait: 8,
  stall: 3,
  promote: 1,
  promoteLate: 2,
  loseStandby: 2,
};
type Fault = keyof typeof chances;

/** Most ms for which a process is frozen, a direction of the bus is cut, or a member is off. */
const freezeMs = 500;
const cutMs = 2000;
/** How long a leader is paused, or its lease gets no answers: long enough for another venue to lead. */
const deposedMs = { least: 350, most: 1200 };
/** Most ms for which the standby gets nothing before it is promoted. */
const lagMs = 150;
/** Most ms by which a late commit comes after the claim of the next leader, and time between two looks for that claim. */
const lateMs = 60;
const lookMs = 5;

export interface FailoverFaultsParts {
  readonly random: SeededRandom;
  readonly cluster: SimulatedCluster;
  readonly time: SimulatedTime;
  readonly hub: LossyHub;
  readonly venues: readonly SimulatedVenue[];
  readonly gateways: readonly GatewaySeat[];
  readonly counts: FailoverCounts;
}

/** Whose timers run always. */
const schedule: SimulatedProcess = { name: "schedule", isFrozen: false, isDead: false };

export class FailoverFaults {
  readonly #parts: FailoverFaultsParts;
  /** What is yet to end, each by its own call. */
  readonly #ends = new Set<() => void>();
  readonly #faults: Readonly<Record<Fault, () => void>> = {
    killVenue: () => this.#killVenue(),
    killGateway: () => this.#killGateway(),
    handOver: () => this.#leader()?.handOver(),
    freeze: () => this.#freezeAny(),
    pauseLeader: () => this.#pauseLeader(),
    heldLease: () => this.#holdLease(),
    lateCommit: () => this.#delayCommit(),
    cut: () => this.#parts.hub.cut(this.#below(cutMs)),
    disconnect: () => this.#disconnect(),
    break: () => this.#break(),
    cutWait: () => this.#cutWait(),
    stall: () => this.#stall(),
    promote: () => this.#parts.cluster.promote(),
    promoteLate: () => this.#promoteLate(),
    loseStandby: () => this.#loseStandby(),
  };

  constructor(parts: FailoverFaultsParts) {
    this.#parts = parts;
  }

  /** Lets at most one fault happen. */
  strike(): void {
    let chance = this.#below(1000);
    const [fault] =
      Object.entries(chances).find(([, share]) => {
        chance -= share;
        return chance < 0;
      }) ?? [];
    if (fault !== undefined) this.#faults[fault as Fault]();
  }

  /** Ends all faults. */
  end(): void {
    const { hub, cluster } = this.#parts;
    for (const end of [...this.#ends]) end();
    hub.heal();
    cluster.fence();
    cluster.buildStandby();
    cluster.isReplicating = true;
  }

  #below(most: number): number {
    return this.#parts.random.below(most);
  }

  #any<T>(all: readonly T[]): T | undefined {
    return all[this.#below(Math.max(all.length, 1))];
  }

  /** Calls `end` after `ms`, or when all faults end; or earlier, if what this returns is called. */
  #after(ms: number, end: () => void): () => void {
    const once = () => {
      if (this.#ends.delete(once)) end();
    };
    this.#ends.add(once);
    this.#parts.time.after(schedule, ms, once);
    return once;
  }

  #leader(): SimulatedVenue | undefined {
    return this.#parts.venues.find(({ isLeading, isFrozen }) => isLeading && !isFrozen);
  }

  #killVenue(): void {
    const { venues, counts } = this.#parts;
    const venue = this.#below(3) === 0 ? this.#any(venues) : this.#leader();
    if (venue === undefined || venue.isDead) return;
    venue.isDead = true;
    counts.kills++;
  }

  #killGateway(): void {
    const { gateways, counts } = this.#parts;
    if (this.#any(gateways)?.restart() === true) counts.gatewayKills++;
  }

  #freezeAny(): void {
    const { venues, gateways } = this.#parts;
    const running = gateways.flatMap(({ current }) => current ?? []);
    const process = this.#any<SimulatedProcess>([...venues, ...running]);
    if (process !== undefined) this.#freeze(process, this.#below(freezeMs));
  }

  /** Pauses a leader that has a commit in flight, if it has: its answer waits until the leader wakes up, deposed. */
  #pauseLeader(): void {
    const leader = this.#leader();
    if (leader === undefined || (leader.isIdle && this.#below(4) > 0)) return;
    this.#freeze(leader, this.#longMs(), () => {
      if (this.#isDeposed(leader)) this.#parts.counts.zombies++;
    });
  }

  #freeze(process: SimulatedProcess, ms: number, woke: () => void = () => undefined): void {
    if (process.isFrozen || process.isDead) return;
    process.isFrozen = true;
    this.#parts.counts.freezes++;
    this.#after(ms, () => {
      process.isFrozen = false;
      woke();
    });
  }

  #longMs(): number {
    return deposedMs.least + this.#below(deposedMs.most - deposedMs.least);
  }

  #isDeposed({ isLeading, epoch }: SimulatedVenue): boolean {
    return isLeading && epoch < Number(this.#parts.cluster.primary.epoch);
  }

  /** The leader's lease gets no answers, while its journal and the bus do. */
  #holdLease(): void {
    const { cluster, counts } = this.#parts;
    const leader = this.#leader();
    if (leader === undefined) return;
    cluster.hold(leader, "lease");
    counts.heldLeases++;
    this.#after(this.#longMs(), () => cluster.release(leader, "lease"));
  }

  /**
   * Nothing of the leader reaches the database until another one has claimed the lease. Then a commit that was on its
   * way arrives, before the server has ended the session or after.
   */
  #delayCommit(): void {
    const { cluster, time } = this.#parts;
    const leader = this.#leader();
    if (leader === undefined) return;
    cluster.hold(leader, "lease");
    cluster.hold(leader, "journal");
    const arrive = this.#after(deposedMs.most, () => {
      if (this.#isDeposed(leader)) this.#parts.counts.lateCommits++;
      cluster.release(leader, "journal");
      cluster.release(leader, "lease");
    });
    const look = () => {
      if (this.#isDeposed(leader)) time.after(schedule, this.#below(lateMs), arrive);
      else if (this.#ends.has(arrive)) time.after(schedule, lookMs, look);
    };
    look();
  }

  #disconnect(): void {
    const { members } = this.#parts.hub;
    const member = this.#any(members.filter(({ owner }) => !owner.isDead && !owner.isFrozen));
    if (member === undefined) return;
    member.setConnected(false);
    this.#after(this.#below(cutMs), () => member.setConnected(true));
  }

  #break(): void {
    this.#parts.counts.breaks++;
    this.#parts.cluster.breakAny();
  }

  /** Cuts the wait of a commit; half of the time the standby never gets it. */
  #cutWait(): void {
    const { cluster } = this.#parts;
    cluster.cutWait(cluster.old ?? cluster.primary);
    if (this.#below(2) === 0) this.#promoteLate();
  }

  #stall(): void {
    const { cluster } = this.#parts;
    cluster.isReplicating = !cluster.isReplicating;
  }

  /** The standby gets nothing for a while, and is then promoted. */
  #promoteLate(): void {
    const { cluster } = this.#parts;
    cluster.isReplicating = false;
    this.#after(this.#below(lagMs), () => cluster.promote());
  }

  #loseStandby(): void {
    if (this.#parts.cluster.loseStandby()) this.#parts.counts.standbysLost++;
  }
}
