// What an open order holds, and where. Spot buys hold price × quantity of the quote asset, spot
// sells the base quantity, both exactly. Perpetual orders hold initial margin for the lots that
// open or enlarge a position: notional ÷ leverage, rounded up (the account provides the rest).

import { Wallet } from "../../core/accounts.ts";
import { asPriceTicks, asQtyLots, divCeil } from "../../core/amounts.ts";
import { type Market, MarketKind, orderValue } from "../../core/markets.ts";
import { Side } from "../../core/orders.ts";

/** The figures a hold follows from. */
export interface HoldTerms {
  readonly side: Side;
  readonly price: number;
  /** Lots still open. */
  readonly qty: number;
  readonly marginPrice: number;
  readonly marginLots: number;
  readonly leverage: number;
}

/** The wallet that pays for orders in the market. */
export function walletOf(market: Market): Wallet {
  return market.kind === MarketKind.spot ? Wallet.spot : Wallet.perp;
}

/** Id of the asset an order of `side` holds. */
export function heldAsset(market: Market, side: Side): number {
  return market.base !== null && side === Side.sell ? market.base.id : market.quote.id;
}

/** What an order with these terms holds, in minor units of `heldAsset`. */
export function holdOf(market: Market, terms: HoldTerms): bigint {
  // Only a MARKET order that finds nothing to trade with has no price, and it never trades.
  if (terms.price === 0) return 0n;
  if (market.kind === MarketKind.perpetual) {
    const lots = Math.min(terms.marginLots, terms.qty);
    if (lots === 0) return 0n;
    const value = orderValue(market, asPriceTicks(terms.marginPrice), asQtyLots(lots));
    return divCeil(value, BigInt(terms.leverage));
  }
  if (terms.side === Side.sell) return BigInt(terms.qty) * market.baseUnitsPerLot;
  return orderValue(market, asPriceTicks(terms.price), asQtyLots(terms.qty));
}
