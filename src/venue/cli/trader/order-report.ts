// An order as the trading commands show it: its terms, what was filled at which average price, and the fee.

import { formatScaled, parseAmount } from "../../../core/money/amounts.ts";
import { assetOf, nameOf } from "./order-terms.ts";

/** Decimals of an average price, as the perpetual routes answer it. */
const averageDecimals = 8;

/** What the order routes answer of an order, as far as it is shown; amounts are decimal texts. */
export interface AnsweredOrder {
  readonly orderId: number;
  readonly clientOrderId: string;
  /** The order's own id, where `clientOrderId` is that of its cancel. */
  readonly origClientOrderId?: string;
  readonly symbol: string;
  readonly side: string;
  readonly type: string;
  readonly price: string;
  readonly origQty: string;
  readonly executedQty: string;
  readonly status: string;
  /** Perpetuals. */
  readonly avgPrice?: string;
  /** Spot. */
  readonly cummulativeQuoteQty?: string;
}

/** A fill's fee. */
export interface Charge {
  readonly commission: string;
  readonly commissionAsset: string;
}

/** The fields of an order that matter at a terminal; a price, an average or an id that it does not have is null. */
export function orderRow(order: AnsweredOrder): object {
  const { orderId, clientOrderId, origClientOrderId, symbol, side, type } = order;
  return {
    order: orderId,
    id: origClientOrderId ?? clientOrderId,
    market: nameOf(symbol),
    side,
    type,
    price: unlessZero(order.price),
    quantity: order.origQty,
    filled: order.executedQty,
    average_price: averagePrice(order),
    status: order.status,
  };
}

/** The sum of the fees and its asset; both null without a fill. All fees of an order are in one asset. */
export function feeOf(charges: readonly Charge[]): object {
  const [first] = charges;
  if (first === undefined) return { fee: null, fee_asset: null };
  const fee = sumOf(charges.map(({ commission }) => commission));
  return { fee, fee_asset: assetOf(first.commissionAsset) };
}

/** The sum of decimal texts, with as many decimals as the longest of them. */
export function sumOf(amounts: readonly string[]): string {
  const decimals = Math.max(...amounts.map(decimalsOf));
  return formatScaled(
    amounts.reduce((sum, amount) => sum + units(amount, decimals), 0n),
    decimals,
  );
}

/** `text`, or null if it is a zero that stands for "none". */
export function unlessZero(text: string): string | null {
  return Number(text) === 0 ? null : text;
}

/** The mean price of what was filled, rounded down to eight decimals; null before the first fill. */
function averagePrice(order: AnsweredOrder): string | null {
  const { executedQty, avgPrice, cummulativeQuoteQty } = order;
  if (Number(executedQty) === 0) return null;
  if (avgPrice !== undefined || cummulativeQuoteQty === undefined) return avgPrice ?? null;
  const lotDecimals = decimalsOf(executedQty);
  const quoteDecimals = decimalsOf(cummulativeQuoteQty);
  const value =
    units(cummulativeQuoteQty, quoteDecimals) * 10n ** BigInt(averageDecimals + lotDecimals);
  const lots = units(executedQty, lotDecimals) * 10n ** BigInt(quoteDecimals);
  return formatScaled(value / lots, averageDecimals);
}

function decimalsOf(text: string): number {
  return text.split(".")[1]?.length ?? 0;
}

function units(text: string, decimals: number): bigint {
  const value = parseAmount(text, decimals);
  if (value === null) throw new Error(`the venue answered ${text} where an amount belongs`);
  return value;
}
