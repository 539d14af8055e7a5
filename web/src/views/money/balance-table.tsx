// Balances by wallet and asset. Rows with a total of zero are left out.

import type { VNode } from "preact";
import { grouped } from "../../decimal-text.ts";
import type { Balance } from "../../member/account.ts";
import { type Column, Table } from "../form/table.tsx";

const columns: ReadonlyArray<Column<Balance>> = [
  { name: "Wallet", cell: ({ wallet }) => wallet },
  { name: "Asset", cell: ({ asset }) => asset },
  { name: "Available", isNumber: true, cell: ({ free }) => grouped(free) },
  { name: "Locked", isNumber: true, cell: ({ locked }) => grouped(locked) },
  { name: "Total", isNumber: true, cell: ({ total }) => grouped(total) },
];

export function BalanceTable({ rows }: { rows: readonly Balance[] }): VNode {
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
