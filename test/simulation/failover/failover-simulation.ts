// A run of two venues, of which one leads, two gateways with their clients, a lossy bus between them, and a primary with
// a lagging synchronous standby. A seed decides the order of the steps, and the faults (`failover-faults.ts`). Everything
// that decides is the real code; only time, bus and database are simulated.

import assert from "node:assert/strict";
import { eventBytesMax } from "../../../src/core/limits.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { encodeEvent, eventBytes } from "../../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";
import { isCancel, openAccounts } from "../../model/clearing-steps.ts";
import { drawnFlow } from "../../model/model-gateway.ts";
import { TestVenue } from "../../support/machine/test-venue.ts";
import { drained } from "../schedule/simulated-calls.ts";
import { type FailoverCounts, noCounts } from "./failover-counts.ts";
import { FailoverFaults } from "./failover-faults.ts";
import { FailoverWitness } from "./failover-witness.ts";
import { GatewaySeat } from "./gateway-seat.ts";
import { LossyHub } from "./lossy-bus.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";
import { correlationsPerGateway, type GatewayCanary } from "./simulated-gateway.ts";
import { noChange } from "./simulated-server.ts";
import { SimulatedTime } from "./simulated-time.ts";
import { SimulatedVenue, type VenueCanary } from "./simulated-venue.ts";

export type FailoverSimulationCanary = VenueCanary | GatewayCanary;

export interface FailoverSimulationOptions {
  readonly seed: number;
  readonly steps: number;
  readonly canary?: FailoverSimulationCanary;
}

const gatewayCanaries: readonly GatewayCanary[] = [
  ...(["resends-under-new-numbers", "skips-gaps", "follows-what-is-not-durable"] as const),
];

/** Agents, messages, database calls and transactions that get on in each step. */
const worksPerStep = 12;
const tickOneIn = 16;
/** A step takes less than this many ms. */
const stepMs = 8;
/** Steps in which a dead venue is started again, the old primary fenced, or a standby built: one of so many. */
const restartOneIn = 60;
const endOldOneIn = 60;
/** Turns after which everything must have come to rest. */
const restTurnsMax = 5_000;

export class FailoverSimulation {
  readonly #counts = noCounts();
  readonly #options: FailoverSimulationOptions;
  readonly #random: SeededRandom;
  readonly #time = new SimulatedTime();
  readonly #cluster: SimulatedCluster;
  readonly #hub: LossyHub;
  readonly #venues: SimulatedVenue[] = [];
  readonly #gateways: readonly GatewaySeat[];
  readonly #witness: FailoverWitness;
  readonly #faults: FailoverFaults;
  #venuesStarted = 0;
  #gatewaysStarted = 0;
  #bug: unknown = null;

  constructor(options: FailoverSimulationOptions) {
    this.#options = options;
    const random = new SeededRandom(options.seed);
    this.#random = random;
    const [cluster, time] = [new SimulatedCluster(random), this.#time];
    this.#cluster = cluster;
    const hub = new LossyHub(random, time, 20 + random.below(200));
    this.#hub = hub;
    const founding = { ...noChange, events: foundingEvents() };
    cluster.primary.append(founding);
    cluster.standby?.append(founding);
    const gateways = ["gateway a", "gateway b"].map((name) => this.#seat(name));
    this.#gateways = gateways;
    this.#witness = new FailoverWitness(gateways);
    hub.onSend = (subject, bytes) => this.#witness.sent(subject, bytes);
    const venues = this.#venues;
    const counts = this.#counts;
    this.#faults = new FailoverFaults({ random, cluster, time, hub, venues, gateways, counts });
  }

  /** Runs to the end; throws at the first broken guarantee. */
  async run(): Promise<FailoverCounts> {
    this.#startVenue();
    this.#startVenue();
    for (let step = 0; step < this.#options.steps; step++) await this.#step();
    await this.#rest();
    this.#witness.judge(this.#cluster.primary, this.#venues);
    return this.#counted();
  }

  #counted(): FailoverCounts {
    const counts = this.#counts;
    const [cluster, all] = [this.#cluster, this.#gateways.flatMap((gateway) => gateway.all)];
    for (const venue of this.#venues) this.#countVenue(venue);
    const sent = all.flatMap((gateway) => [...gateway.sent.values()]);
    counts.commands = sent.length;
    counts.answers = sent.filter(({ answer }) => answer !== null).length;
    counts.unknown = sent.filter(({ isUnknown }) => isUnknown).length;
    counts.events = cluster.primary.lastSeq;
    counts.leaders = Number(cluster.primary.epoch);
    counts.promotions = cluster.promotions;
    counts.undone = cluster.undone;
    counts.cutWaits = cluster.cuts;
    counts.lost = this.#hub.lost;
    counts.resent = this.#witness.resent;
    counts.gaps = all.reduce((sum, { pump }) => sum + pump.figures.gaps, 0);
    for (const { fromSnapshot } of this.#gateways) counts.snapshotStarts += fromSnapshot;
    return counts;
  }

  #countVenue({ divergences, hasHandedOver, hasSnapshot, snapshots }: SimulatedVenue): void {
    this.#counts.divergences += divergences;
    this.#counts.handovers += Number(hasHandedOver);
    this.#counts.snapshotStarts += Number(hasSnapshot);
    this.#counts.snapshots += snapshots.stored;
  }

  readonly #onBug = (error: unknown): void => {
    this.#bug ??= error;
  };

  #seat(name: string): GatewaySeat {
    const canary = gatewayCanaries.find((one) => one === this.#options.canary) ?? null;
    return new GatewaySeat({
      ...{ name, cluster: this.#cluster, time: this.#time, canary, onBug: this.#onBug },
      bus: (owner) => this.#hub.join(owner),
      announcedSeq: () => this.#witness.announcedSeq,
      nextNumber: () => ++this.#gatewaysStarted,
      drawSkewMs: () => this.#random.below(20_000) - 10_000,
    });
  }

  #startVenue(): void {
    this.#venuesStarted++;
    const { canary, seed } = this.#options;
    const isOfVenue = !gatewayCanaries.some((one) => one === canary);
    this.#venues.push(
      new SimulatedVenue({
        ...{ name: `venue ${this.#venuesStarted}`, cluster: this.#cluster, time: this.#time },
        bus: (owner) => this.#hub.join(owner),
        skewMs: this.#random.below(4000) - 2000,
        matchers: 1 + (seed % 2),
        canary: isOfVenue ? ((canary as VenueCanary | undefined) ?? null) : null,
        onBug: this.#onBug,
      }),
    );
  }

  async #step(): Promise<void> {
    this.#faults.strike();
    this.#command();
    if (this.#random.below(tickOneIn) === 0) this.#tick();
    if (this.#random.below(restartOneIn) === 0) this.#replaceDead();
    if (this.#random.below(endOldOneIn) === 0) this.#cluster.fence();
    if (this.#random.below(endOldOneIn) === 0) this.#cluster.buildStandby();
    for (let works = 0; works < worksPerStep; works++) await this.#work();
    this.#time.pass(this.#random.below(stepMs));
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await drained();
    if (this.#bug !== null) throw this.#bug;
  }

  #replaceDead(): void {
    const index = this.#venues.findIndex(({ isDead }) => isDead);
    const [dead] = index < 0 ? [] : this.#venues.splice(index, 1);
    if (dead === undefined) return;
    this.#countVenue(dead);
    this.#startVenue();
  }

  /** Something small gets on: an agent, a message, a database call, or the standby. */
  async #work(): Promise<void> {
    const dice = this.#random.below(8);
    if (dice < 4) this.#agent();
    else if (dice < 6) this.#hub.deliver();
    else if (dice === 6) this.#cluster.replicate();
    else if (this.#cluster.step()) await drained();
  }

  #agent(): void {
    const running = this.#venues.filter(({ isLeading, isFrozen }) => isLeading && !isFrozen);
    const agents = running[this.#random.below(Math.max(running.length, 1))]?.agents ?? [];
    agents[this.#random.below(Math.max(agents.length, 1))]?.doWork();
  }

  /** A client of some gateway sends something, in two steps of five. */
  #command(): void {
    if (this.#random.below(5) > 1) return;
    const gateway = this.#gateways[this.#random.below(this.#gateways.length)]?.current ?? null;
    if (gateway === null || gateway.isFrozen) return;
    const id = correlationsPerGateway * gateway.number + gateway.sent.size;
    const { state, nowUs } = gateway;
    for (const draft of drawnFlow({ state, nowUs }, this.#random, id)) {
      const lane = isCancel(draft) && this.#random.below(2) === 0 ? "cancels" : "orders";
      gateway.send(draft, lane, this.#random.below(4) === 0 ? this.#random.below(1000) : 5000);
    }
  }

  #tick(): void {
    for (const venue of this.#venues) if (!venue.isFrozen && !venue.isDead) venue.tick();
  }

  /** Ends all faults and lets everything in flight end. */
  async #rest(): Promise<void> {
    this.#faults.end();
    for (let turn = 0; turn < restTurnsMax; turn++) {
      this.#replaceDead();
      for (let works = 0; works < worksPerStep; works++) await this.#work();
      this.#time.pass(stepMs / 2);
      await this.#settled();
      if (this.#isAtRest()) return;
    }
    assert.fail("Everything must come to rest once the faults have ended");
  }

  #isAtRest(): boolean {
    const { primary } = this.#cluster;
    if (primary.waiting !== null || !this.#venues.some(({ isLeading }) => isLeading)) return false;
    return (
      this.#venues.every(
        ({ isDead, isIdle, state }) => !isDead && isIdle && state?.seq === primary.lastSeq,
      ) &&
      this.#gateways.every(
        ({ current }) => current?.isAtRest === true && current.state.seq === primary.lastSeq,
      )
    );
  }
}

/** Bytes of the events that open and fund the accounts. */
function foundingEvents(): Uint8Array[] {
  const venue = new TestVenue();
  openAccounts(venue);
  const views = createRecordViews(new ArrayBuffer(eventBytesMax));
  return venue.events.map((event) => {
    const length = eventBytes(event);
    encodeEvent(views, 0, event);
    return views.u8.slice(0, length);
  });
}
