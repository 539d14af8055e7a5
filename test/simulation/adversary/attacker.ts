// The attacker: his accounts, and how they carry out the plays of an attack plan in each turn (a quarter of a second).
// He sees all public data and also knows the fair price. He has no latency: his actions in a turn complete before the
// venue's next tick.

import { Wallet } from "../../../src/core/accounts.ts";
import type { Market } from "../../../src/core/markets.ts";
import { opposite, Side } from "../../../src/core/orders.ts";
import { RiskTerm } from "../../../src/core/perpetuals/risk-terms.ts";
import type { AttackArena } from "./attack-arena.ts";
import { attackCoins, coinAt, lotsOf, priceOfTicks, ticksOf } from "./attack-coins.ts";
import type { AttackPlan, Play } from "./attack-plan.ts";

export const turnsPerSecond = 4;

/** What a play remembers between turns. */
interface PlayMemory {
  /** Prices of the play's last bid and ask, in ticks; 0 for none. */
  bid: number;
  ask: number;
  isOn: boolean;
}

interface MarketMakers {
  readonly market: Market;
  readonly bidder: number;
  readonly offerer: number;
}

/** Returns the largest value that a position may have at a leverage, in whole units of the quote. */
function largestValue({ marginTiers, quote }: Market, leverage: number): number {
  const tier = marginTiers.find(({ leverageMax }) => leverageMax < leverage);
  const before =
    tier === undefined ? marginTiers.at(-1) : marginTiers[marginTiers.indexOf(tier) - 1];
  const most = before?.notionalMax ?? null;
  return most === null ? Number.POSITIVE_INFINITY : Number(most) / 10 ** quote.decimals;
}

/** Share of the largest affordable position that he opens; the rest pays fees. */
const marginUse = 0.95;

export class Attacker {
  readonly #arena: AttackArena;
  readonly #plan: AttackPlan;
  /** His two accounts for spot: one bids, the other asks. */
  readonly #spot: readonly [number, number];
  /** His two accounts for perpetuals: one bids, the other asks. They are not meant to keep a position. */
  readonly #painters: readonly [number, number];
  readonly #groups: Readonly<Record<Play["group"], readonly number[]>>;
  readonly #memory: PlayMemory[];
  /** Initial perp wallet balance by account. */
  readonly #given = new Map<number, number>();

  constructor(arena: AttackArena, plan: AttackPlan) {
    this.#arena = arena;
    this.#plan = plan;
    const open = (count: number) => Array.from({ length: count }, () => arena.open());
    const { accounts, purses, capital } = plan;
    const [bidder = 0, offerer = 0] = open(2);
    const [painter = 0, other = 0] = open(2);
    this.#spot = [bidder, offerer];
    this.#painters = [painter, other];
    this.#groups = { victims: open(accounts), winners: open(accounts), hunter: open(1) };
    this.#memory = plan.plays.map(() => ({ bid: 0, ask: 0, isOn: false }));
    const sum = Object.values(purses).reduce((total, part) => total + part, 0) || 1;
    const money = (part: number) => (capital * part) / sum;
    arena.credit(bidder, Wallet.spot, money(purses.cash));
    const coins = new Set(plan.plays.map(({ coin }) => coin));
    for (const coin of coins) arena.creditCoins(offerer, coin, money(purses.coins) / coins.size);
    this.#fund([painter, other], money(purses.painters));
    for (const group of ["victims", "winners", "hunter"] as const)
      this.#fund(this.#groups[group], money(purses[group]));
  }

  get accounts(): readonly number[] {
    const { victims, winners, hunter } = this.#groups;
    return [...this.#spot, ...this.#painters, ...victims, ...winners, ...hunter];
  }

  #fund(accounts: readonly number[], money: number): void {
    for (const account of accounts) {
      const own = Math.floor(money / accounts.length);
      this.#given.set(account, own);
      this.#arena.credit(account, Wallet.perp, own);
    }
  }

  /** Runs the plays that are due in a turn, and stops those that are no longer due. */
  turn(turn: number): void {
    for (const [position, play] of this.#plan.plays.entries()) {
      const memory = this.#memory[position];
      if (memory !== undefined) this.#play(play, memory, turn);
    }
  }

  #play(play: Play, memory: PlayMemory, turn: number): void {
    const second = turn / turnsPerSecond;
    const isDue = second >= play.from && second < play.until;
    const isOn = isDue && (play.quarters & (1 << (turn % turnsPerSecond))) !== 0;
    if (!isOn) {
      if (memory.isOn) this.#stop(play, memory);
      return;
    }
    memory.isOn = true;
    const price = this.#priceOf(play, second);
    if (price <= 0) return;
    const acts = {
      pair: () => this.#pair(play, price),
      pin: () => this.#pin(play, memory, price),
      paint: () => this.#paint(play, price),
      take: () => this.#take(play, price),
      serve: () => this.#serve(play, memory, price),
      withdraw: () => this.#withdraw(play),
    };
    acts[play.kind]();
  }

  #priceOf({ coin, anchor, bps, rate, from }: Play, second: number): number {
    const { perp } = coinAt(coin);
    const { state, fair } = this.#arena;
    const own = { fair: 0, mark: state.mark[perp.id] ?? 0, index: state.index[perp.id] ?? 0 };
    const base = own[anchor] === 0 ? (fair[coin] ?? 0) : own[anchor] / 10 ** perp.tickDecimals;
    return base * (1 + (bps + rate * (second - from)) / 10_000);
  }

  #stop(play: Play, memory: PlayMemory): void {
    Object.assign(memory, { bid: 0, ask: 0, isOn: false });
    const { spot, perp } = coinAt(play.coin);
    const cancel = (accounts: readonly number[], market: number) => {
      for (const account of accounts) this.#arena.cancelAll(account, market);
    };
    if (play.kind === "pin" && play.book === "spot") cancel(this.#spot, spot.id);
    else if (play.kind === "pin") cancel(this.#painters, perp.id);
    else if (play.kind === "serve") cancel(this.#groups[play.group], perp.id);
  }

  #makers({ book, coin }: Play): MarketMakers {
    const { spot, perp } = coinAt(coin);
    const [market, makers] = book === "spot" ? [spot, this.#spot] : [perp, this.#painters];
    const [bidder, offerer] = makers;
    return { market, bidder, offerer };
  }

  /** Returns the lots that an account can buy or sell at a price with the play's share of its balance. */
  #lotsFor(play: Play, account: number, side: Side, price: number): number {
    const arena = this.#arena;
    const { spot } = coinAt(play.coin);
    if (play.book === "perp") return this.#perpLots(account, side, price, play);
    if (side === Side.buy) return lotsOf(spot, play.share * arena.freeSpot(account, 0), price);
    const coins = spot.base === null ? 0 : arena.freeSpot(account, spot.base.id);
    return lotsOf(spot, play.share * coins, 1);
  }

  /**
   * Returns how many lots of a perpetual an account can afford at a price with the play's share of its available
   * balance. Each lot costs its margin, its loss at the mark, and the fee.
   */
  #perpLots(account: number, side: Side, price: number, { coin, leverage, share }: Play): number {
    const { perp } = coinAt(coin);
    this.#lever(account, perp.id, leverage);
    const ticks = this.#arena.state.mark[perp.id] ?? 0;
    const mark = ticks === 0 ? price : ticks / 10 ** perp.tickDecimals;
    const loss = Math.max(side === Side.buy ? price - mark : mark - price, 0);
    const floor = this.#arena.state.riskTerms.of(perp.id, RiskTerm.marginFloorBps) / 10_000;
    const requested =
      Math.max(price, side === Side.sell ? mark : 0) * Math.max(1 / leverage, floor);
    const money = share * Math.max(this.#arena.available(account), 0) * marginUse;
    return lotsOf(perp, money, requested + loss + price * 0.0006);
  }

  #lever(account: number, market: number, leverage: number): void {
    if (this.#arena.state.positions.leverage(account, market) === leverage) return;
    this.#arena.setLeverage(account, market, leverage);
  }

  /** Quotes both sides of a book around a price; a play that sweeps first takes the orders in between. */
  #pin(play: Play, memory: PlayMemory, price: number): void {
    const arena = this.#arena;
    const { market, bidder, offerer } = this.#makers(play);
    const bid = ticksOf(market, price * (1 - play.spread / 20_000), "down");
    const ask = Math.max(ticksOf(market, price * (1 + play.spread / 20_000), "up"), bid + 1);
    const isThere = [bidder, offerer].every((account) => arena.openOrders(account, market.id) > 0);
    const isMet = play.sweeps && this.#isInTheWay(market.id, bid, ask);
    if (isThere && !isMet && memory.bid === bid && memory.ask === ask) return;
    for (const account of [bidder, offerer]) arena.cancelAll(account, market.id);
    Object.assign(memory, { bid, ask });
    const makers = [
      { account: bidder, side: Side.buy, ticks: bid },
      { account: offerer, side: Side.sell, ticks: ask },
    ];
    for (const { account, side } of play.sweeps ? makers : [])
      this.#sweep(play, account, side, side === Side.buy ? ask : bid);
    for (const { account, side, ticks } of makers) {
      const qty = this.#lotsFor(play, account, side, priceOfTicks(market, ticks));
      const order = { account, market: market.id, side, price: ticks, qty };
      arena.place({ ...order, rests: true, isPostOnly: true });
    }
  }

  /** Returns whether an order in the book bids above `bid` or asks below `ask`. */
  #isInTheWay(market: number, bid: number, ask: number): boolean {
    const bestAsk = this.#arena.best(market, Side.sell);
    return this.#arena.best(market, Side.buy) > bid || (bestAsk > 0 && bestAsk < ask);
  }

  /** Takes the orders of the opposite side up to a price. */
  #sweep(play: Play, account: number, side: Side, limit: number): void {
    const { market } = this.#makers(play);
    const best = this.#arena.best(market.id, opposite(side));
    const isIn = best > 0 && (side === Side.buy ? best <= limit : best >= limit);
    if (!isIn) return;
    const qty = this.#lotsFor(play, account, side, priceOfTicks(market, limit));
    this.#arena.place({ account, market: market.id, side, price: limit, qty, rests: false });
  }

  /**
   * Trades between two of his own accounts. In a perpetual, the account with the larger position sells, so that the
   * positions stay small.
   */
  #paint(play: Play, price: number): void {
    const { market, bidder, offerer } = this.#makers(play);
    const { positions } = this.#arena.state;
    const held = (account: number) => positions.qty(account, market.id);
    const isTurned = play.book === "perp" && held(bidder) > held(offerer);
    const [seller, buyer] = isTurned ? [bidder, offerer] : [offerer, bidder];
    const ticks = ticksOf(market, price, "down");
    const sold = this.#lotsFor(play, seller, Side.sell, price);
    const qty = Math.min(sold, this.#lotsFor(play, buyer, Side.buy, price));
    this.#cross(market.id, { seller, buyer, qty, ticks, restsBuyer: play.side < 0 });
  }

  #cross(
    market: number,
    {
      seller,
      buyer,
      qty,
      ticks,
      restsBuyer,
    }: { seller: number; buyer: number; qty: number; ticks: number; restsBuyer: boolean },
  ): void {
    const [first, second] = restsBuyer ? [buyer, seller] : [seller, buyer];
    const side = restsBuyer ? Side.buy : Side.sell;
    const order = { market, price: ticks, qty };
    this.#arena.place({ ...order, account: first, side, rests: true });
    this.#arena.place({ ...order, account: second, side: opposite(side), rests: false });
    this.#arena.cancelAll(first, market);
  }

  /** Opens opposite positions of winners and victims, pair by pair. */
  #pair(play: Play, price: number): void {
    const { perp } = coinAt(play.coin);
    for (const [position, victim] of this.#groups.victims.entries()) {
      const winner = this.#groups.winners[position] ?? 0;
      const [seller, buyer] = play.side > 0 ? [victim, winner] : [winner, victim];
      const sold = this.#missing(seller, play, Side.sell, price);
      const missing = Math.min(sold, this.#missing(buyer, play, Side.buy, price));
      if (missing <= 0) continue;
      const ticks = ticksOf(perp, price, play.side > 0 ? "down" : "up");
      const restsBuyer = play.side > 0;
      this.#cross(perp.id, { seller, buyer, qty: missing, ticks, restsBuyer });
    }
  }

  /** Returns the lots that an account still needs for a play's position and can afford. */
  #missing(account: number, play: Play, side: Side, price: number): number {
    const { perp } = coinAt(play.coin);
    const given = this.#given.get(account) ?? 0;
    const largest = largestValue(perp, play.leverage) * 0.99;
    const value = Math.min(play.share * given * play.leverage * marginUse, largest);
    const wanted = lotsOf(perp, value, price);
    const held = Math.abs(this.#arena.state.positions.qty(account, perp.id));
    return Math.min(wanted - held, this.#perpLots(account, side, price, { ...play, share: 1 }));
  }

  #take(play: Play, price: number): void {
    const { perp } = coinAt(play.coin);
    const side = play.side > 0 ? Side.buy : Side.sell;
    const ticks = ticksOf(perp, price, side === Side.buy ? "down" : "up");
    for (const account of this.#groups[play.group]) {
      const qty = this.#missing(account, play, side, price);
      this.#arena.place({ account, market: perp.id, side, price: ticks, qty, rests: false });
    }
  }

  /**
   * Offers to close a group's positions with accounts that are forced to buy or sell. The hunter instead offers to open
   * positions.
   */
  #serve(play: Play, memory: PlayMemory, price: number): void {
    const arena = this.#arena;
    const { perp } = coinAt(play.coin);
    const ticks = ticksOf(perp, price, play.side > 0 ? "up" : "down");
    const hasMoved = memory.bid !== ticks;
    memory.bid = ticks;
    for (const account of this.#groups[play.group]) {
      const held = arena.state.positions.qty(account, perp.id);
      const opens = play.group === "hunter";
      const isBuy = opens ? play.side > 0 : held < 0;
      const side = isBuy ? Side.buy : Side.sell;
      const qty = opens ? this.#missing(account, play, side, price) : Math.abs(held);
      const isThere = arena.openOrders(account, perp.id) > 0;
      if (qty <= 0 || (isThere && !hasMoved)) continue;
      arena.cancelAll(account, perp.id);
      const order = { account, market: perp.id, side, price: ticks, qty, rests: true };
      arena.place({ ...order, isReduceOnly: !opens });
    }
  }

  #withdraw({ group }: Play): void {
    for (const account of this.#groups[group]) this.#arena.withdraw(account);
  }

  stop(): void {
    for (const account of this.accounts) {
      for (const { spot, perp } of attackCoins) {
        this.#arena.cancelAll(account, spot.id);
        this.#arena.cancelAll(account, perp.id);
      }
    }
  }
}
