// Profit and loss by day, from the account's income. Amounts are integers of 10^-places. Independent of page and network.

import { textOf, unitsOf } from "../decimal-text.ts";

/** One change of the perp wallet. */
export interface Income {
  readonly type: string;
  readonly symbol: string | null;
  readonly asset: string;
  readonly amount: string;
  /** Number of the journal entry; null for income of a trade. */
  readonly seq: string | null;
  readonly time: string;
}

export interface DayOfPnl {
  /** Day in UTC, "2026-11-29". */
  readonly day: string;
  readonly realized: string;
  /** Paid if below zero. */
  readonly fees: string;
  readonly funding: string;
  /** What liquidations paid or charged. */
  readonly liquidations: string;
  readonly net: string;
}

const places = 8;

type Part = Exclude<keyof DayOfPnl, "day" | "net">;

/** Transfers and claimed commission are no profit of trading. */
const parts: Readonly<Record<string, Part>> = {
  REALIZED_PNL: "realized",
  COMMISSION: "fees",
  FUNDING_FEE: "funding",
  INSURANCE_CLEAR: "liquidations",
};

/** Returns the days with income from trading, newest first. `shownDecimals` are the decimals of the amounts. */
export function dailyPnl(income: readonly Income[], shownDecimals: number): DayOfPnl[] {
  const days = new Map<string, Record<Part, bigint>>();
  for (const { type, amount, time } of income) {
    const part = parts[type];
    if (part === undefined) continue;
    const day = time.slice(0, 10);
    const sums = days.get(day) ?? { realized: 0n, fees: 0n, funding: 0n, liquidations: 0n };
    sums[part] += unitsOf(amount, places) ?? 0n;
    days.set(day, sums);
  }
  // The venue's amounts have at most `shownDecimals` decimals, so nothing is cut off.
  const shown = (units: bigint) =>
    textOf(units / 10n ** BigInt(places - shownDecimals), shownDecimals);
  const rows = [...days].map(([day, sums]) => ({
    day,
    realized: shown(sums.realized),
    fees: shown(sums.fees),
    funding: shown(sums.funding),
    liquidations: shown(sums.liquidations),
    net: shown(sums.realized + sums.fees + sums.funding + sums.liquidations),
  }));
  return rows.sort((one, other) => (one.day < other.day ? 1 : -1));
}
