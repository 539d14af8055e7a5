// A designated market maker of one coin. It quotes a ladder on both sides of the spot and perpetual markets, around the
// fair price. After its latency it replaces the quotes that were taken, while its money lasts. Like a real maker, it
// cannot foresee an attack or quote without money.

import { AccountType, Wallet } from "../../../src/core/accounts.ts";
import type { Market } from "../../../src/core/markets.ts";
import { Side } from "../../../src/core/orders.ts";
import type { AttackArena } from "./attack-arena.ts";
import { coinAt, lotsOf, ticksOf } from "./attack-coins.ts";

/** A maker's quoting terms. Money is in whole units of USDC; a turn is a quarter of a second. */
export interface MakerTerms {
  /** Depth on each side of the spot market. */
  readonly spotDepth: number;
  /** Depth on each side of the perpetual. */
  readonly perpDepth: number;
  /** Distance from the fair price to the best quote, in basis points. */
  readonly halfSpreadBps: number;
  /** Distance from the best to the worst quote, in basis points; the gaps between quotes grow with the distance. */
  readonly reachBps: number;
  /** How often all its quotes can be taken before its money is spent. */
  readonly purse: number;
  /** Turns between two updates of a book. */
  readonly latency: number;
  /** The turn in which it starts to quote on spot, and the turn in which it stops. */
  readonly spotTurns: readonly [number, number];
  readonly perpTurns: readonly [number, number];
}

const rungs = [0.1, 0.2, 0.3, 0.4];

export class HouseMaker {
  readonly account: number;
  readonly #arena: AttackArena;
  readonly #coin: number;
  readonly #terms: MakerTerms;
  /** Fair price around which each book's current ladder was quoted; 0 for no ladder. */
  readonly #quoted = { spot: 0, perp: 0 };

  constructor(arena: AttackArena, coin: number, terms: MakerTerms) {
    this.#arena = arena;
    this.#coin = coin;
    this.#terms = terms;
    this.account = arena.open(AccountType.house);
    const { spotDepth, perpDepth, purse } = terms;
    arena.credit(this.account, Wallet.spot, spotDepth * purse);
    arena.creditCoins(this.account, coin, spotDepth * purse);
    arena.credit(this.account, Wallet.perp, perpDepth * (purse + 2));
  }

  /** Acts in one turn; turns before the attack have negative numbers. */
  turn(turn: number): void {
    const { latency, spotTurns, perpTurns } = this.#terms;
    const { spot, perp } = coinAt(this.#coin);
    const looks = turn < 0 || turn % latency === this.#coin % latency;
    const isOn = ([from, until]: readonly [number, number]) =>
      turn < 0 ? from <= 0 : turn >= from && turn < until;
    this.#keep("spot", spot, isOn(spotTurns), looks);
    this.#keep("perp", perp, isOn(perpTurns), looks);
  }

  #keep(book: "spot" | "perp", market: Market, isOn: boolean, looks: boolean): void {
    const fair = isOn ? (this.#arena.fair[this.#coin] ?? 0) : 0;
    // Follow a move of the fair price at once, so that no order can trade against an old quote.
    const isStale = fair !== this.#quoted[book];
    if (!(isStale || (looks && isOn && this.#arena.hasTraded[market.id]))) return;
    this.#arena.cancelAll(this.account, market.id);
    this.#quoted[book] = fair;
    this.#arena.hasTraded[market.id] = false;
    if (fair > 0) this.#quote(book, market, fair);
  }

  #quote(book: "spot" | "perp", market: Market, fair: number): void {
    const { halfSpreadBps, reachBps, spotDepth, perpDepth } = this.#terms;
    const depth = book === "spot" ? spotDepth : perpDepth;
    for (const side of [Side.buy, Side.sell]) {
      let room = book === "spot" ? this.#spotRoom(side, fair) : this.#perpRoom(side, fair);
      for (const [rung, share] of rungs.entries()) {
        const away = (halfSpreadBps + reachBps * (rung / (rungs.length - 1)) ** 2) / 10_000;
        const value = Math.min(share * depth, room);
        room -= value;
        const price =
          side === Side.buy
            ? ticksOf(market, fair * (1 - away), "down")
            : ticksOf(market, fair * (1 + away), "up");
        const qty = lotsOf(market, value, fair);
        const order = { account: this.account, market: market.id, side, price, qty };
        this.#arena.place({ ...order, rests: true, isPostOnly: true });
      }
    }
  }

  #spotRoom(side: Side, fair: number): number {
    const { base } = coinAt(this.#coin).spot;
    if (side === Side.buy || base === null) return this.#arena.freeSpot(this.account, 0);
    return this.#arena.freeSpot(this.account, base.id) * fair;
  }

  /** Returns how much its position may still grow on a side, in whole units of USDC. */
  #perpRoom(side: Side, fair: number): number {
    const { perp } = coinAt(this.#coin);
    const { perpDepth, purse } = this.#terms;
    const lots = this.#arena.state.positions.qty(this.account, perp.id);
    const held = (lots / 10 ** perp.lotDecimals) * fair;
    return Math.max(perpDepth * purse - (side === Side.buy ? held : -held), 0);
  }
}
