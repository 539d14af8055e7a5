// The margin of the user's perpetual account: equity, what its positions and orders need, the leverage in each market,
// and the tiers of maintenance margin. Read after every change of the account; between two reads the page revalues the
// positions with the live mark.

import { signal } from "@preact/signals";
import { cutTo, exact, roundedTo, times, whole } from "../markets/exact.ts";
import { mark } from "../markets/market-figures.ts";
import { market } from "../markets/markets.ts";
import type { Holding, MarginTier } from "../markets/order-estimate.ts";
import { requestSigned } from "./signed-request.ts";

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
  readonly openOrderInitialMargin: string;
  readonly unrealizedProfit: string;
  readonly positionAmt: string;
  readonly entryPrice: string;
}

export interface AccountMargin {
  readonly totalWalletBalance: string;
  readonly totalMaintMargin: string;
  readonly availableBalance: string;
  readonly positions: readonly MarketMargin[];
}

interface Brackets {
  readonly symbol: string;
  readonly brackets: readonly {
    readonly notionalCap: number;
    readonly maintMarginRatio: number;
    readonly cum: number;
  }[];
}

/** Null before the first read and without a session. */
export const accountMargin = signal<AccountMargin | null>(null);
const tiersBySymbol = signal<ReadonlyMap<string, readonly MarginTier[]>>(new Map());

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
      brackets.map(({ notionalCap, maintMarginRatio, cum }) => ({
        rate: figure(maintMarginRatio),
        valueMax: figure(notionalCap),
        offset: figure(cum),
      })),
    ]),
  );
}

export async function readMargin(): Promise<void> {
  accountMargin.value = await requestSigned<AccountMargin>("GET", "/compat/fapi/v2/account");
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

export function maintenanceIn(listed: string): string {
  return marginIn(listed)?.maintMargin ?? "0";
}

export function tiersIn(listed: string): readonly MarginTier[] {
  return tiersBySymbol.value.get(listed) ?? [];
}

/** The account's position in a market, and what stands behind it: the collateral and all its other positions. */
export function holdingIn(listed: string, perpWallet: string | undefined): Holding {
  const own = marginIn(listed);
  const quantity = exact(own?.positionAmt) ?? 0n;
  const others = (accountMargin.value?.positions ?? []).filter(({ symbol }) => symbol !== listed);
  const behind = others.reduce(
    (sum, { unrealizedProfit, maintMargin }) =>
      sum + (exact(unrealizedProfit) ?? 0n) - (exact(maintMargin) ?? 0n),
    exact(perpWallet) ?? 0n,
  );
  return { quantity, cost: times(quantity, exact(own?.entryPrice) ?? 0n), behind };
}

const moneyPlaces = 6;

/** A position at the mark that the market bar shows: the same figure at the same moment. */
export function revalued<T extends Held>(position: T): T {
  const isInSight = position.symbol === market.value?.symbol;
  const now = isInSight ? exact(mark.value?.price) : null;
  const [entry, size] = [exact(position.entry_price), exact(position.qty)];
  if (now === null || now === 0n || entry === null || size === null) return position;
  const profit = times(now - entry, position.side === "LONG" ? size : -size);
  return {
    ...position,
    mark_price: mark.value?.price ?? null,
    unrealized_pnl: cutTo(profit, moneyPlaces),
  };
}

export interface RiskFigures {
  readonly equity: string;
  readonly maintenance: string;
  /** Maintenance margin as a percentage of the equity: at 100 the account is liquidated. Null without equity. */
  readonly ratio: string | null;
  readonly available: string;
  readonly unrealized: string;
}

/** The account's risk with its positions as the page shows them; null while unknown. */
export function riskOf(positions: readonly Held[]): RiskFigures | null {
  const { value } = accountMargin;
  if (value === null) return null;
  const unrealized = positions.reduce(
    (sum, { unrealized_pnl: profit }) => sum + (exact(profit) ?? 0n),
    0n,
  );
  const equity = (exact(value.totalWalletBalance) ?? 0n) + unrealized;
  const maintenance = exact(value.totalMaintMargin) ?? 0n;
  const hundred = 100n * whole;
  return {
    equity: cutTo(equity, moneyPlaces),
    maintenance: value.totalMaintMargin,
    ratio: equity <= 0n ? null : cutTo((maintenance * hundred) / equity, 2),
    available: value.availableBalance,
    unrealized: cutTo(unrealized, moneyPlaces),
  };
}

/** Profit as a percentage of the margin that the position was opened with. */
export function returnOnMargin({ unrealized_pnl: profit, margin }: Held): string | null {
  const [gain, base] = [exact(profit), exact(margin)];
  if (gain === null || base === null || base === 0n) return null;
  return roundedTo((gain * 100n * whole) / base, 1);
}
