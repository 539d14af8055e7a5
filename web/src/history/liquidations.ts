// Positions that the venue has closed without a trade, by liquidation or deleveraging: they stand among the fills, each at
// its time. Independent of page and network.

import { bareValue, type HistoryRow } from "./history-lists.ts";
import type { VenuePage } from "./row-pages.ts";

/** A row of the venue's list. */
export interface Liquidation {
  /** Number of the journal entry. */
  readonly seq: string;
  readonly type: "LIQUIDATION" | "DELEVERAGING";
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  /** At which the position was taken over. */
  readonly price: string;
  readonly qty: string;
  readonly realized_pnl: string;
  readonly time: string;
}

/** The row among the fills. It has no trade, order or fee. */
export function fillOfLiquidation({ seq, type, ...row }: Liquidation): HistoryRow {
  const none = { id: "", order_id: "", fee: null, fee_asset: null };
  const value = bareValue(row.price, row.qty);
  return { ...row, ...none, value, role: type.toLowerCase(), proof: seq };
}

function timeOf({ time }: HistoryRow): number {
  return Date.parse(String(time));
}

/**
 * Puts `rest`, newest first, among the rows of a page, and takes from it those that are not older than the page: the next
 * page has the others.
 */
export function withLiquidations(
  page: VenuePage<HistoryRow>,
  rest: HistoryRow[],
): VenuePage<HistoryRow> {
  const last = page.items.at(-1);
  const isLast = page.next_cursor === null || last === undefined;
  const older = isLast ? -1 : rest.findIndex((row) => timeOf(row) < timeOf(last));
  const taken = rest.splice(0, older === -1 ? rest.length : older);
  const items = [...page.items, ...taken].sort((one, other) => timeOf(other) - timeOf(one));
  return { ...page, items };
}
