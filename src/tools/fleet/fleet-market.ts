// Markets that a fleet trades, spot and perpetual: builds the requests of their API and interprets the responses. Price
// and quantity steps come from the venue's listings. Perpetuals use `/compat`, because the root accepts only two
// decimals in prices, which is too coarse for low-priced assets.

import { formatScaled } from "../../core/money/amounts.ts";
import { firstPrices, getJson, readFlowMarkets } from "../load/flow-markets.ts";

export type Side = "BUY" | "SELL";

export interface FleetMarket {
  readonly symbol: string;
  readonly isSpot: boolean;
  /**
   * Asset whose reference price the market follows: the base asset of a spot market; a perpetual uses the spot asset of
   * the same coin.
   */
  readonly coin: string;
  readonly tickDecimals: number;
  readonly lotDecimals: number;
  /** Smallest order of the fleet in lots. */
  readonly qtyLotsMin: number;
  /** Value of the reference price at the start, in the quote asset. */
  readonly firstPrice: number;
}

/** An order's terms; price in ticks, quantity in lots. */
export interface Quote {
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
}

interface PerpListing {
  readonly symbols: readonly {
    readonly symbol: string;
    readonly status: string;
    readonly baseAsset: string;
    readonly pricePrecision: number;
    readonly quantityPrecision: number;
  }[];
}

/** Spot assets that wrap the base assets of perpetuals. */
const wrapped: Readonly<Record<string, string>> = { BTC: "CBTC", ETH: "CETH" };
/** Value of the fleet's smallest order of a perpetual, in the quote asset. */
const perpNotional = 25;

/** Returns the venue's trading markets, or only those in `symbols`; throws for an unknown symbol. */
export async function readFleetMarkets(
  url: string,
  symbols: readonly string[],
): Promise<FleetMarket[]> {
  const [spot, listing] = await Promise.all([
    readFlowMarkets(url, []),
    getJson<PerpListing>(`${url}/compat/fapi/v1/exchangeInfo`),
  ]);
  const spots = spot.map((market): FleetMarket => {
    const { symbol, tickDecimals, lotDecimals, qtyLotsMin, middleTicks } = market;
    const coin = symbol.split("-")[0] ?? symbol;
    const firstPrice = middleTicks / 10 ** tickDecimals;
    return { symbol, isSpot: true, coin, tickDecimals, lotDecimals, qtyLotsMin, firstPrice };
  });
  const perps = listing.symbols
    .filter(({ status }) => status === "TRADING")
    .map((listed): FleetMarket => {
      const { symbol, pricePrecision: tickDecimals, quantityPrecision: lotDecimals } = listed;
      const coin = wrapped[listed.baseAsset] ?? listed.baseAsset;
      // Spot and perpetual of one asset share a reference price; otherwise the perpetual's mark would diverge from it.
      const firstPrice =
        spots.find((each) => each.coin === coin)?.firstPrice ?? firstPrices[coin] ?? 100;
      const qtyLotsMin = Math.max(1, Math.ceil((perpNotional / firstPrice) * 10 ** lotDecimals));
      return { symbol, isSpot: false, coin, tickDecimals, lotDecimals, qtyLotsMin, firstPrice };
    });
  const all = [...spots, ...perps];
  return symbols.length === 0 ? all : symbols.map((name) => named(all, name));
}

function named(markets: readonly FleetMarket[], name: string): FleetMarket {
  const found = markets.find(({ symbol }) => symbol === name);
  if (found !== undefined) return found;
  const known = markets.map(({ symbol }) => symbol).join(", ");
  throw new Error(`no trading market ${name}; trading markets: ${known}`);
}

/** A request before it is signed. */
export interface FleetRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query: string;
}

function termsOf({ tickDecimals, lotDecimals }: FleetMarket, { side, price, qty }: Quote): string {
  return (
    `side=${side}&quantity=${formatScaled(qty, lotDecimals)}` +
    `&price=${formatScaled(price, tickDecimals)}`
  );
}

/** Returns a request that places an order; the answer contains the order's result. */
export function placing(market: FleetMarket, quote: Quote, lasts: "GTC" | "IOC"): FleetRequest {
  const path = market.isSpot ? "/api/v3/order" : "/compat/fapi/v1/order";
  const form = `&type=LIMIT&timeInForce=${lasts}&newOrderRespType=RESULT`;
  const query = `symbol=${market.symbol}&${termsOf(market, quote)}${form}`;
  return { method: "POST", path, query };
}

/** Returns a request that moves an order to the terms of `quote`: a cancel-replace on spot, an amend on perpetuals. */
export function moving(market: FleetMarket, orderId: number, quote: Quote): FleetRequest {
  const terms = `symbol=${market.symbol}&${termsOf(market, quote)}`;
  if (!market.isSpot) {
    return { method: "PUT", path: "/compat/fapi/v1/order", query: `${terms}&orderId=${orderId}` };
  }
  const form = "&type=LIMIT&timeInForce=GTC&newOrderRespType=RESULT";
  const query = `${terms}${form}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrderId=${orderId}`;
  return { method: "POST", path: "/api/v3/order/cancelReplace", query };
}

export function cancelling(market: FleetMarket, orderId: number): FleetRequest {
  const path = market.isSpot ? "/api/v3/order" : "/compat/fapi/v1/order";
  return { method: "DELETE", path, query: `symbol=${market.symbol}&orderId=${orderId}` };
}

/** Returns a request that cancels all open orders of the account in the market. */
export function clearing(market: FleetMarket): FleetRequest {
  const path = market.isSpot ? "/api/v3/openOrders" : "/compat/fapi/v1/allOpenOrders";
  return { method: "DELETE", path, query: `symbol=${market.symbol}` };
}

/** Returns a request for the account's holdings on the market's API. */
export function looking(market: FleetMarket): FleetRequest {
  const path = market.isSpot ? "/api/v3/account" : "/compat/fapi/v2/account";
  return { method: "GET", path, query: "" };
}

interface SpotAccount {
  readonly balances: readonly {
    readonly asset: string;
    readonly free: string;
    readonly locked: string;
  }[];
}

interface PerpAccount {
  readonly totalMarginBalance: string;
  readonly positions: readonly { readonly symbol: string; readonly positionAmt: string }[];
}

/** What an account holds on one API. */
export interface Holding {
  /** Amount of the quote asset; on perpetuals it includes unrealised PnL. */
  readonly quote: number;
  /** Balances (spot) or positions (perpetuals) by market. */
  readonly base: ReadonlyMap<string, number>;
}

/** Reads the response to `looking`; all of `markets` must be of the same API. */
export function holdingOf(markets: readonly FleetMarket[], body: unknown): Holding {
  const base = new Map<string, number>();
  if (markets[0]?.isSpot === false) {
    const { totalMarginBalance, positions } = body as PerpAccount;
    for (const { symbol } of markets) {
      const position = positions.find((each) => each.symbol === symbol);
      base.set(symbol, Number(position?.positionAmt ?? 0));
    }
    return { quote: Number(totalMarginBalance), base };
  }
  const { balances } = body as SpotAccount;
  const held = (code: string): number => {
    const row = balances.find(({ asset }) => asset === code);
    return row === undefined ? 0 : Number(row.free) + Number(row.locked);
  };
  for (const { symbol, coin } of markets) base.set(symbol, held(coin));
  return { quote: held(markets[0]?.symbol.split("-")[1] ?? ""), base };
}

/**
 * Outcome of a request. `late`: the order was already closed. `unsure`: it is unknown whether the request was executed.
 */
export type Outcome = "done" | "late" | "limited" | "unavailable" | "unsure" | "refused";

export interface FleetStep {
  readonly request: FleetRequest;
  readonly market: FleetMarket;
  readonly kind: "order" | "cancel" | "look";
  /** Called with the outcome, and with the body of the response if there was one. */
  ended(outcome: Outcome, body: unknown): void;
}

/** The fields of an order that both APIs return. */
interface OrderBody {
  readonly orderId: number;
  readonly status: string;
  readonly executedQty: string;
}

interface RefusalBody {
  readonly code?: number;
  readonly data?: { readonly cancelResponse?: { readonly code?: number } | null };
}

/** Error codes that mean that the order is closed: -2011 for a cancel, -2013 for an amend under `/compat`. */
const orderUnknown: readonly (number | undefined)[] = [-2011, -2013];

/**
 * Returns the outcome of a response. A cancel or amend is `late` if its order was already closed, which is expected.
 * Any other refusal is unexpected.
 */
export function outcomeOf(status: number, body: unknown): Outcome {
  if (status === 200) return "done";
  if (status === 429) return "limited";
  if (status === 503) return "unavailable";
  if (status === 408) return "unsure";
  const { code, data } = body as RefusalBody;
  const isLate = orderUnknown.includes(code) || orderUnknown.includes(data?.cancelResponse?.code);
  return isLate ? "late" : "refused";
}

/** Returns the order in a response; a response to a cancel-replace contains it as a nested object. */
export function orderIn(body: unknown): OrderBody {
  return (body as { newOrderResponse?: OrderBody }).newOrderResponse ?? (body as OrderBody);
}
