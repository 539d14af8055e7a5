// Proves the history's reading, filtering, summing and export, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../../web/src/history/csv.ts";
import { dailyPnl } from "../../web/src/history/daily-pnl.ts";
import {
  fitsFilter,
  historyLists,
  historyPath,
  noFilter,
  shownRows,
} from "../../web/src/history/history-lists.ts";
import { nothingRead, readOn } from "../../web/src/history/row-pages.ts";

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
    return { type, amount, time, symbol: null, asset: "USDC" };
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
  assert(fitsFilter(funding, { ...filter, kind: "Paid" }, { amount: "-0.1" }));
  assert(
    !fitsFilter(transfers, { ...noFilter, kind: "Spot wallet" }, { from: "perp", to: "funding" }),
  );
  const { items } = shownRows({ items: [{ maker: true }, { id: "1" }], next_cursor: null });
  assert.deepEqual(items, [{ maker: true, role: "maker" }, { id: "1" }]);
});
