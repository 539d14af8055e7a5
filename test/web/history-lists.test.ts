// Proves the history's reading, filtering, summing and export, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PublicIdKind, publicId } from "../../src/core/ids/public-id.ts";
import { csvOf } from "../../web/src/history/csv.ts";
import { dailyPnl } from "../../web/src/history/daily-pnl.ts";
import { dayOf, endOfDay, startOfDay } from "../../web/src/history/days.ts";
import {
  fitsFilter,
  type HistoryRow,
  historyLists,
  historyPath,
  noFilter,
  shownRows,
  withTestFunds,
} from "../../web/src/history/history-lists.ts";
import { fillOfLiquidation, withLiquidations } from "../../web/src/history/liquidations.ts";
import { otherChanges } from "../../web/src/history/other-changes.ts";
import { replacementId, sizeText } from "../../web/src/history/past-order.ts";
import { nothingRead, readOn } from "../../web/src/history/row-pages.ts";
import { reasonText } from "../../web/src/notices/notices.ts";

test("WEB-51 CSV quotes what needs it, and no text becomes a spreadsheet's formula", () => {
  const rows = [
    ["a,b", 'say "x"', "two\nlines"],
    ["-1.5", "=1+1", "-x"],
    [null, true, 3],
  ];
  assert.equal(
    csvOf(["One", "Two", "Three"], rows),
    'One,Two,Three\r\n"a,b","say ""x""","two\nlines"\r\n-1.5,\'=1+1,\'-x\r\n,true,3\r\n',
  );
});

test("WEB-51 profit by day sums integers by UTC day, and leaves out what is no profit", () => {
  const row = (type: string, amount: string, time: string) => {
    return { type, amount, time, seq: null, symbol: null, asset: "USDC" };
  };
  const days = dailyPnl(
    [
      row("REALIZED_PNL", "0.1", "2026-11-28T23:59:59.999Z"),
      row("REALIZED_PNL", "0.2", "2026-11-29T00:00:00.000Z"),
      row("COMMISSION", "-0.300001", "2026-11-29T08:00:00.000Z"),
      row("FUNDING_FEE", "0.1", "2026-11-29T08:00:00.000Z"),
      row("INSURANCE_CLEAR", "-9007199254740993.000001", "2026-11-29T09:00:00.000Z"),
      row("TRANSFER", "5000", "2026-11-29T09:00:00.000Z"),
      row("COMMISSION_REBATE", "7", "2026-11-27T09:00:00.000Z"),
    ],
    6,
  );
  const zero = { fees: "0.000000", funding: "0.000000", liquidations: "0.000000" };
  assert.deepEqual(days, [
    {
      ...{ day: "2026-11-29", realized: "0.200000", fees: "-0.300001", funding: "0.100000" },
      liquidations: "-9007199254740993.000001",
      net: "-9007199254740993.000002",
    },
    { day: "2026-11-28", realized: "0.100000", ...zero, net: "0.100000" },
  ]);
});

test("WEB-51 liquidations and claimed commission are the other changes, newest first", () => {
  const common = { asset: "USDC", seq: "57", time: "2026-11-29T08:00:00.000Z" };
  const rows = otherChanges([
    { ...common, type: "COMMISSION_REBATE", symbol: null, amount: "0.3" },
    { ...common, type: "FUNDING_FEE", symbol: "BTC-PERP", amount: "-0.1" },
    { ...common, type: "INSURANCE_CLEAR", symbol: "BTC-PERP", amount: "-12.5" },
  ]);
  assert.deepEqual(rows, [
    { ...common, change: "Liquidation", symbol: "BTC-PERP", amount: "-12.5" },
    { ...common, change: "Referral commission", symbol: null, amount: "0.3" },
  ]);
});

/** A list of the numbers below `length`, in pages of three. */
function numbers(length: number, fits: (row: number) => boolean) {
  const reads: string[] = [];
  const read = async (cursor: string) => {
    reads.push(cursor);
    const from = Number(cursor);
    const items = [from, from + 1, from + 2].filter((row) => row < length);
    return { items, next_cursor: from + 3 < length ? String(from + 3) : null };
  };
  return { reads, source: { read, fits } };
}

test("WEB-51 a filtered page is read until it is full, the list ends or enough was asked", async () => {
  const { source, reads } = numbers(30, (row) => row % 2 === 1);
  const first = await readOn(source, nothingRead, 4, 10);
  assert.deepEqual(first, { rows: [1, 3, 5, 7], next: "9" });
  assert.deepEqual(await readOn(source, first, 4, 10), first);
  const all = await readOn(source, first, 1000, 100);
  assert.deepEqual([all.rows.length, all.next], [15, null]);
  assert.deepEqual(reads, ["", "3", "6", "9", "12", "15", "18", "21", "24", "27"]);
  const none = numbers(300, () => false);
  assert.deepEqual(await readOn(none.source, nothingRead, 1, 5), { rows: [], next: "15" });
});

test("WEB-51 market and days are filtered by the venue, side and kind by the page", () => {
  const [orders, fills, funding, transfers] = historyLists;
  const filter = { symbol: "BTC-PERP", side: "BUY", kind: "Expired", startMs: 5, endMs: 9 };
  const page = { cursor: "7", limit: 3 };
  assert.equal(
    historyPath(orders, filter, page),
    "/v1/orders/me?status=all&limit=3&cursor=7&symbol=BTC-PERP&start_ms=5&end_ms=9",
  );
  assert.equal(
    historyPath(transfers, filter, { ...page, cursor: "" }),
    "/v1/transfers?limit=3&start_ms=5&end_ms=9",
  );
  const order = { side: "BUY", status: "EXPIRED_IN_MATCH", type: "LIMIT" };
  assert(fitsFilter(orders, filter, order));
  assert(!fitsFilter(orders, filter, { ...order, side: "SELL" }));
  assert(!fitsFilter(orders, filter, { ...order, status: "FILLED" }));
  assert(!fitsFilter(fills, { ...noFilter, kind: "Maker" }, { side: "BUY", maker: false }));
  assert(fitsFilter(fills, { ...noFilter, kind: "Taker" }, { side: "BUY", role: "taker" }));
  assert(fitsFilter(funding, { ...filter, kind: "Paid" }, { amount: "-0.1" }));
  assert(
    !fitsFilter(transfers, { ...noFilter, kind: "Spot wallet" }, { from: "perp", to: "funding" }),
  );
  const fill = { maker: true, price: "2.5", qty: "2" };
  const { items } = shownRows({ items: [fill, { id: "1" }], next_cursor: null });
  assert.deepEqual(items, [{ ...fill, role: "maker", value: "5.00", proof: null }, { id: "1" }]);
});

test("WEB-160 an order says when it ended, and why in words beside the code", () => {
  const order = { order_id: "o1", type: "LIMIT", updated_at: "2026-11-29T21:00:00Z" };
  const shownOf = (part: HistoryRow) =>
    shownRows({ items: [{ ...order, ...part }], next_cursor: null }).items[0];
  for (const status of ["NEW", "PARTIALLY_FILLED", "PENDING_NEW"]) {
    assert.equal(shownOf({ status })?.["ended_at"], null, status);
  }
  const ended = shownOf({ status: "EXPIRED", expiry_reason: "GOOD_TILL_DATE" });
  assert.deepEqual(
    [ended?.["ended_at"], ended?.["expiry_reason"], ended?.["reason_in_words"]],
    ["2026-11-29T21:00:00Z", "GOOD_TILL_DATE", "its time was over"],
  );
  assert.equal(shownOf({ status: "FILLED" })?.["reason_in_words"], "");
});

test("WEB-69 orders have their trigger, fills their exact value, and files the ids", () => {
  const [orders, fills] = historyLists;
  const rows = [
    { order_id: "o1", type: "STOP_MARKET", price: null, take_profit: null, stop_loss: "49000.00" },
    { order_id: "o2", type: "TAKE_PROFIT", price: "0.31", take_profit: "0.3000", stop_loss: null },
    { order_id: "o3", type: "LIMIT", price: "0.2", take_profit: "0.3000", stop_loss: "0.1000" },
    { order_id: "o4", id: "t1", maker: false, price: "0.1499", qty: "100.05" },
    { order_id: "o5", id: "t2", maker: true, price: "50000.00", qty: "0.010" },
  ];
  const { items } = shownRows({ items: rows, next_cursor: null });
  assert.deepEqual(
    items.map(({ trigger, value }) => trigger ?? value ?? null),
    ["49000.00", "0.3000", null, "14.997495", "500.00"],
  );
  const exported = ({ columns }: (typeof historyLists)[number]) =>
    columns.filter(({ isExportOnly }) => isExportOnly).map(({ field }) => field);
  assert.deepEqual(
    [exported(orders), exported(fills)],
    [
      ["reason_in_words", "order_id", "proof"],
      ["id", "order_id", "proof"],
    ],
  );
  const named = { order_id: publicId(PublicIdKind.order, 12, 1_000), type: "LIMIT" };
  const trade = { ...rows[4], id: publicId(PublicIdKind.trade, 3, 1_000) };
  const proofs = shownRows({ items: [named, trade], next_cursor: null }).items;
  assert.deepEqual(
    proofs.map(({ proof }) => proof),
    ["o-12", "t-3"],
  );
});

test("WEB-69 an order says that another one has replaced it, on whichever page the list has that one", () => {
  const order = (number: number, status: string, id: string, reason: string | null = null) => {
    const named = { order_id: publicId(PublicIdKind.order, number, 1_000), client_order_id: id };
    return { ...named, type: "LIMIT", status, expiry_reason: reason };
  };
  const known = new Set<number>();
  const reasons = (...items: ReturnType<typeof order>[]) =>
    shownRows({ items, next_cursor: null }, known).items.map((row) => row["expiry_reason"]);
  assert.ok(replacementId(2 ** 48).length <= 36);
  assert.deepEqual(
    reasons(
      order(9, "NEW", replacementId(8)),
      order(8, "CANCELED", replacementId(5)),
      order(7, "CANCELED", "replaces-6"),
    ),
    [null, "REPLACED", "CANCELED"],
  );
  assert.deepEqual(
    reasons(
      order(6, "CANCELED", "mine"),
      order(5, "CANCELED", "mine"),
      order(4, "EXPIRED", "mine", "OCO_TRIGGER"),
    ),
    ["CANCELED", "REPLACED", "OCO_TRIGGER"],
  );
});

test("WEB-102 a liquidation stands among the fills of its time, with price, quantity, result and proof", () => {
  const liquidation = (seq: string, time: string) =>
    fillOfLiquidation({
      ...{ seq, type: "LIQUIDATION", symbol: "BTC-PERP", side: "SELL", price: "54000.10" },
      ...{ qty: "0.500", realized_pnl: "-3000.5", time: `2026-11-29T${time}Z` },
    });
  const fill = (time: string) => ({ id: time, time: `2026-11-29T${time}Z` });
  const rest = [
    liquidation("9", "12:00:00"),
    liquidation("7", "10:00:00"),
    liquidation("5", "08:00:00"),
  ];
  const seen = (page: Parameters<typeof withLiquidations>[0]) =>
    withLiquidations(page, rest).items.map(({ id, proof }) => id || proof);
  const first = { items: [fill("11:00:00"), fill("09:00:00")], next_cursor: "1" };
  assert.deepEqual(seen(first), ["9", "11:00:00", "7", "09:00:00"]);
  assert.deepEqual(seen({ items: [fill("07:00:00")], next_cursor: null }), ["5", "07:00:00"]);
  const { role, value, realized_pnl: result, fee } = liquidation("9", "12:00:00");
  assert.deepEqual([role, value, result, fee], ["liquidation", "27000.05", "-3000.5", null]);
  const [, fills] = historyLists;
  assert(fitsFilter(fills, { ...noFilter, kind: "Liquidation" }, { role: role ?? "" }));
});

test("WEB-135 trades and orders of a liquidation in the book are named, and found as a kind", () => {
  const [orders, fills] = historyLists;
  const fill = { id: "1", maker: false, price: "2.5", qty: "2", liquidation: true };
  const named = { order_id: publicId(PublicIdKind.order, 12, 1_000), type: "LIMIT" };
  const order = { ...named, client_order_id: "autoclose-57", status: "FILLED" };
  const own = { ...order, client_order_id: "mine" };
  const shown = shownRows({
    items: [fill, { ...fill, liquidation: null }, order, own],
    next_cursor: null,
  });
  assert.deepEqual(
    shown.items.map((row) => row["role"] ?? row["expiry_reason"]),
    ["liquidation", "taker", "LIQUIDATION_ORDER", null],
  );
  assert.equal(reasonText("LIQUIDATION_ORDER"), "liquidation");
  const found = (list: (typeof historyLists)[number], rows: readonly HistoryRow[]) =>
    rows.map((row) => fitsFilter(list, { ...noFilter, kind: "Liquidation" }, row));
  assert.deepEqual(found(fills, shown.items.slice(0, 2)), [true, false]);
  assert.deepEqual(found(orders, shown.items.slice(2)), [true, false]);
});

test("WEB-69 an order without a quantity of its own says what decides on it", () => {
  assert.equal(sizeText({ qty: "1500.0", leverage: null }, 1), "1,500.0");
  assert.equal(sizeText({ qty: "0.0", leverage: null }, 1), "As bought");
  assert.equal(sizeText({ qty: "0.000", leverage: 10 }, 3), "Entire position");
});

test("WEB-69 the days of a filter begin and end in the zone of the shown times", () => {
  const before = process.env["TZ"];
  try {
    process.env["TZ"] = "Asia/Tokyo";
    const start = Date.parse("2026-11-28T15:00:00Z");
    assert.equal(startOfDay("2026-11-29", false), start);
    assert.equal(endOfDay("2026-11-29", false), start + 86_400_000 - 1);
    assert.equal(dayOf(start, false), "2026-11-29");
    assert.equal(dayOf(start, true), "2026-11-28");
    assert.equal(startOfDay("2026-11-29", true), Date.parse("2026-11-29T00:00:00Z"));
    // A day of 23 hours.
    process.env["TZ"] = "Europe/Berlin";
    const [first, last] = [startOfDay("2026-03-29", false), endOfDay("2026-03-29", false)];
    assert.equal((last ?? 0) + 1 - (first ?? 0), 23 * 3_600_000);
    assert.deepEqual(
      [startOfDay("", true), endOfDay("", false), dayOf(null, true)],
      [null, null, ""],
    );
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

test("WEB-93 test funds stand among the transfers of their time, page by page and within the filter", () => {
  const at = (time: string) => Date.parse(`2026-11-29T${time}Z`);
  const funds = ["08:00:00", "10:00:00", "12:00:00"].map((time) => {
    return { wallet: "spot", asset: "USDC", amount: time, atMs: at(time) };
  });
  const row = (time: string) => ({ transfer_id: time, created_at: `2026-11-29T${time}.000Z` });
  const shown = (
    page: { items: ReturnType<typeof row>[]; next_cursor: string | null },
    part = {},
  ) => {
    const { cursor = "", ...filter } = part as { cursor?: string };
    const read = withTestFunds(page, funds, { ...noFilter, ...filter }, cursor);
    return read.items.map((one) => one["amount"] ?? one["transfer_id"]);
  };
  const next = String(at("09:00:00") * 1000);
  const first = { items: [row("11:00:00"), row("09:00:00")], next_cursor: next };
  assert.deepEqual(shown(first), ["12:00:00", "11:00:00", "10:00:00", "09:00:00"]);
  const last = { items: [row("08:30:00")], next_cursor: null };
  assert.deepEqual(shown(last, { cursor: next }), ["08:30:00", "08:00:00"]);
  assert.deepEqual(shown(first, { endMs: at("10:00:00") }), ["11:00:00", "10:00:00", "09:00:00"]);
  assert.deepEqual(shown(first, { startMs: at("11:30:00") }), ["12:00:00", "11:00:00", "09:00:00"]);
  const [added] = withTestFunds({ items: [], next_cursor: null }, funds, noFilter, "").items;
  assert.equal(added?.["from"], "faucet");
});
