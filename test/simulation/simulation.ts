// One simulation run of the venue: threads, database, settlement and epochs with their ledger, and clients, all on one
// thread. A seed decides the order of the steps. Commits are slow, fail, are lost, or become durable after their writer
// died. Clocks jump, rings fill, and answers of the ledger are lost, late or out of order. Everything may die between
// two messages and then recovers from what is durable.

import assert from "node:assert/strict";
import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import type { Reply } from "../../src/core/generated/messages.ts";
import type { UnixMs } from "../../src/core/unix-ms.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import type { EpochRecord } from "../../src/ports/journal/epoch-store.ts";
import { newestSnapshot, takeSnapshot } from "../../src/services/journal/replay.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { foldChunk } from "../../src/wire/records/event-bytes.ts";
import { openAccounts } from "../model/clearing-steps.ts";
import { oneUsdc, testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { SimulatedEpochs } from "./epochs/simulated-epochs.ts";
import { drained } from "./schedule/simulated-calls.ts";
import { SimulationClock } from "./schedule/simulation-clock.ts";
import { instruments, SettlementSimulation } from "./settlement/settlement-simulation.ts";
import {
  type Canary,
  epochCanaries,
  settlementSimulationCanaries,
  storeCanaries,
  swapCanaries,
  threadsCanaries,
  witnessCanaries,
} from "./simulation-canaries.ts";
import { noCounts, type SimulationCounts } from "./simulation-counts.ts";
import { countOutcomes } from "./simulation-outcomes.ts";
import { SimulationWitness } from "./simulation-witness.ts";
import { SimulatedSwaps } from "./swaps/simulated-swaps.ts";
import { SimulatedClients, walletAccounts } from "./venue/simulated-clients.ts";
import { FatalFault, oneOf } from "./venue/simulated-commits.ts";
import { SimulatedStore } from "./venue/simulated-store.ts";
import { SimulatedThreads } from "./venue/simulated-threads.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  readonly canary?: Canary;
}

const fronts = 2;

/** Of a thousand steps, the number in which each action happens; in all other steps an agent works. */
const chances = {
  command: 380,
  write: 50,
  answer: 50,
  clock: 30,
  snapshot: 4,
  death: 1,
  halt: 2,
  freeze: 3,
  settle: 120,
  epochs: 15,
  swaps: 40,
  ail: 4,
};

type Deed = keyof typeof chances | "work";

/** Most database calls that fail in a row. The last of these failures is fatal in one of `fatalOneIn` cases. */
const brokenCallsMax = 4;
const fatalOneIn = 12;

/** Steps that the venue's agents make while settlement waits for the venue. */
const worksPerSettling = 8;

export class Simulation {
  readonly counts = noCounts();
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #store: SimulatedStore;
  readonly #witness: SimulationWitness;
  readonly #settlement: SettlementSimulation;
  readonly #epochs: SimulatedEpochs;
  readonly #swaps: SimulatedSwaps;
  readonly #clock = new SimulationClock();
  readonly #clients: SimulatedClients;
  #threads: SimulatedThreads | null = null;
  /** Seq of the snapshot that is due: all rows up to it are written. 0 if no snapshot is due. */
  #settledSeq = 0;
  /** Steps for which the database still does nothing. */
  #halted = 0;
  /** Turns for which one thread still does nothing, and the index of that thread. */
  #frozen = 0;
  #frozenIndex = 0;
  /** Error with which the journal gave up; null while it works. */
  #fault: unknown = null;
  readonly #deeds: Readonly<Record<Deed, () => unknown>> = {
    command: () => this.#command(),
    write: () => this.#write(),
    answer: () => this.#answer(),
    clock: () => this.#tick(),
    snapshot: () => this.#snapshot(),
    death: () => this.#die(),
    halt: () => this.#halt(),
    freeze: () => this.#freeze(),
    settle: () => this.#settle(),
    epochs: () => this.#epochs.step(),
    swaps: () => this.#swap(),
    ail: () => this.#ail(),
    work: () => this.#work(),
  };

  constructor(options: SimulationOptions) {
    const { seed, canary } = options;
    this.#options = options;
    this.#random = new SeededRandom(seed);
    this.#clients = new SimulatedClients(this.#random, fronts);
    this.#store = new SimulatedStore({
      ...{ random: this.#random, counts: this.counts, canary: oneOf(storeCanaries, canary) },
      onEvent: (event) => this.#durable(event),
    });
    this.#witness = new SimulationWitness({
      ...{ fronts, slackUs: SimulationClock.slackUs, counts: this.counts },
      canary: oneOf(witnessCanaries, canary),
      committedSeq: () => this.#store.committedSeq,
    });
    const common = { random: this.#random, nowMs: () => this.#clock.nowMs };
    this.#settlement = new SettlementSimulation({
      ...{ ...common, ledgerMs: () => this.#clock.ledgerMs },
      ...{ accounts: walletAccounts, canary: oneOf(settlementSimulationCanaries, canary) },
    });
    const { ledger } = this.#settlement;
    this.#epochs = new SimulatedEpochs({
      ...{ ...common, store: this.#store, ledger, canary: oneOf(epochCanaries, canary) },
    });
    this.#swaps = new SimulatedSwaps({
      ...{ ...common, ledger, instruments, canary: oneOf(swapCanaries, canary) },
      members: this.#settlement.parties,
      isMember: (account) => this.#settlement.rows.isMember(account),
      state: () => this.#witness.state,
    });
  }

  /** Runs to the end; throws at the first broken guarantee. */
  async run(): Promise<SimulationCounts> {
    await this.#found();
    await this.#start();
    for (let step = 0; step < this.#options.steps; step++) await this.#step();
    await this.#rest();
    await this.#judge();
    return this.counts;
  }

  /** What the run recorded: the journal, and the sealed epochs, oldest first. */
  get records(): {
    readonly journal: Pick<SimulatedStore, "readEvents">;
    readonly epochs: readonly EpochRecord[];
  } {
    return { journal: this.#store, epochs: this.#epochs.rows.sealed };
  }

  /** Writes the first events of the journal, which open and fund the accounts. */
  async #found(): Promise<void> {
    const venue = new TestVenue();
    openAccounts(venue);
    const account = venue.fund(40_000n * oneUsdc, AccountType.wallet);
    for (const asset of [1, 2, 3]) venue.credit(account, Wallet.spot, asset, 5_000n * 10n ** 8n);
    this.#clock.pass(venue.nowUs);
    await this.#settlement.found(venue.state);
    this.#store.foundWith(venue.events);
  }

  async #spawn(): Promise<SimulatedThreads> {
    const { commits } = this.#store;
    commits.isPrompt = true;
    const { canary } = this.#options;
    const threads = await SimulatedThreads.start({
      store: this.#store,
      table: testMarkets,
      clock: { nowMs: () => this.#clock.nowMs as UnixMs, nowUs: () => this.#clock.nowUs },
      matchers: 1 + (this.#options.seed % 3),
      fronts,
      readers: Array.from({ length: fronts }, (_, front) => ({
        fold: (event: VenueEvent) => this.#witness.folded(front, event),
        reply: (reply: Reply) => this.#witness.heard(reply),
      })),
      onRefusal: () => {
        this.counts.refusals++;
      },
      onFault: (fault) => {
        this.#fault = fault;
      },
      canary: oneOf(threadsCanaries, canary),
    });
    commits.isPrompt = false;
    return threads;
  }

  async #start(): Promise<void> {
    const threads = await this.#spawn();
    this.#witness.recovered(threads.state);
    this.#threads = threads;
    const { clearing } = threads;
    this.#settlement.start(
      (command) => clearing.send(command),
      () => this.#store.committedSeq,
    );
    this.#epochs.start();
    this.#swaps.start((command) => clearing.send(command));
  }

  async #step(): Promise<void> {
    let chance = this.#random.below(1000);
    const [deed = "work"] =
      Object.entries(chances).find(([, share]) => {
        chance -= share;
        return chance < 0;
      }) ?? [];
    if (this.#halted > 0) this.#halted--;
    if (this.#fault !== null) await this.#giveUp();
    await this.#deeds[deed as Deed]();
  }

  #write(): void {
    if (this.#halted === 0) this.#store.commits.write();
  }

  async #answer(): Promise<void> {
    if (this.#halted === 0) await this.#tellWriter();
  }

  #work(): void {
    const agents = this.#threads?.agents ?? [];
    const index = this.#random.below(agents.length);
    if (this.#frozen > 0) this.#frozen--;
    if (this.#frozen === 0 || index !== this.#frozenIndex) agents[index]?.doWork();
  }

  /** Runs a step of settlement. If settlement waits for the venue, the venue's agents work a little. */
  async #settle(): Promise<void> {
    this.#clock.pass(this.#random.below(200_000));
    if (!(await this.#settlement.step())) await this.#workMeanwhile();
  }

  async #swap(): Promise<void> {
    this.#clock.pass(this.#random.below(200_000));
    if (!(await this.#swaps.step())) await this.#workMeanwhile();
  }

  async #workMeanwhile(): Promise<void> {
    for (let left = worksPerSettling; left > 0; left--) this.#work();
    this.#write();
    await this.#answer();
  }

  #halt(): void {
    this.#halted = this.#random.below(600);
    this.counts.halts++;
  }

  /** Makes the journal's sessions fail for a while. */
  #ail(): void {
    const calls = 1 + this.#random.below(brokenCallsMax);
    this.#store.commits.ail(calls, this.#random.below(fatalOneIn) === 0);
  }

  /**
   * Ends the venue soon after the journal gave up; until then its other threads run on. Any error that was not injected
   * is a bug and is thrown.
   */
  async #giveUp(): Promise<void> {
    if (!(this.#fault instanceof FatalFault)) throw this.#fault;
    if (this.#random.below(8) === 0) await this.#die();
  }

  /** Freezes one thread for a while, so that its input rings fill. */
  #freeze(): void {
    this.#frozenIndex = this.#random.below(this.#threads?.agents.length ?? 1);
    this.#frozen = this.#random.below(400);
    this.counts.freezes++;
  }

  async #tellWriter(): Promise<void> {
    this.#store.commits.answer();
    // The writer notices the result only after the promises of its commit have run.
    await drained();
  }

  #command(): void {
    this.#clock.pass(this.#random.below(2000));
    const { state } = this.#witness;
    const sent = this.#clients.next({ state, nowUs: this.#clock.nowUs });
    if (sent === null) return;
    const { command, lane } = sent;
    if (this.#threads?.send(command, lane) !== true) {
      this.counts.full++;
      return;
    }
    this.counts.commands++;
    if (command.kind !== CommandKind.tick) this.#witness.sent(command);
  }

  #tick(): void {
    this.#clock.step(this.#random);
    this.#threads?.send(this.#clients.tick(this.#clock.nowUs), "orders");
  }

  /**
   * Takes a snapshot as the task pool does: waits until all rows so far are written, then applies the journal to a
   * state.
   */
  async #snapshot(): Promise<void> {
    const untilSeq = this.#settledSeq;
    this.#settledSeq = 0;
    const threads = this.#threads;
    if (untilSeq === 0) {
      void threads?.writer.settle().then((seq) => {
        if (this.#threads === threads) this.#settledSeq = seq;
      });
      return;
    }
    const { state } = await newestSnapshot(this.#store, testMarkets);
    if (state.seq >= untilSeq) return;
    await this.#store.readEvents(state.seq, untilSeq, (chunk) =>
      foldChunk(chunk, (event) => apply(state, event)),
    );
    await this.#store.writeSnapshot(takeSnapshot(state));
    this.counts.snapshots++;
  }

  async #die(): Promise<void> {
    const lands = this.#store.commits.isCommitting && this.#random.below(2) === 0;
    this.counts.deaths++;
    if (lands) this.counts.landed++;
    this.#threads = null;
    this.#settlement.die();
    this.#epochs.die();
    this.#swaps.die();
    this.#settledSeq = 0;
    this.#fault = null;
    this.#store.abandon(lands);
    this.#halted = 0;
    this.#witness.died();
    await this.#start();
  }

  #durable(event: VenueEvent): void {
    this.#witness.durable(event);
    this.#settlement.durable(event);
    this.#swaps.durable(event);
  }

  /** Sends no new commands and lets everything in flight end; every command must then be answered. */
  async #rest(): Promise<void> {
    this.#store.commits.heal();
    if (this.#fault !== null) await this.#die();
    const threads = this.#threads;
    assert(threads !== null, "A venue must run between two deaths");
    const pass = (ms: number): void => this.#clock.passOn(ms);
    await this.#swaps.rest(async () => void (await this.#turn(threads)), pass);
    await this.#settlement.rest(async () => void (await this.#turn(threads)), pass);
    threads.writer.beginStop();
    for (let idle = 0; idle < 3; ) {
      const work = await this.#turn(threads);
      idle =
        work === 0 && threads.writer.isIdle && !this.#store.commits.isCommitting ? idle + 1 : 0;
    }
    this.#witness.checkAnswered();
    await this.#epochs.rest(pass);
  }

  /** Lets every agent work once, with a healthy database; returns the amount of work done. */
  async #turn(threads: SimulatedThreads): Promise<number> {
    let work = 0;
    for (const agent of threads.agents) work += agent.doWork();
    this.#store.commits.write();
    await this.#tellWriter();
    return work;
  }

  async #judge(): Promise<void> {
    const live = this.#threads?.state;
    assert(live !== undefined, "A venue must run at the end");
    const [settlement, swaps, epochs] = [this.#settlement, this.#swaps, this.#epochs];
    this.counts.jumps = this.#clock.jumps;
    this.counts.skews = this.#clock.skews;
    countOutcomes(this.counts, { settlement, swaps, epochs, state: this.#witness.state });
    const { repeated } = this.#settlement.ledger.participant;
    assert.deepEqual(repeated, [], "The ledger must execute each submission name once");
    this.#swaps.judge();
    this.#settlement.judge(live, this.#swaps.payments);
    await this.#witness.judge(live, this.#store);
    await this.#epochs.judge();
  }
}
