// Proves that a venue as `make run` starts it is alive at the first visit: books with both sides, trades and candles
// without anybody's doing, beside the README's first order; and that its fleet ends with it and leaves nothing behind.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { readConfig } from "../../../src/venue/config/config.ts";
import { openBrowser } from "../../support/client/browser.ts";
import type { Json } from "../../support/client/json.ts";
import { CliProcess } from "../../support/venue/cli-process.ts";

const waitMsMax = 120_000;
const markets = ["/api/v3/{}?symbol=CC-USDC", "/fapi/v1/{}?symbol=BTCUSDT"];

let dataDir: string;
let settings: Record<string, string>;
let venue: CliProcess;
let address: string;
let browser: Browser;

async function start(more: Record<string, string>): Promise<void> {
  venue = new CliProcess(["start"], { ...settings, ...more });
  [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
}

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "rialto-visit-"));
  settings = { DATA_DIR: dataDir, PORT: "0", LEDGER_PROFILE: "none" };
  await start({ DEV_FLEET: "1" });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  venue?.signal("SIGTERM");
  await venue?.ended;
  rmSync(dataDir, { recursive: true, force: true });
});

async function get(path: string): Promise<Json> {
  return (await fetch(address + path)).json();
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + waitMsMax;
  while (!(await isSo())) {
    assert.ok(Date.now() < untilMs, `${what} in time`);
    await sleep(200);
  }
}

test("OPS-102 markets are quoted and traded by themselves, and have a candle", async () => {
  for (const market of markets) {
    await until(`${market} is quoted`, async () => {
      const { bids, asks } = await get(market.replace("{}", "depth"));
      return bids.length >= 8 && asks.length >= 8;
    });
    await until(`${market} is traded`, async () => {
      const trades = await get(market.replace("{}", "trades"));
      return trades.length > 0;
    });
    const candles = await get(`${market.replace("{}", "klines")}&interval=1m`);
    assert.ok(candles.length > 0, market);
  }
});

test("OPS-102 a visitor sees prices, a book and trades move, wide and narrow", async () => {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height } });
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`${address}/#/trade/BTC-PERP`);
    await page.getByText("Live", { exact: true }).waitFor();
    if (width > 1000) {
      // Both sides of the book and the newest trades are in sight without a click.
      for (const name of ["Order book", "Market trades"])
        await page
          .getByRole("region", { name })
          .getByText(/\d{2},?\d{3}\.\d{2}/)
          .nth(4)
          .waitFor();
    }
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

test("OPS-102 OPS-5 the demo's first order fills, wherever the fleet has moved the price", async () => {
  const [line] = await venue.untilPrinted(/^q=.*$/m);
  const { stdout } = await promisify(execFile)("bash", ["-c", line]);
  assert.equal(JSON.parse(stdout).status, "FILLED", stdout);
});

test("OPS-102 the fleet ends with the venue, and none of its quotes is left", async () => {
  venue.signal("SIGTERM");
  assert.equal(await venue.ended, 0, venue.complained);
  const endedMs = Date.now();
  await start({});
  const { fleet } = await get("/v1/traffic/mm");
  assert.ok(fleet.length >= 3, "the fleet's accounts stay");
  assert.deepEqual(
    fleet.filter((member: Json) => member.open_orders > 0),
    [],
  );
  await sleep(2_000);
  const trades = (await get("/api/v3/trades?symbol=CC-USDC")) as readonly Json[];
  const late = trades.filter(({ time }) => time > endedMs);
  assert.deepEqual(late, [], "the fleet does not trade any more");
});

test("OPS-102 a fleet runs only if it is wanted, and never in a venue with somebody's money", () => {
  const wants = (more: Record<string, string>) => readConfig({ DEV_FLEET: "1", ...more }).devFleet;
  assert.equal(readConfig({}).devFleet, false);
  assert.equal(wants({}), true);
  assert.equal(wants({ LEDGER_PROFILE: "none" }), true);
  const database = { DATABASE_URL: "postgres://rialto@127.0.0.1:5432/rialto?sslmode=disable" };
  const ledger = {
    LEDGER_URL: "http://127.0.0.1:7575",
    LEDGER_TOKEN: "a token",
    LEDGER_OPERATOR_PARTY: `operator::1220${"0".repeat(64)}`,
    LEDGER_CUSTODY_PARTY: `custody::1220${"0".repeat(64)}`,
  };
  for (const more of [
    database,
    { ...database, DEV_TOOLS: "1" },
    { DEV_TOOLS: "0" },
    { NODE_ENV: "production" },
    { ...ledger, DEV_TOOLS: "1" },
  ])
    assert.equal(wants(more), false, JSON.stringify(more));
});
