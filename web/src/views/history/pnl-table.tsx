// Profit and loss of perpetuals by day, summed up in this page from the account's income.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { signed, toneOf } from "../../decimal-text.ts";
import { download } from "../../download.ts";
import { csvOf } from "../../history/csv.ts";
import { type DayOfPnl, dailyPnl, type Income } from "../../history/daily-pnl.ts";
import { type HistoryFilter, noFilter } from "../../history/history-lists.ts";
import { nothingRead, notRead, readOn, type VenuePage } from "../../history/row-pages.ts";
import { requestOwn } from "../../member/session.ts";
import { ActionAnswer, useFormAction } from "../form/action-form.tsx";
import { type Column, Table } from "../form/table.tsx";
import { DayFields } from "./history-filters.tsx";

const dayMs = 86_400_000;
/** The venue's list ends after 10,000 rows. Each request has weight 30 of 1200 a minute. */
const requestsMax = 20;
const rowsMax = 10_000;
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

interface Days {
  readonly days: readonly DayOfPnl[];
  readonly isCut: boolean;
}

async function readDays({ startMs, endMs }: HistoryFilter): Promise<Days> {
  const read = (cursor: string, limit: number): Promise<VenuePage<Income>> => {
    const query = new URLSearchParams({ limit: String(limit) });
    if (cursor !== "") query.set("cursor", cursor);
    if (startMs !== null) query.set("start_ms", String(startMs));
    if (endMs !== null) query.set("end_ms", String(endMs));
    return requestOwn("GET", `/v1/income/me?${query}`);
  };
  const all = await readOn({ read, fits: () => true }, nothingRead, rowsMax, requestsMax);
  return { days: dailyPnl(all.rows, places), isCut: all.rows.length >= rowsMax - 1 };
}

export function PnlTable(): VNode {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const filter = useSignal<HistoryFilter>({ ...noFilter, startMs: today - 30 * dayMs });
  const found = useSignal<Days>({ days: [], isCut: false });
  const action = useFormAction();
  const load = (): void =>
    action.run(async () => {
      const wanted = filter.value;
      const read = await readDays(wanted);
      if (filter.value === wanted) found.value = read;
      return "";
    });
  useEffect(load, []);
  const { days, isCut } = found.value;
  const none = action.isFault.value ? notRead : "No profit or loss in these days.";
  const save = (): void => {
    const names = columns.map(({ name }) => name);
    const rows = days.map((day) => columns.map(({ field }) => day[field]));
    download("rialto-pnl-by-day.csv", csvOf(names, rows), "text/csv");
  };
  return (
    <>
      <div class="filters">
        <DayFields filter={filter} changed={load} isUtc={true} />
        <button type="button" onClick={save}>
          Export CSV
        </button>
      </div>
      <p class="soft">Perpetuals only. Fees of spot trades are in the list of fills.</p>
      {action.isFault.value && <ActionAnswer action={action} />}
      {isCut && <p role="alert">Too many rows: choose fewer days to see all of them.</p>}
      <Table
        label="PnL by day"
        rows={days}
        columns={columns}
        keyOf={({ day }) => day}
        empty={action.isBusy.value ? "Loading…" : none}
      />
    </>
  );
}
