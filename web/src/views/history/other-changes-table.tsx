// Liquidations and claimed referral commission, which are neither orders, fills, funding nor transfers.

import type { VNode } from "preact";
import { signed, toneOf } from "../../decimal-text.ts";
import { type OtherChange, otherChanges } from "../../history/other-changes.ts";
import { dayAndTime } from "../../moment.ts";
import { addressOf } from "../../route.ts";
import type { Column } from "../form/table.tsx";
import { IncomeTable } from "./income-table.tsx";

const places = 6;

const columns: ReadonlyArray<Column<OtherChange> & { readonly field: keyof OtherChange }> = [
  { name: "Time", field: "time", cell: ({ time }) => dayAndTime(time) },
  { name: "Change", field: "change", cell: ({ change }) => change },
  { name: "Market", field: "symbol", cell: ({ symbol }) => symbol ?? "–" },
  {
    ...{ name: "Amount", field: "amount", isNumber: true },
    cell: ({ amount }) => signed(amount, places),
    tone: ({ amount }) => toneOf(amount),
  },
  { name: "Asset", field: "asset", cell: ({ asset }) => asset },
  {
    ...{ name: "Proof", field: "seq" },
    cell: ({ seq }) =>
      seq === null ? "–" : <a href={addressOf("chain", seq)}>Verify entry {seq}</a>,
  },
];

export function OtherChangesTable(): VNode {
  return (
    <IncomeTable
      label="Other changes"
      note="What liquidations charged or paid, and claimed referral commission."
      empty="Nothing else changed your balance in these days."
      isUtc={false}
      columns={columns}
      rowsOf={otherChanges}
      keyOf={({ time, change, symbol, amount, seq }) =>
        [time, change, symbol, amount, seq].join(" ")
      }
    />
  );
}
