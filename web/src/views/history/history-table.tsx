// One list of the history with its filters, pages and export.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { placesIn, shown, shownAverage, signed, toneOf } from "../../decimal-text.ts";
import { download } from "../../download.ts";
import { csvOf } from "../../history/csv.ts";
import {
  fitsFilter,
  type HistoryColumn,
  type HistoryFilter,
  type HistoryList,
  type HistoryRow,
  historyPath,
  isOfFills,
  isOfTransfers,
  noFilter,
  shownRows,
  withTestFunds,
} from "../../history/history-lists.ts";
import {
  fillOfLiquidation,
  type Liquidation,
  withLiquidations,
} from "../../history/liquidations.ts";
import { sizeText, statusText } from "../../history/past-order.ts";
import {
  nothingRead,
  notRead,
  type ReadRows,
  type RowSource,
  readOn,
  type VenuePage,
} from "../../history/row-pages.ts";
import { testFunds } from "../../history/test-funds.ts";
import { markets } from "../../markets/markets.ts";
import { typeLabel } from "../../markets/order-kinds.ts";
import { requestOwn } from "../../member/session.ts";
import { dayAndTime } from "../../moment.ts";
import { reasonText } from "../../notices/notices.ts";
import { spokenReference } from "../../proof-reference.ts";
import { addressOf } from "../../route.ts";
import { ActionAnswer, useFormAction } from "../form/action-form.tsx";
import { type Column, Table } from "../form/table.tsx";
import { HistoryFilters } from "./history-filters.tsx";

const pageRows = 25;
const exportRowsMax = 10_000;
/** Requests for one page and for an export, each of weight 5 of 1200 a minute. */
const pageRequestsMax = 10;
const exportRequestsMax = 60;

/** What a list remembers from one request to the next. */
interface Memory {
  /** Numbers of replaced orders. */
  readonly replaced: Set<number>;
  /** Liquidations that no page of fills has shown yet, newest first. */
  liquidations: HistoryRow[];
}

function blankMemory(): Memory {
  return { replaced: new Set(), liquidations: [] };
}

function copyOf({ replaced, liquidations }: Memory): Memory {
  return { replaced: new Set(replaced), liquidations: [...liquidations] };
}

/** The newest liquidations are enough: an account has few. */
const liquidationsMax = 500;

async function readLiquidations(list: HistoryList, filter: HistoryFilter): Promise<HistoryRow[]> {
  const named = { ...list, path: "/v1/liquidations/me" };
  const path = historyPath(named, filter, { cursor: "", limit: liquidationsMax });
  const { items } = await requestOwn<VenuePage<Liquidation>>("GET", path);
  return items.map(fillOfLiquidation);
}

function sourceOf(list: HistoryList, filter: HistoryFilter, memory: Memory): RowSource<HistoryRow> {
  return {
    read: async (cursor, limit) => {
      const path = historyPath(list, filter, { cursor, limit });
      if (isOfFills(list) && cursor === "")
        memory.liquidations = await readLiquidations(list, filter);
      const page = await requestOwn<VenuePage<HistoryRow>>("GET", path);
      if (isOfTransfers(list)) return withTestFunds(page, testFunds.peek(), filter, cursor);
      const shownPage = shownRows(page, memory.replaced);
      return isOfFills(list) ? withLiquidations(shownPage, memory.liquidations) : shownPage;
    },
    fits: (row) => fitsFilter(list, filter, row),
  };
}

function cellText({ field, form }: HistoryColumn, row: HistoryRow): string {
  const value = row[field] ?? null;
  const text = String(value ?? "");
  const market = markets.value.find(({ symbol }) => symbol === row["symbol"]);
  switch (form) {
    case "time":
      return value === null ? "–" : dayAndTime(text);
    case "price":
      return shown(text, market?.pricePlaces ?? 2);
    case "average":
      return shownAverage(text, market?.pricePlaces ?? 2);
    case "quantity":
      return shown(text, market?.quantityPlaces ?? 3);
    case "size":
      return sizeText({ qty: text, leverage: row["leverage"] }, market?.quantityPlaces ?? 3);
    case "amount":
      return shown(text, placesIn(text));
    case "profit":
      return signed(text, Math.min(placesIn(text), 6));
    default:
      return value === null ? "–" : wordsOf(field, text);
  }
}

/** Types, states and reasons in plain words. */
function wordsOf(field: string, text: string): string {
  if (field === "expiry_reason") return reasonText(text);
  if (field === "type") return typeLabel(text);
  return field === "status" ? statusText(text) : text;
}

function toneIn({ field, form }: HistoryColumn, row: HistoryRow): string {
  if (form === "profit") return toneOf(String(row[field] ?? ""));
  if (form !== "side") return "";
  return row[field] === "BUY" ? "gain" : "loss";
}

function columnsOf({ columns: all, proof }: HistoryList): Column<HistoryRow>[] {
  const isNumber = ({ form }: HistoryColumn) => !["text", "time", "side"].includes(form);
  const columns = all.filter(({ isExportOnly }) => isExportOnly !== true);
  const own = columns.map((column) => ({
    name: column.name,
    isNumber: isNumber(column),
    cell: (row: HistoryRow) => cellText(column, row),
    tone: (row: HistoryRow) => toneIn(column, row),
  }));
  if (!proof) return own;
  const link = ({ proof: reference }: HistoryRow) => {
    if (typeof reference !== "string") return "–";
    return <a href={addressOf("chain", reference)}>Verify {spokenReference(reference)}</a>;
  };
  return [...own, { name: "Proof", cell: link }];
}

/** The CSV text of rows, with the venue's exact values. */
function csvText({ columns }: HistoryList, rows: readonly HistoryRow[]): string {
  const names = columns.map(({ name }) => name);
  return csvOf(
    names,
    rows.map((row) => columns.map(({ field }) => row[field] ?? null)),
  );
}

interface PagerProps {
  readonly page: number;
  readonly hasNext: boolean;
  readonly isBusy: boolean;
  turn(page: number): void;
}

function Pager({ page, hasNext, isBusy, turn }: PagerProps): VNode {
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={page === 0 || isBusy} onClick={() => turn(page - 1)}>
        Newer
      </button>
      <span>Page {page + 1}</span>
      <button type="button" disabled={!hasNext || isBusy} onClick={() => turn(page + 1)}>
        Older
      </button>
    </nav>
  );
}

export function HistoryTable({ list }: { list: HistoryList }): VNode {
  const filter = useSignal<HistoryFilter>(noFilter);
  const read = useSignal<ReadRows<HistoryRow>>(nothingRead);
  const page = useSignal(0);
  const action = useFormAction();
  const exporting = useFormAction();
  const memory = useRef(blankMemory());
  const turn = (to: number): void =>
    action.run(async () => {
      const wanted = filter.value;
      // What a page takes from the memory counts only once all of the page was read, and while it is wanted.
      const own = copyOf(memory.current);
      const source = sourceOf(list, wanted, own);
      // One row more than the page shows that there is a next one.
      const after = await readOn(source, read.value, (to + 1) * pageRows + 1, pageRequestsMax);
      if (filter.value !== wanted) return "";
      memory.current = own;
      read.value = after;
      page.value = to;
      return "";
    });
  const changed = (): void => {
    memory.current = blankMemory();
    read.value = nothingRead;
    turn(0);
  };
  useEffect(() => turn(0), []);
  const save = (): void =>
    exporting.run(async () => {
      const source = sourceOf(list, filter.value, blankMemory());
      const all = await readOn(source, nothingRead, exportRowsMax, exportRequestsMax);
      const rows = all.rows.slice(0, exportRowsMax);
      const name = `rialto-${list.name.toLowerCase()}.csv`;
      download(name, csvText(list, rows), "text/csv");
      const isCut = all.next !== null || all.rows.length > rows.length;
      return isCut
        ? `The ${rows.length} newest rows were exported. For older ones choose other days.`
        : `${rows.length} rows exported.`;
    });
  const { rows, next } = read.value;
  const shownNow = rows.slice(page.value * pageRows, (page.value + 1) * pageRows);
  const isBusy = action.isBusy.value;
  const found = next === null ? "Nothing matches." : "Nothing found so far.";
  const none = action.isFault.value ? notRead : found;
  return (
    <>
      <div class="filters">
        <HistoryFilters list={list} filter={filter} changed={changed} />
        <button type="button" disabled={exporting.isBusy.value} onClick={save}>
          Export CSV
        </button>
      </div>
      {action.isFault.value && <ActionAnswer action={action} />}
      <ActionAnswer action={exporting} />
      {isOfTransfers(list) && testFunds.value.length > 0 && (
        <p class="soft">
          Test funds are listed as far as you took them in this tab since you logged in: the venue
          keeps no list of them.
        </p>
      )}
      <Table
        label={list.name}
        rows={shownNow}
        columns={columnsOf(list)}
        keyOf={(row) => list.key.map((field) => row[field]).join(" ")}
        empty={isBusy ? "Loading…" : none}
      />
      <Pager
        page={page.value}
        hasNext={rows.length > (page.value + 1) * pageRows || next !== null}
        isBusy={isBusy}
        turn={turn}
      />
    </>
  );
}
