// The account's history: orders, fills, funding, transfers and profit by day, with filters, in pages, and as CSV.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { historyLists } from "../../history/history-lists.ts";
import { Tabs } from "../form/choice.tsx";
import { HistoryTable } from "./history-table.tsx";
import { PnlTable } from "./pnl-table.tsx";

const byDay = "PnL by day";
const names: readonly string[] = [...historyLists.map(({ name }) => name), byDay];
const chosen = signal<string>(names[0] ?? "");

export function HistoryView(): VNode {
  const list = historyLists.find(({ name }) => name === chosen.value);
  return (
    <div class="page widest">
      <h1>History</h1>
      <Tabs class="tabs" label="History" names={names} chosen={chosen} />
      {list === undefined ? <PnlTable /> : <HistoryTable key={list.name} list={list} />}
    </div>
  );
}
