// Commands of market makers in a random day of a venue: mass quotes, mass cancels and market-maker protection.

import {
  type CancelOrders,
  CommandKind,
  type MassQuote,
  type ResetMakerGroup,
  type SetMakerGroup,
} from "../../src/core/generated/commands.ts";
import { quoteSidesMax } from "../../src/core/limits.ts";
import type { Side } from "../../src/core/orders.ts";
import type { Draft } from "../support/machine/test-venue.ts";

/** An account, a market, and the market's usual price in ticks. */
interface MakerScene {
  readonly account: number;
  readonly market: number;
  readonly price: number;
}

/** Returns a mass cancel: of any markets or of one, of a side, or in a band of prices. */
export function coveredOf(
  { account, market, price }: MakerScene,
  how: number,
): Draft<CancelOrders> {
  const isBand = how % 2 === 0;
  const side = how % 3 === 0 ? null : (((how % 3) - 1) as Side);
  return {
    kind: CommandKind.cancelOrders,
    account,
    markets: isBand ? 1 << market : how,
    side,
    minPrice: isBand && how % 5 > 0 ? price - Math.ceil(price / 1000) : 0,
    maxPrice: isBand && how % 7 > 0 ? price + Math.ceil(price / 1000) : 0,
    group: how % 13 === 0 ? 1 + (how % 3) : 0,
  };
}

/** Returns a mass quote of a few levels around the usual price; some sides are removed, or would take. */
export function quotesOf(
  { account, market, price }: MakerScene,
  how: number,
  much: number,
): Draft<MassQuote> {
  const quotes = new Uint32Array(2 * quoteSidesMax);
  let sides = 0;
  for (let at = 0; at < quoteSidesMax; at++) {
    const draw = (how * (at + 3) + much) % 101;
    if (draw % 3 === 0) continue;
    sides |= 1 << at;
    const step = Math.ceil(price / 2000) * ((draw % 11) - 1);
    quotes[2 * at] = Math.max(at % 2 === 0 ? price - step : price + step, 0);
    quotes[2 * at + 1] = draw % 5 === 0 ? 0 : 1 + (draw % 40);
  }
  return {
    kind: CommandKind.massQuote,
    account,
    market,
    sides: how % 97 === 0 ? 0 : sides,
    quotes,
  };
}

/** Returns a command about market-maker protection: a group of some markets, often with narrow limits, or its reset. */
export function groupOf(
  { account, market }: Omit<MakerScene, "price">,
  how: number,
  much: number,
): Draft<SetMakerGroup | ResetMakerGroup> {
  const group = (how >> 4) % 4;
  if (much % 3 === 0) return { kind: CommandKind.resetMakerGroup, account, group };
  // Markets 4 to 6 are perpetuals of different bases, so a group of two has no limit of quantity.
  const pair = (1 << market) | (1 << ((market + 1) % 8));
  return {
    kind: CommandKind.setMakerGroup,
    account,
    group,
    markets: how % 11 === 0 ? 0 : how % 5 === 0 ? pair : 1 << market,
    windowUs: (much % 500) * 1000,
    qtyLimit: much % 2 === 0 ? (much % 300) * 10 : 0,
    valueLimit: how % 2 === 0 ? BigInt(much) * 10n ** 8n : 0n,
    countLimit: 1 + (much % 40),
  };
}
