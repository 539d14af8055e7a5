// Values of balances in USDC. Amounts are integers of 10^-10. Independent of page and network.

import { rescaled, textOf, unitsOf } from "../decimal-text.ts";
import { exact } from "../markets/exact.ts";

const places = 10;
const shownDecimals = 2;

export const unitOfValue = "USDC";

/** Prices in USDC by asset. An asset without a price has none here. */
export type Prices = Readonly<Record<string, string>>;

/** Returns the value of an amount in units of 10^-10, rounded down; null without a price. */
function valueUnits(asset: string, amount: string, prices: Prices): bigint | null {
  const units = unitsOf(amount, places);
  const price =
    asset === unitOfValue ? 10n ** BigInt(places) : unitsOf(prices[asset] ?? "", places);
  return units === null || price === null ? null : (units * price) / 10n ** BigInt(places);
}

/** Returns the value of an amount in USDC with two decimals, rounded down; null without a price. */
export function valueIn(asset: string, amount: string, prices: Prices): string | null {
  const units = valueUnits(asset, amount, prices);
  return units === null ? null : textOf(rescaled(units, places, shownDecimals), shownDecimals);
}

interface Amount {
  readonly asset: string;
  readonly total: string;
}

/** Returns the value of all balances and profits, and the assets that it leaves out because they have no price. */
export function totalValue(
  balances: readonly Amount[],
  profits: readonly string[],
  prices: Prices,
): { readonly value: string; readonly without: readonly string[] } {
  let sum = profits.reduce((all, profit) => all + (unitsOf(profit, places) ?? 0n), 0n);
  const without = new Set<string>();
  for (const { asset, total } of balances) {
    const units = valueUnits(asset, total, prices);
    if (units === null && (unitsOf(total, places) ?? 0n) !== 0n) without.add(asset);
    sum += units ?? 0n;
  }
  return {
    value: textOf(rescaled(sum, places, shownDecimals), shownDecimals),
    without: [...without],
  };
}

/** What is usually taken of USDC, and of any asset without a price. */
const usualAmount = 10_000;

/** The amount that the form of test funds begins with: worth some 10,000 USDC, as 1, 2 or 5 and zeros; 10,000 without a price. */
export function usualFunds(asset: string, prices: Prices): string {
  const price = asset === unitOfValue ? 1 : Number(prices[asset] ?? 0);
  if (!(price > 0)) return String(usualAmount);
  const worth = usualAmount / price;
  const power = Math.floor(Math.log10(worth));
  const digit = [5, 2, 1].find((one) => one * 10 ** power <= worth * (1 + 1e-9)) ?? 1;
  return power < 0 ? (digit * 10 ** power).toFixed(-power) : String(digit * 10 ** power);
}

/** An amount in exact units without a thousandth, which stays for marks that move. */
export function withSpare(amount: string): bigint {
  return ((exact(amount) ?? 0n) * 999n) / 1_000n;
}
