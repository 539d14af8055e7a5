// The margin floor of a perpetual without an outside price: positions and orders need margin as if leverage were no
// higher than the floor allows. The reason is that an index which the venue measures itself lags behind the market, and
// a position may lose money before the index catches up. The floor applies to opening orders and withdrawals, not to
// open positions: it liquidates no account.

import { assert } from "../../../core/assert.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { marginFloorBps } from "../../risk/margin.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { RequestLane } from "../matchers/request-lane.ts";
import { leverageExtra } from "./leverage-change.ts";

const whole = 10_000;

export class MarginFloor {
  readonly #state: VenueState;
  readonly #laneOf: (market: number) => RequestLane;
  readonly #markets: readonly Market[];

  /** `laneOf` returns the lane that holds a market's orders in flight. */
  constructor(state: VenueState, laneOf: (market: number) => RequestLane) {
    this.#state = state;
    this.#laneOf = laneOf;
    this.#markets = state.table.markets.filter(isPerpetual);
  }

  /** The leverage whose initial margin equals the floor; 0 without a floor. Spec RSK-34. */
  leverageOf(market: Market): number {
    const bps = marginFloorBps(this.#state, market);
    return bps === 0 ? 0 : Math.max(Math.floor(whole / bps), 1);
  }

  /**
   * Minor units that the account's perpetuals require beyond their margin; if `leverage` is above 0, computed
   * as if it were already set in `market`.
   */
  extraOf(account: number, market: number, leverage: number): bigint {
    const { positions } = this.#state;
    let sum = 0n;
    for (const one of this.#markets) {
      const own = positions.leverage(account, one.id);
      const chosen = one.id === market && leverage > 0 ? leverage : own;
      const most = this.leverageOf(one);
      if (most === 0 || chosen <= most) continue;
      const lane = this.#laneOf(one.id);
      const atFloor = leverageExtra(this.#state, lane, account, one, most);
      const atChosen = chosen === own ? 0n : leverageExtra(this.#state, lane, account, one, chosen);
      if (atFloor > atChosen) sum += atFloor - atChosen;
    }
    assert(sum >= 0n, "a margin floor must not lower the margin requirement");
    return sum;
  }
}
