// Proves what is reported about each market: by /metrics and /health its status, the age of a perpetual's index, and how
// close it is to the limits that protect its prices; by exchangeInfo its margin floor.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AccountType, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import { marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture } from "./front-fixture.ts";

const { btcPerp, cbtcUsdc } = marketId;
const fair = 6_000_000;

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ opensWithoutIndex: false });
});
after(() => front.close());

function tick(seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    front.venue.nowUs += 1_000_000;
    front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
  }
}

async function figureOf(name: string, market = "BTC-PERP"): Promise<number | null> {
  const { text } = await front.fetch("/metrics");
  const form = new RegExp(
    `^rialto_perpetual_${name}\\{[^}]*market="${market}"[^}]*\\} (\\S+)$`,
    "m",
  );
  const found = form.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

test("OPS-61 /metrics shows how close each perpetual is to the limits that protect its prices", async () => {
  const { venue } = front;
  assert.equal(await figureOf("index_stale_seconds"), null, "Nothing must have been measured yet");
  assert.equal(await figureOf("open_interest_usdc"), 0);
  const house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  const bid = venue.buy(house, cbtcUsdc, fair - 100, 10_000);
  venue.sell(house, cbtcUsdc, fair + 100, 10_000);
  tick(2);
  assert.deepEqual([await figureOf("index_stale"), await figureOf("index_stale_seconds")], [0, 0]);
  venue.sell(house, btcPerp, fair, 100);
  venue.buy(venue.fund(100_000n * oneUsdc), btcPerp, fair, 100);
  tick(1);
  const mark = (venue.state.mark[btcPerp] ?? 0) / 100;
  assert.equal(await figureOf("open_interest_usdc"), mark / 10);
  assert.equal(await figureOf("open_interest_max_usdc"), 50_000_000);
  venue.done({
    ...({ kind: CommandKind.setRiskTerm, market: btcPerp } as const),
    ...{ term: RiskTerm.openInterestMax, value: 0 },
  });
  assert.equal(await figureOf("open_interest_max_usdc"), null, "There must be no cap");
  assert.deepEqual(
    [await figureOf("fund_loss_usdc"), await figureOf("fund_loss_max_usdc")],
    [0, 50_000],
  );
  assert.equal(await figureOf("fund_paused"), 0);
  // Without the bid the index has no source. After a minute the market accepts only orders that reduce.
  venue.cancel(house, cbtcUsdc, bid);
  tick(30);
  assert.equal(await figureOf("index_stale"), 0);
  assert(((await figureOf("index_stale_seconds")) ?? 0) > 20);
  tick(40);
  assert.equal(await figureOf("index_stale"), 1);
  assert.equal(await figureOf("index_stale", "ETH-PERP"), null);
});

test("OPS-121 /health names a mark at which nobody quotes, and an index that follows its market step by step", async (t) => {
  const own = await FrontFixture.open();
  t.after(() => own.close());
  const { venue } = own;
  const said = async (kind: string) => {
    const { problems = [] } = (await own.fetch("/health")).json;
    return (problems as { kind: string; text: string }[])
      .filter((one) => one.kind === kind)
      .map(({ text }) => text);
  };
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      venue.nowUs += 1_000_000;
      venue.machine.handle(venue.command({ kind: CommandKind.tick }));
    }
  };
  const source = async () =>
    /^rialto_perpetual_index_source\{.*market="BTC-PERP".*\} (\S+)$/m.exec(
      (await own.fetch("/metrics")).text,
    )?.[1];
  const house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  venue.buy(house, cbtcUsdc, fair - 100, 10_000);
  venue.sell(house, cbtcUsdc, fair + 100, 10_000);
  venue.buy(house, btcPerp, fair - 100, 100);
  venue.sell(house, btcPerp, fair + 100, 100);
  pass(2);
  for (const kind of ["price_apart", "index_moving"]) assert.deepEqual(await said(kind), []);
  const reference = (price: number) =>
    venue.done({
      ...({
        kind: CommandKind.setReference,
        market: btcPerp,
        origin: IndexOrigin.operator,
      } as const),
      ...{ price, untilUs: price === 0 ? 0 : venue.nowUs + 86_400_000_000 },
    });
  reference(1.5 * fair);
  pass(1);
  assert.equal(await source(), "0");
  const [apart = ""] = await said("price_apart");
  assert.match(apart, /^BTC-PERP has a mark of 89500\.00, 49\.2 % above its best offer 60001\.00$/);
  reference(0);
  pass(5);
  assert.equal(await source(), "2");
  const [moving = ""] = await said("index_moving");
  assert.match(
    moving,
    /^BTC-PERP has an index of 8\d{4}\.\d\d that follows its market's 60000\.00 by at most 0\.5 % a second, for about 2 min$/,
  );
  pass(300);
  for (const kind of ["price_apart", "index_moving"]) assert.deepEqual(await said(kind), []);
});

/** The value of a metric of CC-USDC, which has no index. */
async function statusFigure(): Promise<string | undefined> {
  const { text } = await front.fetch("/metrics");
  return /^rialto_market_status\{[^}]*market="CC-USDC"[^}]*\} (\S+)$/m.exec(text)?.[1];
}

test("OPS-104 OPS-106 /health warns of markets that need their operator and stays ok; a metric has the status", async () => {
  const stale = "BTC-PERP takes only orders that reduce positions: its index is stale";
  const health = async () => (await front.fetch("/health")).json;
  assert.deepEqual((await health()).warnings, [stale]);
  assert.equal(await statusFigure(), "0");
  const set = (status: 0 | 1) =>
    front.venue.done({ kind: CommandKind.setMarketStatus, market: marketId.ccUsdc, status });
  set(1);
  const halted = await front.fetch("/health");
  assert.deepEqual([halted.status, halted.json.status], [200, "ok"]);
  assert.deepEqual([...halted.json.warnings].sort(), [stale, "CC-USDC is halted"]);
  assert.equal(await statusFigure(), "1");
  set(0);
  assert.deepEqual((await health()).warnings, [stale]);
});

test("OPS-115 an empty side of a market that traded or has makers is a warning after two minutes; a new market does not alarm", async (t) => {
  const own = await FrontFixture.open();
  t.after(() => own.close());
  const { venue } = own;
  const said = async () => {
    const { problems = [] } = (await own.fetch("/health")).json;
    return (problems as { kind: string; text: string }[])
      .filter(({ kind }) => kind === "book_empty")
      .map(({ text }) => text);
  };
  const pass = (seconds: number) => {
    venue.nowUs += seconds * 1_000_000;
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  };
  // A customer who comes and goes is no maker.
  const customer = venue.fund(1_000n * oneUsdc);
  venue.credit(customer, Wallet.spot, 1, 10_000n * oneUsdc);
  venue.cancel(customer, marketId.ccUsdc, venue.buy(customer, marketId.ccUsdc, 1_500, 1_000));
  pass(600);
  assert.deepEqual(await said(), []);
  const house = venue.fund(1_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  venue.buy(house, cbtcUsdc, fair - 100, 1_000);
  const offer = venue.sell(house, cbtcUsdc, fair + 100, 1_000);
  pass(600);
  assert.deepEqual(await said(), []);
  venue.cancel(house, cbtcUsdc, offer);
  pass(100);
  assert.deepEqual(await said(), []);
  pass(30);
  assert.deepEqual(await said(), ["CBTC-USDC has had no offers for more than 2 minutes"]);
  venue.sell(house, cbtcUsdc, fair + 100, 1_000);
  pass(1);
  assert.deepEqual(await said(), []);
  // A market that has traded counts, whoever traded.
  const [seller, buyer] = [venue.fund(100_000n * oneUsdc), venue.fund(100_000n * oneUsdc)];
  venue.sell(seller, btcPerp, fair, 100);
  venue.buy(buyer, btcPerp, fair, 100);
  pass(1);
  pass(130);
  assert.deepEqual(await said(), ["BTC-PERP has had no orders for more than 2 minutes"]);
});

test("OPS-104 OPS-106 OPS-141 a stale ledger is a fault at /health and a metric", async (t) => {
  let isLedgerStale = false;
  const own = await FrontFixture.open({ isLedgerStale: () => isLedgerStale });
  t.after(() => own.close());
  assert.equal((await own.fetch("/health")).json.reason, undefined);
  isLedgerStale = true;
  const { status, json } = await own.fetch("/health");
  assert.deepEqual([status, json.status], [200, "degraded"]);
  assert.match(json.reason, /^the ledger has not been read to its end/);
  assert.match((await own.fetch("/metrics")).text, /^rialto_ledger_stale\{[^}]*\} 1$/m);
});

test("RSK-62 exchangeInfo of compat names the margin floor while there is no outside price", async () => {
  const floorOf = async (symbol: string): Promise<unknown> => {
    const { json } = await front.send("GET", "/compat/fapi/v1/exchangeInfo");
    const rows = json.symbols as { symbol: string; openingMarginPercent?: string }[];
    return rows.find((row) => row.symbol === symbol)?.openingMarginPercent;
  };
  const { venue } = front;
  const term = { kind: CommandKind.setRiskTerm, market: btcPerp, term: RiskTerm.marginFloorBps };
  venue.done({ ...term, value: 400 });
  assert.equal(await floorOf("BTCUSDT"), "4.00");
  venue.done({ ...term, value: 0 });
  assert.equal(await floorOf("BTCUSDT"), undefined);
  venue.done({ ...term, value: 250 });
  assert.equal(await floorOf("BTCUSDT"), "2.50");
  sayIndex(venue, btcPerp, fair);
  assert.equal(await floorOf("BTCUSDT"), undefined);
});
