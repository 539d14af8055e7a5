// The lists of the history: where each is read, which filters it has, and how a row is shown and exported. Independent of
// the page.

import { valueAt } from "../markets/exact.ts";
import { reasonText } from "../notices/notices.ts";
import { proofReference } from "../proof-reference.ts";
import { endReason, isOfVenue, replacedNos, triggerOf } from "./past-order.ts";
import type { VenuePage } from "./row-pages.ts";

export interface HistoryFilter {
  /** Market; empty for all. */
  readonly symbol: string;
  /** BUY or SELL; empty for both. */
  readonly side: string;
  /** Kind of order, of fill, or wallet of a transfer; empty for all. */
  readonly kind: string;
  /** Unix ms; null for no bound. The end is the last millisecond. */
  readonly startMs: number | null;
  readonly endMs: number | null;
}

export const noFilter: HistoryFilter = {
  symbol: "",
  side: "",
  kind: "",
  startMs: null,
  endMs: null,
};

/** A row of any list, as the venue answers it. */
export type HistoryRow = Readonly<Record<string, string | number | boolean | null>>;

export interface HistoryColumn {
  readonly name: string;
  /** Field of the row. */
  readonly field: string;
  /**
   * `price`, `quantity` and `size` (the quantity of an order) have the decimals of the row's market; an `average` has up
   * to two more than a price.
   */
  readonly form:
    | "text"
    | "time"
    | "price"
    | "average"
    | "quantity"
    | "size"
    | "amount"
    | "profit"
    | "side";
  /** True for what only the exported file has. */
  readonly isExportOnly?: boolean;
}

export interface HistoryList {
  readonly name: string;
  readonly path: string;
  /** Fixed part of the query. */
  readonly query: string;
  readonly columns: readonly HistoryColumn[];
  readonly hasMarket: boolean;
  readonly hasSide: boolean;
  /** The kinds to choose from, with the test of a row. */
  readonly kinds: ReadonlyArray<readonly [name: string, fits: (row: HistoryRow) => boolean]>;
  /** The fields that identify a row together. */
  readonly key: readonly string[];
  /** Whether each row has its `proof`: the reference of an order or trade, or the number of an entry. */
  readonly proof: boolean;
}

const column = (name: string, field: string, form: HistoryColumn["form"] = "text") => {
  return { name, field, form } as const;
};

/** A column for a spreadsheet: the id of a row, for joining the lists, or what the page shows in the place of a code. */
const idColumn = (name: string, field: string) => {
  return { ...column(name, field), isExportOnly: true } as const;
};

const typeIs = (pattern: RegExp) => (row: HistoryRow) => pattern.test(String(row["type"]));
const statusIs = (status: string) => (row: HistoryRow) => row["status"] === status;

const orders: HistoryList = {
  ...{ name: "Orders", path: "/v1/orders/me", query: "status=all", key: ["order_id"] },
  ...{ hasMarket: true, hasSide: true, proof: true },
  columns: [
    column("Time", "created_at", "time"),
    column("Ended", "ended_at", "time"),
    column("Market", "symbol"),
    column("Side", "side", "side"),
    column("Type", "type"),
    column("Price", "price", "price"),
    column("Trigger", "trigger", "price"),
    column("Average", "avg_price", "average"),
    column("Quantity", "qty", "size"),
    column("Filled", "filled_qty", "quantity"),
    column("Status", "status"),
    column("Reason", "expiry_reason"),
    idColumn("Reason in words", "reason_in_words"),
    idColumn("Order id", "order_id"),
    idColumn("Proof", "proof"),
  ],
  kinds: [
    ["Limit", typeIs(/^LIMIT/)],
    ["Market", typeIs(/^MARKET$/)],
    ["Conditional", typeIs(/STOP|TAKE_PROFIT|TRAILING/)],
    ["Filled", statusIs("FILLED")],
    ["Cancelled", statusIs("CANCELED")],
    ["Expired", (row) => String(row["status"]).startsWith("EXPIRED")],
    ["Liquidation", (row) => isOfVenue(textIn(row["client_order_id"]) ?? "")],
  ],
};

const fills: HistoryList = {
  ...{ name: "Fills", path: "/v1/trades/me", query: "", key: ["proof", "order_id"], proof: true },
  ...{ hasMarket: true, hasSide: true },
  columns: [
    column("Time", "time", "time"),
    column("Market", "symbol"),
    column("Side", "side", "side"),
    column("Price", "price", "price"),
    column("Quantity", "qty", "quantity"),
    column("Value", "value", "amount"),
    column("Fee", "fee", "amount"),
    column("Fee asset", "fee_asset"),
    column("Role", "role"),
    column("Realized PnL", "realized_pnl", "profit"),
    idColumn("Trade id", "id"),
    idColumn("Order id", "order_id"),
    idColumn("Proof", "proof"),
  ],
  kinds: [
    ["Maker", ({ maker }) => maker === true],
    ["Taker", ({ role }) => role === "taker"],
    ["Liquidation", ({ role }) => role === "liquidation" || role === "deleveraging"],
  ],
};

const funding: HistoryList = {
  ...{ name: "Funding", path: "/v1/funding/me", query: "", key: ["time", "symbol"], proof: false },
  ...{ hasMarket: true, hasSide: false },
  columns: [
    column("Time", "time", "time"),
    column("Market", "symbol"),
    column("Rate", "rate"),
    column("Position", "position_qty", "quantity"),
    column("Mark price", "mark_price", "price"),
    column("Amount (USDC)", "amount", "profit"),
  ],
  kinds: [
    ["Paid", ({ amount }) => String(amount).startsWith("-")],
    ["Received", ({ amount }) => !String(amount).startsWith("-")],
  ],
};

const transfers: HistoryList = {
  ...{ name: "Transfers", path: "/v1/transfers", query: "", key: ["transfer_id"], proof: false },
  ...{ hasMarket: false, hasSide: false },
  columns: [
    column("Time", "created_at", "time"),
    column("From", "from"),
    column("To", "to"),
    column("Asset", "asset"),
    column("Amount", "amount", "amount"),
  ],
  kinds: (["funding", "spot", "perp"] as const).map((wallet) => [
    `${wallet.replace(/^./, (first) => first.toUpperCase())} wallet`,
    ({ from, to }) => from === wallet || to === wallet,
  ]),
};

/** Test funds are shown in this list. */
export function isOfTransfers(list: HistoryList): boolean {
  return list === transfers;
}

/** Liquidations are shown in this list. */
export function isOfFills(list: HistoryList): boolean {
  return list === fills;
}

export const historyLists = [orders, fills, funding, transfers] as const;

/** Whether a row fits the filters that the venue does not know. */
export function fitsFilter(
  list: HistoryList,
  { side, kind }: HistoryFilter,
  row: HistoryRow,
): boolean {
  if (list.hasSide && side !== "" && row["side"] !== side) return false;
  const fits = list.kinds.find(([name]) => name === kind)?.[1];
  return fits === undefined || fits(row);
}

/** Returns the path of one request of a list. */
export function historyPath(
  { path, query, hasMarket }: HistoryList,
  { symbol, startMs, endMs }: HistoryFilter,
  page: { readonly cursor: string; readonly limit: number },
): string {
  const parameters = new URLSearchParams(query);
  parameters.set("limit", String(page.limit));
  if (page.cursor !== "") parameters.set("cursor", page.cursor);
  if (hasMarket && symbol !== "") parameters.set("symbol", symbol);
  if (startMs !== null) parameters.set("start_ms", String(startMs));
  if (endMs !== null) parameters.set("end_ms", String(endMs));
  return `${path}?${parameters}`;
}

interface Faucet {
  readonly wallet: string;
  readonly asset: string;
  readonly amount: string;
  readonly atMs: number;
}

/**
 * Adds to a page of transfers the test funds of its time, from the row after `cursor` (in µs; empty for now) to its last one,
 * as far as the filter wants them. Rows stay newest first.
 */
export function withTestFunds(
  page: VenuePage<HistoryRow>,
  funds: readonly Faucet[],
  { startMs, endMs }: HistoryFilter,
  cursor: string,
): VenuePage<HistoryRow> {
  const beforeMs = cursor === "" ? Number.POSITIVE_INFINITY : Number(cursor) / 1000;
  const fromMs = page.next_cursor === null ? 0 : Number(page.next_cursor) / 1000;
  const rows = funds
    .filter(({ atMs }) => atMs >= Math.max(fromMs, startMs ?? 0) && atMs < beforeMs)
    .filter(({ atMs }) => endMs === null || atMs <= endMs)
    .map(({ wallet, asset, amount, atMs }, at) => ({
      ...{ transfer_id: `faucet-${atMs}-${at}`, from: "faucet", to: wallet, asset, amount },
      created_at: new Date(atMs).toISOString(),
    }));
  const timeOf = (row: HistoryRow) => Date.parse(String(row["created_at"]));
  const items = [...page.items, ...rows].sort((one, other) => timeOf(other) - timeOf(one));
  return { ...page, items };
}

/**
 * Adds to each row of a page what the columns show besides the venue's fields. `replaced` has the numbers of replaced
 * orders known so far, and takes those of this page: lists are newest first, so a replacement comes before what it replaces.
 */
export function shownRows(
  page: VenuePage<HistoryRow>,
  replaced: Set<number> = new Set(),
): VenuePage<HistoryRow> {
  const orders = page.items.map((row) => ({
    client_order_id: textIn(row["client_order_id"]) ?? "",
  }));
  for (const number of replacedNos(orders)) replaced.add(number);
  return { ...page, items: page.items.map((row) => shownRow(row, replaced)) };
}

const openStatuses = new Set(["NEW", "PARTIALLY_FILLED", "PENDING_NEW"]);

function shownRow(row: HistoryRow, replaced: ReadonlySet<number>): HistoryRow {
  if ("maker" in row) {
    const value = bareValue(String(row["price"]), String(row["qty"]));
    const proof = proofReference(String(row["id"]));
    const role = row["maker"] === true ? "maker" : "taker";
    return { ...row, value, role: row["liquidation"] === true ? "liquidation" : role, proof };
  }
  if (!("order_id" in row)) return row;
  const order = {
    order_id: String(row["order_id"]),
    client_order_id: textIn(row["client_order_id"]) ?? "",
    status: String(row["status"]),
    expiry_reason: textIn(row["expiry_reason"]),
  };
  const [type, profit, loss] = [row["type"], row["take_profit"], row["stop_loss"]].map(textIn);
  const reason = endReason(order, replaced);
  return {
    ...row,
    ended_at: openStatuses.has(order.status) ? null : (row["updated_at"] ?? null),
    reason_in_words: reasonText(reason),
    proof: proofReference(order.order_id),
    trigger: triggerOf({ type: type ?? "", take_profit: profit, stop_loss: loss }),
    expiry_reason: reason,
  };
}

function textIn(value: HistoryRow[string] | undefined): string | null {
  return typeof value === "string" ? value : null;
}

/** The exact value of a fill in the quote asset, without zeros at its end beyond two decimals. */
export function bareValue(price: string, quantity: string): string {
  return valueAt(price, quantity).replace(/(\.\d\d\d*?)0+$/, "$1");
}
