// The account's history: orders, fills, funding, transfers, other changes and profit by day, with filters, in pages, and as CSV.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { historyLists } from "../../history/history-lists.ts";
import { Tabs } from "../form/choice.tsx";
import { HistoryTable } from "./history-table.tsx";
import { OtherChangesTable } from "./other-changes-table.tsx";
import { PnlTable } from "./pnl-table.tsx";

const [other, byDay] = ["Other changes", "PnL by day"];
const names: readonly string[] = [...historyLists.map(({ name }) => name), other, byDay];
const chosen = signal<string>(names[0] ?? "");

export function HistoryView(): VNode {
  const list = historyLists.find(({ name }) => name === chosen.value);
  return (
    <div class="page widest">
      <h1>History</h1>
      <Tabs class="tabs" label="History" names={names} chosen={chosen} />
      {list !== undefined && <HistoryTable key={list.name} list={list} />}
      {chosen.value === other && <OtherChangesTable />}
      {chosen.value === byDay && <PnlTable />}
    </div>
  );
}
