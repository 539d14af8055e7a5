// What an open order holds, and where. Spot buys hold price × quantity of the quote asset, spot
// sells the base quantity, both exactly. Perpetual orders hold initial margin for the lots that
// open or enlarge a position: notional ÷ leverage, rounded up (the account provides the rest).

import { Wallet } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import { type Market, MarketKind, orderValue } from "../../../core/markets.ts";
import { bigintOf, divCeil, type PriceTicks, type QtyLots } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";

/** The wallet that pays for orders in the market. */
export function walletOf(market: Market): Wallet {
  return market.kind === MarketKind.spot ? Wallet.spot : Wallet.perp;
}

/** Id of the asset an order of `side` holds. */
export function heldAsset(market: Market, side: Side): number {
  return market.base !== null && side === Side.sell ? market.base.id : market.quote.id;
}

/** What a spot order holds for its open lots, in minor units of `heldAsset`: exact. Spec ACC-2. */
export function spotHold(market: Market, side: Side, price: PriceTicks, qty: QtyLots): bigint {
  assert(market.kind === MarketKind.spot, "a spot order pays with what it has");
  // Only a MARKET order that finds nothing to trade with has no price, and it never trades. Most orders
  // that trade have nothing open afterwards.
  if (price === 0 || qty === 0) return 0n;
  return side === Side.sell
    ? bigintOf(qty) * market.baseUnitsPerLot
    : orderValue(market, price, qty);
}

/**
 * What a perpetual order holds for its margined lots, in minor units of the quote: their value ÷
 * leverage, rounded up because the account provides it. Spec ACC-8.
 */
export function marginHold(
  market: Market,
  price: PriceTicks,
  lots: QtyLots,
  leverage: number,
): bigint {
  assert(market.kind === MarketKind.perpetual, "a perpetual order holds margin");
  return lots === 0 ? 0n : divCeil(orderValue(market, price, lots), bigintOf(leverage));
}
