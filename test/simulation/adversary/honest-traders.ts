// Other customers with leveraged perpetual positions, which they opened at the fair price against the maker. A moved
// mark would liquidate them, and they pay or receive funding. They take no action during the attack.

import { Wallet } from "../../../src/core/accounts.ts";
import { Side } from "../../../src/core/orders.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { AttackArena } from "./attack-arena.ts";
import { coinAt, lotsOf, ticksOf } from "./attack-coins.ts";

export interface TraderTerms {
  readonly coin: number;
  /** Number of traders, alternately long and short. */
  readonly count: number;
  /** Largest value of one trader's position, in whole units of USDC. */
  readonly notional: number;
  readonly leverageMax: number;
}

/** Opens the traders' positions; returns their accounts. */
export function openTraders(
  arena: AttackArena,
  maker: number,
  random: SeededRandom,
  { coin, count, notional, leverageMax }: TraderTerms,
): number[] {
  const { perp } = coinAt(coin);
  const fair = arena.fair[coin] ?? 0;
  // The traders have taken the maker's quotes: mark the market as traded, so that the maker quotes again.
  arena.hasTraded[perp.id] = true;
  return Array.from({ length: count }, (_, index) => {
    const account = arena.open();
    const leverage = 2 + random.below(Math.max(leverageMax - 1, 1));
    const value = notional * (0.2 + 0.8 * random.next());
    arena.credit(account, Wallet.perp, (value / leverage) * 1.02);
    arena.setLeverage(account, perp.id, leverage);
    const side = index % 2 === 0 ? Side.buy : Side.sell;
    const price = ticksOf(perp, fair, "down");
    const qty = lotsOf(perp, value, fair);
    const order = { market: perp.id, price, qty, rests: true };
    arena.cancelAll(maker, perp.id);
    arena.place({ ...order, account: maker, side: side === Side.buy ? Side.sell : Side.buy });
    arena.place({ ...order, account, side, rests: false });
    arena.cancelAll(maker, perp.id);
    return account;
  });
}
