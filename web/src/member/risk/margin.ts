// The margin of the user's perpetual account: equity, what its positions and orders need, the leverage in each market,
// and the tiers of maintenance margin. Read after every change of the account; between two reads the page revalues all
// positions with the live marks, so that ticket, strip and wallet show the same available balance as the venue.

import { computed, signal } from "@preact/signals";
import { AnswerOrder } from "../../answer-order.ts";
import { cutTo, exact, roundedTo, sizeOf, times, whole } from "../../markets/exact.ts";
import { markets } from "../../markets/markets.ts";
import { type Holding, type MarginTier, maintenanceOf } from "../../markets/order-estimate.ts";
import { percentOfMargin } from "../../markets/positions/guard-terms.ts";
import { requestSigned } from "../signed-request.ts";
import { markOf } from "./marks.ts";

/** What this file reads of a position. */
interface Held {
  readonly symbol: string;
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
  readonly entry_price: string;
  readonly mark_price: string | null;
  readonly margin: string;
  readonly unrealized_pnl: string;
}

interface MarketMargin {
  /** Name on the signed surfaces: BTCUSDT. */
  readonly symbol: string;
  readonly leverage: string;
  readonly maintMargin: string;
  /** Of position and open orders. */
  readonly initialMargin: string;
  readonly openOrderInitialMargin: string;
  readonly unrealizedProfit: string;
  readonly positionAmt: string;
  /** Signed value at the mark of the read. */
  readonly notional: string;
  readonly entryPrice: string;
}

export interface AccountMargin {
  readonly totalWalletBalance: string;
  readonly totalInitialMargin: string;
  readonly totalMaintMargin: string;
  readonly positions: readonly MarketMargin[];
}

interface Brackets {
  readonly symbol: string;
  readonly brackets: readonly {
    readonly initialLeverage: number;
    readonly notionalCap: number;
    readonly maintMarginRatio: number;
    readonly cum: number;
  }[];
}

/** A tier with the highest leverage that its positions may have. */
interface LeveragedTier extends MarginTier {
  readonly leverageMax: number;
}

/** Null before the first read and without a session. */
export const accountMargin = signal<AccountMargin | null>(null);
const tiersBySymbol = signal<ReadonlyMap<string, readonly LeveragedTier[]>>(new Map());

/** Leverage in a market that an account has before it sets one. */
const usualLeverage = 10;

/** Numbers of these answers are figures of the market's terms; their shortest text is exact. */
function figure(value: number): bigint {
  return exact(String(value)) ?? 0n;
}

async function readTiers(): Promise<void> {
  const rows = await requestSigned<Brackets[]>("GET", "/compat/fapi/v1/leverageBracket");
  tiersBySymbol.value = new Map(
    rows.map(({ symbol, brackets }) => [
      symbol,
      brackets.map(({ initialLeverage, notionalCap, maintMarginRatio, cum }) => ({
        leverageMax: initialLeverage,
        rate: figure(maintMarginRatio),
        valueMax: figure(notionalCap),
        offset: figure(cum),
      })),
    ]),
  );
}

const order = new AnswerOrder();

export async function readMargin(): Promise<void> {
  const read = order.begin();
  const margin = await requestSigned<AccountMargin>("GET", "/compat/fapi/v2/account");
  if (order.takes(read)) accountMargin.value = margin;
  if (tiersBySymbol.value.size === 0) await readTiers();
}

export function forgetMargin(): void {
  accountMargin.value = null;
}

function marginIn(listed: string): MarketMargin | undefined {
  return accountMargin.value?.positions.find(({ symbol }) => symbol === listed);
}

/** The account's leverage in a perpetual market. */
export function leverageIn(listed: string): number {
  return Number(marginIn(listed)?.leverage ?? usualLeverage);
}

/** Margin that the account's open orders in a market lock. */
export function orderMarginIn(listed: string): string {
  return marginIn(listed)?.openOrderInitialMargin ?? "0";
}

/** Maintenance margin of the account's position in a market at the newest mark. */
export function maintenanceIn(listed: string): string {
  const row = marginIn(listed);
  return row === undefined ? "0" : cutTo(maintenanceNow(row), moneyPlaces);
}

export function tiersIn(listed: string): readonly LeveragedTier[] {
  return tiersBySymbol.value.get(listed) ?? [];
}

/** The largest value that a position may have at a leverage, in exact units; null for no limit, or while unknown. */
export function largestValue(listed: string, leverage: number): bigint | null {
  const tiers = tiersIn(listed);
  const last = tiers.filter(({ leverageMax }) => leverageMax >= leverage).at(-1);
  return last === undefined || last === tiers.at(-1) ? null : last.valueMax;
}

/** The account's position in a market in exact units; negative for a short one. */
export function quantityIn(listed: string): bigint {
  return exact(marginIn(listed)?.positionAmt) ?? 0n;
}

/** Profit of a position at the newest mark, exactly as on the venue: the profit of the read and what the mark added. */
function profitOf({ symbol, unrealizedProfit, positionAmt, notional }: MarketMargin): bigint {
  const [profit, quantity] = [exact(unrealizedProfit) ?? 0n, exact(positionAmt) ?? 0n];
  const now = exact(markOf(symbol)) ?? 0n;
  if (quantity === 0n || now === 0n) return profit;
  return profit + times(quantity, now) - (exact(notional) ?? 0n);
}

/** Maintenance margin of a position at the newest mark: that of the read, and what the mark has changed of it. */
function maintenanceNow({ symbol, maintMargin, positionAmt, notional }: MarketMargin): bigint {
  const [read, quantity] = [exact(maintMargin) ?? 0n, exact(positionAmt) ?? 0n];
  const [now, tiers] = [exact(markOf(symbol)) ?? 0n, tiersIn(symbol)];
  if (quantity === 0n || now === 0n) return read;
  const of = (value: bigint) => maintenanceOf(sizeOf(value), tiers);
  return read + of(times(quantity, now)) - of(exact(notional) ?? 0n);
}

/** The account's position in a market, and what stands behind it: the collateral and all its other positions. */
export function holdingIn(listed: string, perpWallet: string | undefined): Holding {
  const own = marginIn(listed);
  const quantity = exact(own?.positionAmt) ?? 0n;
  const others = (accountMargin.value?.positions ?? []).filter(({ symbol }) => symbol !== listed);
  const behind = others.reduce(
    (sum, row) => sum + profitOf(row) - (exact(row.maintMargin) ?? 0n),
    exact(perpWallet) ?? 0n,
  );
  return { quantity, cost: times(quantity, exact(own?.entryPrice) ?? 0n), behind };
}

const moneyPlaces = 6;

/** A position at the newest mark; of the market in sight, the mark of its bar at the same moment. */
export function revalued<T extends Held>(position: T): T {
  const { symbol, qty, side, entry_price: entry, mark_price: before } = position;
  const listed = markets.value.find((market) => market.symbol === symbol)?.listed ?? "";
  const price = markOf(listed);
  const [now, size, read] = [exact(price), exact(qty), exact(before) ?? exact(entry)];
  if (price === undefined || now === null || now === 0n || size === null || read === null) {
    return position;
  }
  const change = times(now - read, side === "LONG" ? size : -size);
  const profit = (exact(position.unrealized_pnl) ?? 0n) + change;
  return { ...position, mark_price: price, unrealized_pnl: cutTo(profit, moneyPlaces) };
}

export interface RiskFigures {
  /** Cash of the perp wallet. */
  readonly wallet: string;
  readonly equity: string;
  readonly maintenance: string;
  /** Maintenance margin as a percentage of the equity: at 100 the account is liquidated. Null without equity. */
  readonly ratio: string | null;
  readonly available: string;
  readonly unrealized: string;
}

/** Margin ratio in percent above which the account is close to its liquidation. */
const callAbove = 80;

/** Whether the account is close to its liquidation, or due for it. */
export function isCalled({ ratio, maintenance }: RiskFigures): boolean {
  if (ratio === null) return (exact(maintenance) ?? 0n) > 0n;
  return Number(ratio) > callAbove;
}

/** The account's risk at the newest marks; null while unknown. */
export const risk = computed<RiskFigures | null>(() => {
  const { value } = accountMargin;
  if (value === null) return null;
  const unrealized = value.positions.reduce((sum, row) => sum + profitOf(row), 0n);
  const wallet = exact(value.totalWalletBalance) ?? 0n;
  const equity = wallet + unrealized;
  // Profit that is not realized is no margin.
  const free = (unrealized < 0n ? equity : wallet) - (exact(value.totalInitialMargin) ?? 0n);
  const maintenance = value.positions.reduce(
    (sum, row) => sum + maintenanceNow(row) - (exact(row.maintMargin) ?? 0n),
    exact(value.totalMaintMargin) ?? 0n,
  );
  const hundred = 100n * whole;
  return {
    wallet: value.totalWalletBalance,
    equity: cutTo(equity, moneyPlaces),
    maintenance: cutTo(maintenance, moneyPlaces),
    ratio: equity <= 0n ? null : roundedTo((maintenance * hundred) / equity, 2),
    available: cutTo(free > 0n ? free : 0n, moneyPlaces),
    unrealized: cutTo(unrealized, moneyPlaces),
  };
});

/** Profit as a percentage of the margin that the position was opened with. */
export function returnOnMargin({ unrealized_pnl: profit, margin }: Held): string | null {
  return percentOfMargin(profit, margin);
}
