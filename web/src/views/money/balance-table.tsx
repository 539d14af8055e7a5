// Balances by wallet and asset, with their value in USDC. Rows with a total of zero are left out.

import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import type { Balance } from "../../member/account.ts";
import { prices } from "../../member/prices.ts";
import { valueIn } from "../../member/valuation.ts";
import { type Column, Table } from "../form/table.tsx";

function valueText({ asset, total }: Balance): string {
  const value = valueIn(asset, total, prices.value);
  return value === null ? "–" : grouped(value);
}

const columns: ReadonlyArray<Column<Balance>> = [
  { name: "Wallet", cell: ({ wallet }) => wallet },
  { name: "Asset", cell: ({ asset }) => asset },
  { name: "Available", isNumber: true, cell: ({ free }) => grouped(free) },
  { name: "Locked", isNumber: true, cell: ({ locked }) => grouped(locked) },
  { name: "Total", isNumber: true, cell: ({ total }) => grouped(total) },
  { name: "Value (USDC)", isNumber: true, cell: valueText },
];

export function BalanceTable({ rows }: { readonly rows: readonly Balance[] }): VNode {
  return (
    <Table
      label="Balances"
      rows={rows.filter(({ total }) => Number(total) !== 0)}
      columns={columns}
      keyOf={({ wallet, asset }) => wallet + asset}
      empty="No funds yet. Make a deposit, or get test funds on a development venue."
    />
  );
}
