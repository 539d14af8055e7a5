// Profit and loss of perpetuals by day, summed up in this page from the account's income.

import type { VNode } from "preact";
import { signed, toneOf } from "../../decimal-text.ts";
import { type DayOfPnl, dailyPnl } from "../../history/daily-pnl.ts";
import type { Column } from "../form/table.tsx";
import { IncomeTable } from "./income-table.tsx";

const places = 6;

const columns: ReadonlyArray<Column<DayOfPnl> & { readonly field: keyof DayOfPnl }> = (
  [
    ["Day (UTC)", "day"],
    ["Realized PnL", "realized"],
    ["Fees", "fees"],
    ["Funding", "funding"],
    ["Liquidations", "liquidations"],
    ["Net (USDC)", "net"],
  ] as const
).map(([name, field]) => ({
  ...{ name, field, isNumber: field !== "day" },
  cell: (row: DayOfPnl) => (field === "day" ? row.day : signed(row[field], places)),
  tone: (row: DayOfPnl) => (field === "day" ? "" : toneOf(row[field])),
}));

export function PnlTable(): VNode {
  return (
    <IncomeTable
      label="PnL by day"
      note="Perpetuals only. Fees of spot trades are in the list of fills. If the venue closed a position without a trade, its result is in the list of fills, and here under Liquidations."
      empty="No profit or loss in these days."
      isUtc={true}
      columns={columns}
      rowsOf={(income) => dailyPnl(income, places)}
      keyOf={({ day }) => day}
    />
  );
}
