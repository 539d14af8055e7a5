// Runs one attack from the first quote to the last liquidation and measures each party's profit. While the fair price
// is constant, no maker bids above it or asks below it, so any profit comes from moving a price. If the fair price
// moves, makers follow at once and the attack runs in both directions, so a bet on the direction earns nothing on
// average.

import { SystemAccount, Wallet } from "../../../src/core/accounts.ts";
import { assert } from "../../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import { insuranceSeed } from "../../../src/core/limits.ts";
import { MoveCause } from "../../../src/core/liquidation.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";
import { AttackArena } from "./attack-arena.ts";
import { attackCoins } from "./attack-coins.ts";
import type { AttackPlan, Scene } from "./attack-plan.ts";
import { allDefences, type Defences } from "./attack-terms.ts";
import { Attacker, turnsPerSecond } from "./attacker.ts";
import { openTraders } from "./honest-traders.ts";
import { HouseMaker, type MakerTerms } from "./house-maker.ts";

/** Result of an attack, in whole units of USDC at the fair prices. */
export interface AttackResult {
  /**
   * The attacker's gain. Debts of his bankrupt accounts do not reduce it. It is at most what others lost, because a
   * claim on his own bankrupt account is worth nothing.
   */
  readonly profit: number;
  readonly fundLoss: number;
  readonly tradersLoss: number;
  readonly makersLoss: number;
  /** Largest distance of a mark from the fair price, in basis points. */
  readonly markMoved: number;
  /** Largest value of one side's open positions, at the fair prices. */
  readonly openInterest: number;
  /** Value of the positions that the fund took over, at the fair price. */
  readonly takenOver: number;
  /** Whether every liquidation ended and the mark returned to the fair price. */
  readonly isSettled: boolean;
}

export interface AttackOptions {
  /** Defences of the venue; all by default. */
  readonly defences?: Defences;
  /** Called for each event, with the arena after the event. */
  readonly onEvent?: (event: VenueEvent, arena: AttackArena) => void;
  /** Called after each second of the attack, with the arena. */
  readonly onSecond?: (second: number, arena: AttackArena) => void;
}

/** A boundary between two funding intervals; any boundary would do. */
const boundaryUs = 61_362 * 28_800_000_000;
/** Seconds before the attack at which traders open their positions. */
const tradersBefore = 30;
const turnUs = 1_000_000 / turnsPerSecond;
/** Value in USDC that makers quote on each side of a market at a depth of one. */
const depthUnit = 30_000;
/** Seconds after an attack in which makers quote every second; after that they quote in longer steps for hours. */
const aftermathSeconds = 300;
const aftermathSteps = 300;
const aftermathStepSeconds = 30;

/** Runs a plan; if its fair price moves, runs it in both directions and returns their mean profit and losses. */
export function runAttack(plan: AttackPlan, options: AttackOptions = {}): AttackResult {
  const up = new Attack(plan, 1, options).run();
  if (plan.scene.drift === 0) return up;
  const down = new Attack(plan, -1, options).run();
  const [fundLoss, tradersLoss] = [up.fundLoss + down.fundLoss, up.tradersLoss + down.tradersLoss];
  return {
    // Everyone can see a steady move after its first step. Following it earns money from makers without moving a price,
    // so such earnings do not count.
    profit: Math.min(up.profit + down.profit, fundLoss + tradersLoss) / 2,
    fundLoss: fundLoss / 2,
    tradersLoss: tradersLoss / 2,
    makersLoss: (up.makersLoss + down.makersLoss) / 2,
    markMoved: Math.max(up.markMoved, down.markMoved),
    openInterest: Math.max(up.openInterest, down.openInterest),
    takenOver: up.takenOver + down.takenOver,
    isSettled: up.isSettled && down.isSettled,
  };
}

class Attack {
  readonly #plan: AttackPlan;
  readonly #options: AttackOptions;
  readonly #direction: number;
  readonly #arena: AttackArena;
  readonly #makers: readonly HouseMaker[];
  /** Makers with their own money who arrive after the attack. */
  readonly #others: readonly HouseMaker[];
  readonly #traders: readonly number[];
  readonly #attacker: Attacker;
  #markMoved = 0;
  #takenOver = 0;
  #openInterest = 0;

  constructor(plan: AttackPlan, direction: number, options: AttackOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#direction = direction;
    const { scene } = plan;
    const { onEvent } = options;
    const beforeUs = scene.minutesBefore * 60_000_000;
    // If the plan has no funding settlement, the attack starts in the middle of a funding interval.
    const beginsUs =
      scene.fundingAt > 0 ? boundaryUs - scene.fundingAt * 1_000_000 : boundaryUs + 7_200_000_000;
    const arena = new AttackArena({
      startUs: beginsUs - beforeUs,
      defences: options.defences ?? allDefences,
      onEvent: (event) => {
        this.#hear(event);
        onEvent?.(event, this.#arena);
      },
    });
    this.#arena = arena;
    arena.credit(SystemAccount.insurance, Wallet.perp, insuranceSeed);
    this.#makers = attackCoins.map((_, coin) => new HouseMaker(arena, coin, makerTerms(scene)));
    this.#others = attackCoins.map((_, coin) => new HouseMaker(arena, coin, relief));
    this.#attacker = new Attacker(arena, plan);
    this.#pass(beginsUs, -60 * scene.minutesBefore, -tradersBefore);
    // Traders can open positions only after the first index.
    const random = new SeededRandom(scene.seed);
    this.#traders = this.#makers.flatMap(({ account }, coin) => {
      const terms = { coin, count: scene.traders, notional: scene.traderNotional };
      return openTraders(arena, account, random, { ...terms, leverageMax: scene.traderLeverage });
    });
    this.#pass(beginsUs, -tradersBefore, 0);
  }

  /** Runs the seconds before the attack, in which makers quote. */
  #pass(beginsUs: number, from: number, until: number): void {
    for (let second = from; second < until; second++) {
      this.#arena.nowUs = beginsUs + second * 1_000_000;
      this.#arena.tick();
      for (const maker of this.#makers) maker.turn(second * turnsPerSecond);
    }
  }

  run(): AttackResult {
    const before = this.#worths();
    const { scene, plays } = this.#plan;
    const lastPlay = Math.max(...plays.map(({ until }) => until));
    const seconds = Math.min(Math.max(scene.seconds, lastPlay), 2 * scene.seconds + 60);
    for (let turn = 0; turn < seconds * turnsPerSecond; turn++) this.#turn(turn);
    this.#attacker.stop();
    const isSettled = this.#aftermath();
    const after = this.#worths();
    // A moved fair price changes the value of all coins, so the total is only conserved without a move.
    const isConserved = Math.abs(after.whole - before.whole) < 0.01;
    assert(scene.drift > 0 || isConserved, "The sum of all accounts must stay the same");
    const [fundLoss, tradersLoss] = [before.fund - after.fund, before.traders - after.traders];
    const makersLoss = before.makers - after.makers;
    const gain = after.attacker - before.attacker;
    const lost = fundLoss + tradersLoss + makersLoss;
    // Count the profit only up to what others lost. A bankrupt account of the attacker can stay open, because the mark
    // counts as returned even if it is still a tick away from the fair price. His other accounts then show a gain that
    // nobody pays. If the fair price moved, the losses of others include that move, so they limit the profit only of an
    // attack that did not settle.
    const isBound = scene.drift === 0 || !isSettled;
    const profit = isBound ? Math.min(gain, lost) : gain;
    const [markMoved, takenOver] = [this.#markMoved, this.#takenOver];
    const [openInterest, losses] = [this.#openInterest, { fundLoss, tradersLoss, makersLoss }];
    return { profit, ...losses, markMoved, openInterest, takenOver, isSettled };
  }

  #hear(event: VenueEvent): void {
    if (event.kind !== EventKind.positionMoved || event.cause !== MoveCause.takeover) return;
    const coin = attackCoins.findIndex(({ perp }) => perp.id === event.market);
    const lots = Math.abs(event.qty) / 10 ** testMarkets.market(event.market).lotDecimals;
    this.#takenOver += lots * (this.#arena.fair[coin] ?? 0);
  }

  #turn(turn: number): void {
    const arena = this.#arena;
    const second = turn / turnsPerSecond;
    const { drift, driftSeconds } = this.#plan.scene;
    if (Number.isInteger(second) && second < driftSeconds) {
      // The steps are equal in both directions, so a constant position keeps its value on average.
      const share = (this.#direction * drift * (second + 1)) / 10_000;
      for (const [coin, { fair }] of attackCoins.entries()) arena.fair[coin] = fair * (1 + share);
    }
    arena.tick();
    for (const maker of this.#makers) maker.turn(turn);
    this.#attacker.turn(turn);
    arena.nowUs += turnUs;
    if (!Number.isInteger(second)) return;
    this.#look();
    this.#options.onSecond?.(second, arena);
  }

  #look(): void {
    const { positions } = this.#arena.state;
    const worth = attackCoins.map(({ perp }, coin) => {
      const lots = positions.openInterest(perp.id) / 10 ** perp.lotDecimals;
      return lots * (this.#arena.fair[coin] ?? 0);
    });
    this.#openInterest = Math.max(
      this.#openInterest,
      worth.reduce((sum, one) => sum + one),
    );
    for (const [coin, { perp }] of attackCoins.entries()) {
      const mark = (this.#arena.state.mark[perp.id] ?? 0) / 10 ** perp.tickDecimals;
      const fair = this.#arena.fair[coin] ?? 0;
      if (mark > 0) this.#markMoved = Math.max(this.#markMoved, Math.abs(mark / fair - 1) * 10_000);
    }
  }

  /**
   * Lets makers quote until the mark has returned to the fair price, no liquidation is open and the fund has no
   * position; returns false if that does not happen in time.
   */
  #aftermath(): boolean {
    const arena = this.#arena;
    for (let step = 1; step <= aftermathSeconds + aftermathSteps; step++) {
      arena.nowUs += 1_000_000 * (step > aftermathSeconds ? aftermathStepSeconds : 1);
      arena.tick();
      for (const maker of this.#others) maker.turn(step);
      if (step >= 10 && this.#isOver()) return true;
    }
    return false;
  }

  #isOver(): boolean {
    const { state, fair } = this.#arena;
    if (state.liquidations.count > 0) return false;
    return attackCoins.every(({ perp }, coin) => {
      if (state.positions.qty(SystemAccount.insurance, perp.id) !== 0) return false;
      const ticks = (fair[coin] ?? 0) * 10 ** perp.tickDecimals;
      return Math.abs((state.mark[perp.id] ?? 0) - ticks) <= 1 + ticks / 1000;
    });
  }

  #worths() {
    const arena = this.#arena;
    const sum = (accounts: readonly number[], worth: (account: number) => number) =>
      accounts.reduce((total, account) => total + worth(account), 0);
    const left = (account: number) =>
      arena.otherWorth(account) + Math.max(arena.perpWorth(account), 0);
    const whole = (account: number) => arena.worth(account);
    const makers = [...this.#makers, ...this.#others].map(({ account }) => account);
    const venue = Object.values(SystemAccount);
    return {
      whole: sum([...this.#attacker.accounts, ...this.#traders, ...makers, ...venue], whole),
      attacker: sum(this.#attacker.accounts, left),
      fund: sum([SystemAccount.insurance], whole),
      traders: sum(this.#traders, whole),
      makers: sum(makers, whole),
    };
  }
}

/** Makers who arrive after every attack. */
const relief: MakerTerms = {
  ...{
    spotDepth: 8 * depthUnit,
    perpDepth: 8 * depthUnit,
    halfSpreadBps: 2,
    reachBps: 8,
    purse: 20,
  },
  ...{ latency: 1, spotTurns: [0, Number.MAX_VALUE], perpTurns: [0, Number.MAX_VALUE] },
};

function makerTerms(scene: Scene): MakerTerms {
  const { spotDepth, perpDepth, purse, latency } = scene;
  const turns = (from: number, until: number): readonly [number, number] => [
    from * turnsPerSecond,
    until * turnsPerSecond,
  ];
  return {
    spotDepth: spotDepth * depthUnit,
    perpDepth: perpDepth * depthUnit,
    halfSpreadBps: 2,
    reachBps: scene.reach,
    purse,
    latency,
    spotTurns: turns(scene.spotFrom, scene.spotUntil),
    perpTurns: turns(scene.perpFrom, scene.perpUntil),
  };
}
