// A list that this page makes from the account's income of some days, with its export.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { download } from "../../download.ts";
import { csvOf } from "../../history/csv.ts";
import type { Income } from "../../history/daily-pnl.ts";
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

async function readIncome({ startMs, endMs }: HistoryFilter): Promise<readonly Income[]> {
  const read = (cursor: string, limit: number): Promise<VenuePage<Income>> => {
    const query = new URLSearchParams({ limit: String(limit) });
    if (cursor !== "") query.set("cursor", cursor);
    if (startMs !== null) query.set("start_ms", String(startMs));
    if (endMs !== null) query.set("end_ms", String(endMs));
    return requestOwn("GET", `/v1/income/me?${query}`);
  };
  return (await readOn({ read, fits: () => true }, nothingRead, rowsMax, requestsMax)).rows;
}

interface IncomeTableProps<Row> {
  readonly label: string;
  readonly note: string;
  readonly empty: string;
  /** Whether its days are those of UTC; else of the chosen zone. */
  readonly isUtc: boolean;
  /** Each column with the field that the exported file has. */
  readonly columns: ReadonlyArray<Column<Row> & { readonly field: keyof Row }>;
  rowsOf(income: readonly Income[]): readonly Row[];
  keyOf(row: Row): string;
}

/** The last thirty days first. `Row` has texts; null is an empty cell of the file. */
export function IncomeTable<Row extends Readonly<Record<keyof Row, string | null>>>(
  props: IncomeTableProps<Row>,
): VNode {
  const { label, note, isUtc, columns, rowsOf, keyOf } = props;
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const filter = useSignal<HistoryFilter>({ ...noFilter, startMs: today - 30 * dayMs });
  const found = useSignal<readonly Income[]>([]);
  const action = useFormAction();
  const load = (): void =>
    action.run(async () => {
      const wanted = filter.value;
      const read = await readIncome(wanted);
      if (filter.value === wanted) found.value = read;
      return "";
    });
  useEffect(load, []);
  const rows = rowsOf(found.value);
  const none = action.isFault.value ? notRead : props.empty;
  const save = (): void => {
    const names = columns.map(({ name }) => name);
    const cells = rows.map((row) => columns.map(({ field }) => row[field]));
    const file = `rialto-${label.toLowerCase().replaceAll(" ", "-")}.csv`;
    download(file, csvOf(names, cells), "text/csv");
  };
  return (
    <>
      <div class="filters">
        <DayFields filter={filter} changed={load} isUtc={isUtc} />
        <button type="button" onClick={save}>
          Export CSV
        </button>
      </div>
      <p class="soft">{note}</p>
      {action.isFault.value && <ActionAnswer action={action} />}
      {found.value.length >= rowsMax - 1 && (
        <p role="alert">Too many rows: choose fewer days to see all of them.</p>
      )}
      <Table
        label={label}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        empty={action.isBusy.value ? "Loading…" : none}
      />
    </>
  );
}
