// A run of two venues, of which one leads, two gateways with their clients, a lossy bus between them, and a primary with
// a lagging synchronous standby. A seed decides the order of the steps, and which of them fail: processes die, freeze and
// wake, sessions and waits for the standby are cut, the standby is promoted, messages are lost. Everything that decides
// is the real code; only time, bus and database are simulated.

import assert from "node:assert/strict";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import { eventBytesMax } from "../../../src/core/limits.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { encodeEvent, eventBytes } from "../../../src/wire/generated/event-codec.ts";
import { createRecordViews } from "../../../src/wire/records/record-views.ts";
import { openAccounts } from "../../model/clearing-steps.ts";
import { drawnFlow } from "../../model/model-gateway.ts";
import { TestVenue } from "../../support/machine/test-venue.ts";
import { drained } from "../schedule/simulated-calls.ts";
import { FailoverWitness } from "./failover-witness.ts";
import { LossyHub } from "./lossy-bus.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";
import { type GatewayCanary, SimulatedGateway } from "./simulated-gateway.ts";
import { type SimulatedProcess, SimulatedTime } from "./simulated-time.ts";
import { SimulatedVenue, type VenueCanary } from "./simulated-venue.ts";

export type FailoverSimulationCanary = VenueCanary | GatewayCanary;

export interface FailoverSimulationOptions {
  readonly seed: number;
  readonly steps: number;
  readonly canary?: FailoverSimulationCanary;
}

const gatewayCanaries: readonly GatewayCanary[] = ["resends-under-new-numbers", "skips-gaps"];

/** Of a thousand steps, the number in which each thing happens besides the work of a step. */
const chances = {
  command: 450,
  tick: 60,
  kill: 2,
  freeze: 4,
  cut: 6,
  disconnect: 2,
  break: 8,
  cutWait: 6,
  stall: 5,
  promote: 3,
};
type Deed = keyof typeof chances;

/** Agents, messages, database calls and transactions that get on in each step. */
const worksPerStep = 12;
/** A step takes less than this many ms. */
const stepMs = 8;
/** Steps in which a dead venue is started again, or the old primary fenced: one of so many. */
const restartOneIn = 60;
const endOldOneIn = 60;
/** Most ms for which a process is frozen, a direction of the bus cut, or a gateway disconnected. */
const freezeMs = 1500;
const cutMs = 2500;
/** Turns after which everything must have come to rest. */
const restTurnsMax = 20_000;

export class FailoverSimulation {
  readonly counts = {
    ...{ commands: 0, answers: 0, unknown: 0, events: 0, leaders: 0, kills: 0, freezes: 0 },
    ...{ promotions: 0, undone: 0, cutWaits: 0, breaks: 0, lost: 0, resent: 0, divergences: 0 },
    gaps: 0,
  };
  readonly #options: FailoverSimulationOptions;
  readonly #random: SeededRandom;
  readonly #time = new SimulatedTime();
  readonly #cluster: SimulatedCluster;
  readonly #hub: LossyHub;
  readonly #venues: SimulatedVenue[] = [];
  readonly #gateways: readonly SimulatedGateway[];
  readonly #witness: FailoverWitness;
  #started = 0;
  #bug: unknown = null;
  readonly #deeds: Readonly<Record<Deed, () => void>> = {
    command: () => this.#command(),
    tick: () => this.#tick(),
    kill: () => this.#kill(),
    freeze: () => this.#freeze(),
    cut: () => this.#hub.cut(this.#random.below(cutMs)),
    disconnect: () => this.#disconnect(),
    break: () => this.#break(),
    cutWait: () => this.#cluster.cutWait(this.#cluster.old ?? this.#cluster.primary),
    stall: () => {
      this.#cluster.isReplicating = !this.#cluster.isReplicating;
    },
    promote: () => this.#cluster.promote(),
  };

  constructor(options: FailoverSimulationOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#cluster = new SimulatedCluster(this.#random);
    this.#hub = new LossyHub(this.#random, this.#time, 20 + this.#random.below(200));
    const founding = foundingEvents();
    const entry = { events: founding, lease: null, epoch: null };
    this.#cluster.primary.append(entry);
    this.#cluster.standby?.append(entry);
    const canary = gatewayCanaries.find((one) => one === options.canary) ?? null;
    this.#gateways = [1, 2].map(
      (number) =>
        new SimulatedGateway({
          ...{ number, cluster: this.#cluster, time: this.#time, founding, canary },
          bus: (owner) => this.#hub.join(owner),
          skewMs: this.#random.below(20_000) - 10_000,
        }),
    );
    this.#witness = new FailoverWitness(this.#gateways);
    this.#hub.onSend = (subject, bytes) => this.#witness.sent(subject, bytes);
  }

  /** Runs to the end; throws at the first broken guarantee. */
  async run(): Promise<FailoverSimulation["counts"]> {
    this.#restart();
    this.#restart();
    for (let step = 0; step < this.#options.steps; step++) await this.#step();
    await this.#rest();
    this.#witness.judge(this.#cluster.primary, this.#venues);
    this.#count();
    return this.counts;
  }

  #count(): void {
    const { counts } = this;
    const sent = this.#gateways.flatMap((gateway) => [...gateway.sent.values()]);
    counts.commands = sent.length;
    counts.answers = sent.filter(({ answer }) => answer !== null).length;
    counts.unknown = sent.filter(({ isUnknown }) => isUnknown).length;
    counts.events = this.#cluster.primary.lastSeq;
    counts.leaders = Number(this.#cluster.primary.epoch);
    counts.promotions = this.#cluster.promotions;
    counts.undone = this.#cluster.undone;
    counts.cutWaits = this.#cluster.cuts;
    counts.lost = this.#hub.lost;
    counts.resent = this.#witness.resent;
    counts.gaps = this.#gateways.reduce((sum, { pump }) => sum + pump.figures.gaps, 0);
  }

  #restart(): void {
    this.#started++;
    this.#venues.push(
      new SimulatedVenue({
        ...{ name: `venue ${this.#started}`, cluster: this.#cluster, time: this.#time },
        bus: (owner) => this.#hub.join(owner),
        skewMs: this.#random.below(4000) - 2000,
        matchers: 1 + (this.#options.seed % 2),
        canary: gatewayCanaries.some((one) => one === this.#options.canary)
          ? null
          : ((this.#options.canary as VenueCanary | undefined) ?? null),
        onBug: (error) => {
          this.#bug ??= error;
        },
      }),
    );
  }

  async #step(): Promise<void> {
    let chance = this.#random.below(1000);
    const [deed] =
      Object.entries(chances).find(([, share]) => {
        chance -= share;
        return chance < 0;
      }) ?? [];
    if (deed !== undefined) this.#deeds[deed as Deed]();
    if (this.#random.below(restartOneIn) === 0) this.#replaceDead();
    if (this.#random.below(endOldOneIn) === 0) this.#cluster.fence();
    for (let works = 0; works < worksPerStep; works++) await this.#work();
    this.#time.pass(this.#random.below(stepMs));
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await drained();
    if (this.#bug !== null) throw this.#bug;
  }

  #replaceDead(): void {
    const dead = this.#venues.findIndex(({ isDead }) => isDead);
    if (dead < 0) return;
    this.counts.divergences += this.#venues[dead]?.divergences ?? 0;
    this.#venues.splice(dead, 1);
    this.#restart();
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
    const agents = this.#venues.flatMap((venue) =>
      venue.isDead || venue.isFrozen ? [] : venue.agents,
    );
    agents[this.#random.below(Math.max(agents.length, 1))]?.doWork();
  }

  #any<T>(all: readonly T[]): T | undefined {
    return all[this.#random.below(Math.max(all.length, 1))];
  }

  #command(): void {
    const gateway = this.#any(this.#gateways);
    if (gateway === undefined || gateway.isFrozen) return;
    const id = 1_000_000 + gateway.number * 1_000_000 + gateway.sent.size;
    const { state, nowUs } = gateway;
    for (const draft of drawnFlow({ state, nowUs }, this.#random, id)) {
      const isCancel =
        draft.kind === CommandKind.cancelOrder || draft.kind === CommandKind.cancelAllOrders;
      const lane = isCancel && this.#random.below(2) === 0 ? "cancels" : "orders";
      gateway.send(draft, lane, this.#random.below(4) === 0 ? this.#random.below(1000) : 5000);
    }
  }

  #tick(): void {
    for (const venue of this.#venues) if (!venue.isFrozen && !venue.isDead) venue.tick();
  }

  #kill(): void {
    const leading = this.#venues.filter(({ isLeading }) => isLeading);
    const venue = this.#any(this.#random.below(3) === 0 ? this.#venues : leading);
    if (venue === undefined || venue.isDead) return;
    venue.isDead = true;
    this.counts.kills++;
  }

  #freeze(): void {
    const process = this.#any<SimulatedProcess>([
      ...this.#venues,
      ...this.#venues,
      ...this.#gateways,
    ]);
    if (process === undefined || process.isFrozen) return;
    process.isFrozen = true;
    this.counts.freezes++;
    const nobody = { name: "schedule", isFrozen: false, isDead: false };
    this.#time.after(nobody, this.#random.below(freezeMs), () => {
      process.isFrozen = false;
    });
  }

  #disconnect(): void {
    const members = this.#hub.members.filter(({ owner }) => !owner.isDead && !owner.isFrozen);
    const member = this.#any(members);
    member?.setConnected(false);
    if (member !== undefined)
      this.#time.after(member.owner, this.#random.below(cutMs), () => member.setConnected(true));
  }

  #break(): void {
    this.counts.breaks++;
    this.#cluster.breakAny();
  }

  /** Ends all faults and lets everything in flight end. */
  async #rest(): Promise<void> {
    this.#hub.heal();
    this.#cluster.fence();
    for (const process of [...this.#venues, ...this.#gateways]) process.isFrozen = false;
    for (let turn = 0; turn < restTurnsMax; turn++) {
      this.#cluster.isReplicating = true;
      this.#replaceDead();
      for (let works = 0; works < worksPerStep; works++) await this.#work();
      if (turn % 8 === 0) this.#time.pass(stepMs);
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
        ({ waiting, pump, state }) =>
          waiting === 0 &&
          pump.isReady &&
          pump.figures.unanswered === 0 &&
          state.seq === primary.lastSeq,
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
