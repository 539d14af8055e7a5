// Commission rates of an account in a market, in spot's format. There are no discounts, special rates or
// taxes; house accounts pay nothing.

import type { Market } from "../../../core/markets.ts";
import type { VenueState } from "../../../engine/state/venue-state.ts";
import { rateText } from "../orders/order-format.ts";

export interface FeeRates {
  readonly makerBps: number;
  readonly takerBps: number;
}

const zeroRate = rateText(0);
const noDiscount =
  '"discount":{"enabledForAccount":false,"enabledForSymbol":false,"discountAsset":""' +
  `,"discount":"${zeroRate}"}`;

/** The account's rates in the market. */
export function ratesOf({ accounts }: VenueState, account: number, market: Market): FeeRates {
  if (accounts.isHouse(account)) return { makerBps: 0, takerBps: 0 };
  return { makerBps: market.makerFeeBps, takerBps: market.takerFeeBps };
}

/** Commission rates by role and by side. The rates by side are always zero. */
export function ratesText({ makerBps, takerBps }: FeeRates): string {
  const roles = `"maker":"${rateText(makerBps)}","taker":"${rateText(takerBps)}"`;
  return `{${roles},"buyer":"${zeroRate}","seller":"${zeroRate}"}`;
}

/** Answer of GET account/commission. */
export function commissionText(market: Market, rates: FeeRates): string {
  const none = ratesText({ makerBps: 0, takerBps: 0 });
  return (
    `{"symbol":"${market.symbol}","standardCommission":${ratesText(rates)}` +
    `,"specialCommission":${none},"taxCommission":${none},${noDiscount}}`
  );
}

/** Answer of POST order/test with computeCommissionRates. */
export function orderCommissionText({ makerBps, takerBps }: FeeRates): string {
  const roles = (maker: number, taker: number) =>
    `{"maker":"${rateText(maker)}","taker":"${rateText(taker)}"}`;
  return (
    `{"standardCommissionForOrder":${roles(makerBps, takerBps)}` +
    `,"specialCommissionForOrder":${roles(0, 0)},"taxCommissionForOrder":${roles(0, 0)},${noDiscount}}`
  );
}
