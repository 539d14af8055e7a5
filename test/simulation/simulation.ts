// One simulated life of the venue: threads, database, settlement and epochs with their ledger, and clients on
// one thread, a step at a time, in an order that a seed decides. Commits are slow, land without their writer
// or not at all; clocks jump; rings fill; the ledger's answers are lost, late or out of order; everything dies
// between two messages and comes back from what is durable.

import assert from "node:assert/strict";
import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/commands.ts";
import type { VenueEvent } from "../../src/core/events.ts";
import type { Reply } from "../../src/core/replies.ts";
import { SwapState } from "../../src/core/swaps.ts";
import type { UnixMs } from "../../src/core/unix-ms.ts";
import { apply } from "../../src/engine/clearing/apply.ts";
import { foldChunk, newestSnapshot, takeSnapshot } from "../../src/services/journal/replay.ts";
import { SeededRandom } from "../../src/venue/load/seeded-random.ts";
import { openDoors, type Step } from "../model/clearing-steps.ts";
import { oneUsdc, testMarkets } from "../support/test-markets.ts";
import { TestVenue } from "../support/test-venue.ts";
import { clientAsk, walletAccounts } from "./simulated-clients.ts";
import { type EpochCanary, SimulatedEpochs } from "./simulated-epochs.ts";
import { instruments, type SettlerCanary, SimulatedSettler } from "./simulated-settler.ts";
import { SimulatedStore, type StoreCanary } from "./simulated-store.ts";
import { SimulatedSwaps, type SwapCanary } from "./simulated-swaps.ts";
import { SimulatedThreads } from "./simulated-threads.ts";
import { noCounts, type SimulationCounts, swapEnd } from "./simulation-counts.ts";
import { SimulationWitness, type WitnessCanary } from "./simulation-witness.ts";

/** A bug put in on purpose; each breaks another promise, and somebody must see it. */
export type Canary =
  | StoreCanary
  | SettlerCanary
  | EpochCanary
  | SwapCanary
  | WitnessCanary
  | "forgets-an-order";

export interface SimulationOptions {
  readonly seed: number;
  readonly steps: number;
  readonly canary?: Canary;
}

const fronts = 2;
/** The source of ticks: behind the fronts. */
const main = fronts;
const deadlineUs = 30_000_000;
const roll = 2 ** 16;
const minuteUs = 60_000_000;
/** The clock is set forward by less than so many minutes. */
const jumpMinutes = 12;
/** A tick may wait in its ring while the clock jumps once or twice, and orders overtake it. */
const slackUs = 3 * jumpMinutes * minuteUs;
const firstFrontId = 1_000_000;

/** How often of a thousand steps each thing is done; what is left steps an agent. */
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
};

/** Steps of agents while settlement waits for what they do. */
const worksPerSettling = 8;

export class Simulation {
  readonly counts = noCounts();
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #store: SimulatedStore;
  readonly #witness: SimulationWitness;
  readonly #settler: SimulatedSettler;
  readonly #epochs: SimulatedEpochs;
  readonly #swaps: SimulatedSwaps;
  #threads: SimulatedThreads | null = null;
  #nowUs = 0;
  #latestUs = 0;
  #correlation = 0;
  /** All rows are written up to here, and no snapshot has been taken since; 0 for nowhere. */
  #settledSeq = 0;
  /** Steps for which the database does nothing. */
  #halted = 0;
  /** Turns for which one thread does nothing, and which. */
  #frozen = 0;
  #frozenPlace = 0;

  constructor(options: SimulationOptions) {
    const { seed, canary } = options;
    this.#options = options;
    this.#random = new SeededRandom(seed);
    this.#store = new SimulatedStore((event) => this.#durable(event), oneOf(storeCanaries, canary));
    this.#witness = new SimulationWitness({
      ...{ fronts, slackUs, counts: this.counts },
      canary: oneOf(witnessCanaries, canary),
      committedSeq: () => this.#store.committedSeq,
    });
    const common = { random: this.#random, nowMs: () => Math.floor(this.#nowUs / 1000) };
    this.#settler = new SimulatedSettler({
      ...{ ...common, accounts: walletAccounts, canary: oneOf(settlerCanaries, canary) },
    });
    const { ledger } = this.#settler;
    this.#epochs = new SimulatedEpochs({
      ...{ ...common, store: this.#store, ledger, canary: oneOf(epochCanaries, canary) },
    });
    this.#swaps = new SimulatedSwaps({
      ...{ ...common, ledger, instruments, canary: oneOf(swapCanaries, canary) },
      members: this.#settler.parties,
      isMember: (account) => this.#settler.rows.isMember(account),
      state: () => this.#witness.state,
    });
  }

  /** Lives to the end; throws at the first promise that is broken. */
  async run(): Promise<SimulationCounts> {
    await this.#found();
    await this.#start();
    for (let step = 0; step < this.#options.steps; step++) await this.#step();
    await this.#rest();
    await this.#judge();
    return this.counts;
  }

  /** Accounts with money, as the first events of the journal. */
  async #found(): Promise<void> {
    const venue = new TestVenue();
    openDoors(venue);
    const account = venue.fund(40_000n * oneUsdc, AccountType.wallet);
    for (const asset of [1, 2, 3]) venue.credit(account, Wallet.spot, asset, 5_000n * 10n ** 8n);
    this.#nowUs = venue.nowUs;
    await this.#settler.found(venue.state);
    this.#store.foundWith(venue.events);
  }

  async #spawn(): Promise<SimulatedThreads> {
    this.#store.isPrompt = true;
    const { canary } = this.#options;
    const threads = await SimulatedThreads.start({
      store: this.#store,
      table: testMarkets,
      clock: { nowMs: () => Math.floor(this.#nowUs / 1000) as UnixMs, nowUs: () => this.#nowUs },
      matchers: 1 + (this.#options.seed % 3),
      fronts,
      readers: Array.from({ length: fronts }, (_, front) => ({
        fold: (event: VenueEvent) => this.#witness.folded(front, event),
        reply: (reply: Reply) => this.#witness.heard(reply),
      })),
      forgetsAnOrder: canary === "forgets-an-order",
    });
    this.#store.isPrompt = false;
    return threads;
  }

  async #start(): Promise<void> {
    const threads = await this.#spawn();
    this.#witness.recovered(threads.state);
    this.#threads = threads;
    const { desk } = threads;
    this.#settler.start(
      (ask) => desk.ask(ask),
      () => this.#store.committedSeq,
    );
    this.#epochs.start();
    this.#swaps.start((ask) => desk.ask(ask));
  }

  async #step(): Promise<void> {
    const bounds = Object.values(chances);
    let chance = this.#random.below(1000);
    const choice = bounds.findIndex((share) => {
      chance -= share;
      return chance < 0;
    });
    if (this.#halted > 0) this.#halted--;
    if (choice === 0) this.#command();
    else if (choice === 1 && this.#halted === 0) this.#store.write();
    else if (choice === 2 && this.#halted === 0) await this.#tellWriter();
    else if (choice === 3) this.#tick();
    else if (choice === 4) await this.#snapshot();
    else if (choice === 5) await this.#die();
    else if (choice === 6) this.#halt();
    else if (choice === 7) this.#freeze();
    else if (choice === 8) await this.#settle();
    else if (choice === 9) await this.#epochs.step();
    else if (choice === 10) await this.#swap();
    else this.#work();
  }

  #work(): void {
    const agents = this.#threads?.agents ?? [];
    const place = this.#random.below(agents.length);
    if (this.#frozen > 0) this.#frozen--;
    if (this.#frozen === 0 || place !== this.#frozenPlace) agents[place]?.doWork();
  }

  /** Settlement works; while it waits for the venue, that works a little instead. */
  async #settle(): Promise<void> {
    this.#nowUs += this.#random.below(200_000);
    this.#latestUs = Math.max(this.#latestUs, this.#nowUs);
    if (!(await this.#settler.step())) await this.#workMeanwhile();
  }

  /** The same for swaps. */
  async #swap(): Promise<void> {
    this.#nowUs += this.#random.below(200_000);
    this.#latestUs = Math.max(this.#latestUs, this.#nowUs);
    if (!(await this.#swaps.step())) await this.#workMeanwhile();
  }

  async #workMeanwhile(): Promise<void> {
    for (let left = worksPerSettling; left > 0; left--) this.#work();
    if (this.#halted > 0) return;
    this.#store.write();
    await this.#tellWriter();
  }

  #halt(): void {
    this.#halted = this.#random.below(600);
    this.counts.halts++;
  }

  /** One thread gets no time for a while, so that what leads to it fills. */
  #freeze(): void {
    this.#frozenPlace = this.#random.below(this.#threads?.agents.length ?? 1);
    this.#frozen = this.#random.below(400);
    this.counts.freezes++;
  }

  async #tellWriter(): Promise<void> {
    this.#store.answer();
    // The writer hears of it behind the promise of its commit.
    await Promise.resolve();
    await Promise.resolve();
  }

  #command(): void {
    const dice = (): number => this.#random.below(roll);
    const step: Step = [dice(), dice(), dice(), dice(), dice(), dice()];
    this.#nowUs += this.#random.below(2000);
    this.#latestUs = Math.max(this.#latestUs, this.#nowUs);
    const asked = clientAsk({ state: this.#witness.state, nowUs: this.#nowUs }, step);
    if (asked === null) return;
    const ask = this.#own(asked);
    const isTick = ask.kind === CommandKind.tick;
    this.#correlation++;
    const sent = {
      account: 0,
      ...ask,
      source: isTick ? main : this.#random.below(fronts),
      correlation: isTick ? 0 : this.#correlation,
      atUs: this.#nowUs,
      deadlineUs: this.#nowUs + deadlineUs,
    };
    const isCancel =
      sent.kind === CommandKind.cancelOrder || sent.kind === CommandKind.cancelAllOrders;
    const lane = isCancel && this.#random.below(2) === 0 ? "cancels" : "orders";
    if (this.#threads?.send(sent, lane) !== true) {
      this.counts.full++;
      return;
    }
    this.counts.commands++;
    if (!isTick) this.#witness.sent(sent);
  }

  /** Fronts give each session, key and withdrawal an id of its own. */
  #own<Asked extends NonNullable<ReturnType<typeof clientAsk>>>(ask: Asked): Asked {
    const id = firstFrontId + this.#correlation;
    if (ask.kind === CommandKind.openSession) return { ...ask, sessionId: id };
    if (ask.kind === CommandKind.setSessionKey) return { ...ask, keyId: id };
    if (ask.kind === CommandKind.requestWithdrawal) return { ...ask, withdrawalId: id };
    return ask;
  }

  /** Time goes on, seldom by minutes, seldom backwards. */
  #tick(): void {
    const dice = this.#random.below(100);
    const ahead =
      dice < 90 ? this.#random.below(200_000) : minuteUs * this.#random.below(jumpMinutes);
    // Set back, it shows a time that was: never more than three seconds behind the latest.
    if (dice < 4) this.#nowUs = Math.max(this.#nowUs - 2_000_000, this.#latestUs - 3_000_000);
    else this.#nowUs += ahead;
    if (dice < 4 || dice >= 90) this.counts.jumps++;
    this.#latestUs = Math.max(this.#latestUs, this.#nowUs);
    const stamp = { source: main, correlation: 0, account: 0, atUs: this.#nowUs };
    const tick = { kind: CommandKind.tick, ...stamp, deadlineUs: this.#nowUs } as const;
    this.#threads?.send(tick, "orders");
  }

  /** As the task pool does: asks for all rows up to now, and folds the journal that far once they are written. */
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
    const lands = this.#store.isCommitting && this.#random.below(2) === 0;
    this.counts.deaths++;
    if (lands) this.counts.landed++;
    this.#threads = null;
    this.#settler.die();
    this.#epochs.die();
    this.#swaps.die();
    this.#settledSeq = 0;
    this.#store.abandon(lands);
    this.#halted = 0;
    this.#witness.died();
    await this.#start();
  }

  #durable(event: VenueEvent): void {
    this.#witness.durable(event);
    this.#settler.durable(event);
    this.#swaps.durable(event);
  }

  /** Nobody asks any more: everything under way ends, and everybody has an answer. */
  async #rest(): Promise<void> {
    const threads = this.#threads;
    assert(threads !== null, "a venue is up between deaths");
    const pass = (ms: number): void => {
      this.#nowUs = this.#latestUs = Math.max(this.#nowUs, this.#latestUs) + ms * 1000;
    };
    await this.#swaps.rest(async () => void (await this.#turn(threads)), pass);
    await this.#settler.rest(async () => void (await this.#turn(threads)), pass);
    threads.writer.beginStop();
    for (let idle = 0; idle < 3; ) {
      const work = await this.#turn(threads);
      idle = work === 0 && threads.writer.isIdle && !this.#store.isCommitting ? idle + 1 : 0;
    }
    this.#witness.checkAnswered();
    await this.#epochs.rest(pass);
  }

  /** Everybody works once, and the database is well. */
  async #turn(threads: SimulatedThreads): Promise<number> {
    let work = 0;
    for (const agent of threads.agents) work += agent.doWork();
    this.#store.write();
    await this.#tellWriter();
    return work;
  }

  #count(): void {
    const { beats, audit, ledger } = this.#settler;
    this.counts.beats = beats;
    this.counts.fills = audit.fills;
    this.counts.settled = ledger.settled.length;
    this.counts.swaps = this.#swaps.rows.all.length;
    const { state: known } = this.#witness;
    for (const { reason, state, trader } of this.#swaps.rows.all) {
      const isOfWallet = known.accounts.isWallet(trader.account);
      if (state === SwapState.settled && isOfWallet) this.counts.walletSwaps++;
      const end = swapEnd(reason);
      this.counts[end] = (this.counts[end] ?? 0) + 1;
    }
    this.counts.epochs = this.#epochs.rows.sealed.length;
    for (const struck of ledger.participant.struck.values()) this.counts.ledgerFaults += struck;
  }

  async #judge(): Promise<void> {
    const live = this.#threads?.state;
    assert(live !== undefined, "a venue is up at the end");
    this.#count();
    const { repeated } = this.#settler.ledger.participant;
    assert.deepEqual(repeated, [], "the ledger carries out each name once");
    this.#swaps.judge();
    this.#settler.judge(live, this.#swaps.payments);
    await this.#witness.judge(live, this.#store);
    await this.#epochs.judge();
  }
}

function oneOf<Own extends Canary>(own: readonly Own[], canary: Canary | undefined): Own | null {
  return own.find((one) => one === canary) ?? null;
}

const settlerCanaries: readonly SettlerCanary[] = [
  ...(["makes-coins", "commits-twice", "forgets-names", "loses-a-fill"] as const),
  ...(["settles-again", "frees-too-little", "forgets-a-coin", "credits-twice"] as const),
];
const epochCanaries: readonly EpochCanary[] = [
  ...(["skips-an-epoch", "tears-a-leaf", "seals-twice", "believes-in-silence"] as const),
];
const swapCanaries: readonly SwapCanary[] = [
  ...(["pays-one-leg", "forgets-a-settlement", "lapses-early"] as const),
  ...(["moves-without-guard", "loses-a-move", "ends-anothers"] as const),
];
const witnessCanaries: readonly WitnessCanary[] = [
  ...(["answers-twice", "hides-an-answer", "skips-an-event"] as const),
];
const storeCanaries: readonly StoreCanary[] = [
  ...(["tells-before-it-writes", "forgets-a-group", "writes-twice", "tears-a-group"] as const),
];
