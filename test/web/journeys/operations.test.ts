// Proves what the operations page says of the program, its machine and each market, and that the page of traffic is
// for everybody.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { until } from "../../epochs/epoch-waits.ts";
import { assertAccessible } from "../../support/client/accessibility.ts";
import { openBrowser } from "../../support/client/browser.ts";
import { untilTrue } from "../../support/client/page-waits.ts";
import { projectRoot } from "../../support/tidy/tree.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";

const sizes = [
  [1440, 900],
  [1024, 768],
  [390, 844],
  [375, 812],
  [360, 740],
] as const;

/** Narrower screens have the same layout as the one of 390 pixels. */
const widthsOfLayouts: readonly number[] = [1440, 1024, 390];

let venue: VenueFixture;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

before(async () => {
  venue = await VenueFixture.open({ TRUSTED_PROXIES: "127.0.0.1", BUILD_COMMIT: "c0ffee0123" });
  const [maker, taker] = [await venue.trader(), await venue.trader()];
  const place = async (trader: typeof maker, path: string, order: Record<string, string>) => {
    const { status, json } = await venue.signed(trader, "POST", path, order);
    assert.equal(status, 200, JSON.stringify(json));
  };
  const gtc = { type: "LIMIT", timeInForce: "GTC" };
  const quote = { symbol: "CC-USDC", quantity: "1000", ...gtc };
  await place(maker, "/api/v3/order", { ...quote, side: "BUY", price: "0.1490" });
  await place(maker, "/api/v3/order", { ...quote, side: "SELL", price: "0.1510" });
  await place(taker, "/api/v3/order", { ...quote, quantity: "100", side: "BUY", price: "0.1510" });
  const perp = { symbol: "BTCUSDT", quantity: "0.5", ...gtc };
  await place(maker, "/fapi/v1/order", { ...perp, side: "SELL", price: "60000" });
  await place(taker, "/fapi/v1/order", { ...perp, side: "BUY", price: "60000" });
  // A side of a market that has traded must not be empty for long.
  await place(maker, "/fapi/v1/order", { ...perp, side: "SELL", price: "61000" });
  await place(taker, "/fapi/v1/order", { ...perp, side: "BUY", price: "59000" });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => complaints.push(String(error)));
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

/** Throws unless the page fits its width in all sizes, and breaks no rule of accessibility in any layout and theme. */
async function checkForm(): Promise<void> {
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
    // Nothing is cut off in the tables of figures either (OPS-145).
    const cut = await page.evaluate(`[...document.querySelectorAll("#tables .table")]
      .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)`);
    assert.deepEqual(cut, [], `tables wider than their place at ${width}`);
    if (widthsOfLayouts.includes(width))
      await assertAccessible(page, { what: `${page.url()}, ${width}` });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** The cells of a market's row, by the name of their column. */
async function cellsOf(market: string): Promise<Record<string, string>> {
  const row = page
    .getByRole("region", { name: "Markets", exact: true })
    .getByRole("row", { name: new RegExp(`^${market} `) });
  await row.waitFor();
  const cells = await row.locator("td").all();
  const read = cells.map(async (cell) => [
    (await cell.getAttribute("data-name")) ?? "",
    (await cell.textContent()) ?? "",
  ]);
  return Object.fromEntries(await Promise.all(read));
}

/** Resolves when cells of a market's row have these texts: the page takes the figures of each sample as they come. */
async function untilShown(market: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  await until(`${market}: ${JSON.stringify(wanted)}`, async () => {
    const cells = await cellsOf(market);
    return Object.entries(wanted).every(([name, text]) => cells[name] === text) ? true : null;
  });
}

test("OPS-100 an operator sees version, role and uptime of the program, and what the machine has left", async () => {
  await page.goto(`${venue.address}/ops`);
  const card = page.getByRole("region", { name: "Program", exact: true });
  await card.getByText("as the only venue on its database").waitFor();
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  await card.getByText(`${version} (c0ffee0123)`).waitFor();
  await card.getByText("single", { exact: true }).waitFor();
  // A share of the processors needs two samples.
  await card.getByText(/^\d+\.\d % of \d+$/).waitFor();
  await card.getByText(/^\d+\.\d\d$/).waitFor();
  await card.getByText(/^[\d.]+ [MG]iB$/).waitFor();
  await card.getByText(/^[\d.]+ [MGT]iB of [\d.]+ [MGT]iB$/).waitFor();
  const metrics = await (await fetch(`${venue.address}/metrics`)).text();
  for (const name of [
    "process_memory_bytes",
    "machine_processors",
    "disk_bytes",
    "disk_free_bytes",
  ])
    assert.match(metrics, new RegExp(`^rialto_${name} [1-9]`, "m"));
});

test("OPS-101 an operator sees each market with its prices, its trades and what is wrong with it", async () => {
  await untilShown("CC-USDC", {
    ...{ Status: "trading", Last: "0.1510", Bid: "0.1490", Offer: "0.1510", Mark: "–" },
    ...{ "Trades (24h)": "1", "Spread (bps)": "133.3" },
  });
  await untilShown("BTC-PERP", { Last: "60000.00", "Open interest": "30,000 USDC" });
  await page
    .getByRole("region", { name: "Markets", exact: true })
    .getByRole("row", { name: /^ETH-PERP / })
    .locator('[data-name="Note"]')
    .getByText(/^no bids and no offers/)
    .waitFor();
});

test("OPS-101 OPS-107 OPS-113 OPS-134 a halt is named first, in header and title, and its card comes first", async () => {
  const banner = page.getByRole("banner").getByRole("status");
  const firstCard = page.locator(".finding").first();
  // The machine of the tests may have a full disk or be busy, and then the page says so.
  await banner.getByText(/^(Venue running|.*\d+ (fault|warning)s?)$/).waitFor();
  await venue.operator.access.halt("CETH-USDC");
  // A machine under load can add warnings, of late threads, and even a fault, of a journal that waits.
  await banner.getByText(/\d+ warnings?$/).waitFor();
  const listed = page.getByRole("region", { name: "Problems" });
  await listed.getByRole("listitem").filter({ hasText: "Warning CETH-USDC is halted." }).waitFor();
  assert.match(await page.title(), /^(\d+ faults?, )?\d+ warnings? · Operations · Rialto$/);
  await firstCard.and(page.locator("[aria-label='Market status']")).waitFor();
  await firstCard.getByRole("heading").getByText("Warning", { exact: true }).waitFor();
  const finding = firstCard.getByRole("listitem").filter({ hasText: "CETH-USDC is halted." });
  await finding.getByText("To do: run 'rialto markets resume CETH-USDC'").waitFor();
  // OPS-144: the command is a line to copy.
  await finding.getByRole("button", { name: "Copy rialto markets resume CETH-USDC" }).waitFor();
  // OPS-134: a phone has each finding once, in its card.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText("CETH-USDC is halted.").filter({ visible: true }).waitFor();
  assert(await finding.isVisible());
  await page.setViewportSize({ width: 1440, height: 900 });
  const { problems } = (await (await fetch(`${venue.address}/health`)).json()) as {
    problems: { kind: string; severity: string; text: string }[];
  };
  assert.deepEqual(
    problems
      .filter(({ kind }) => !/^(disk|thread|acks|journal)_/.test(kind))
      .map(({ severity, text }) => `${severity}: ${text}`),
    ["warning: CETH-USDC is halted"],
  );
  await untilShown("CETH-USDC", {
    ...{ Status: "halted", Note: "takes no orders until it is resumed" },
  });
  await checkForm();
  await page.screenshot({ path: join(projectRoot, "coverage/screenshots/ops-halted.png") });
  await venue.operator.access.resume("CETH-USDC");
  await listed.getByText("CETH-USDC is halted.").waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Market status" }).getByText("OK").waitFor();
  assert.notEqual(await firstCard.getAttribute("aria-label"), "Market status");
});

test("OPS-107 figures of a venue that does not answer are shown as past", async () => {
  const card = page.getByRole("region", { name: "Money", exact: true });
  await card.getByText("OK", { exact: true }).waitFor();
  await page.route("**/metrics", (route) => route.abort());
  await page
    .getByRole("alert")
    .getByText("does not answer at its address (no connection to the venue)")
    .waitFor();
  // OPS-144: the guide cannot be reached now, so what to do is said here.
  await page
    .getByRole("alert")
    .getByText("To do: look at its log, then run 'rialto start'")
    .waitFor();
  await card.getByText("not known", { exact: true }).waitFor();
  assert.equal(await page.title(), "Not responding · Operations · Rialto");
  assert.equal(await page.locator(".finding.past").count(), 8);
  const colours = () =>
    page.evaluate(`[...document.querySelectorAll(".finding :is(h2 small, dd)")]
      .map((one) => getComputedStyle(one).color)`) as Promise<string[]>;
  assert.equal(new Set(await colours()).size, 1, "all figures of the past have the same tone");
  await checkForm();
  await page.screenshot({ path: join(projectRoot, "coverage/screenshots/ops-silent.png") });
  await page.unrouteAll({ behavior: "wait" });
  await card.getByText("OK", { exact: true }).waitFor();
  // OPS-144: no card keeps the tone of the past.
  const isSoft = `[...document.querySelectorAll(".finding :is(dd, p)")].some((one) =>
    getComputedStyle(one).color === getComputedStyle(document.querySelector(".finding dt")).color)`;
  assert.equal(await page.evaluate(isSoft), false);
});

test("OPS-143 a chart says time and values of the moment under the pointer or chosen by keys, also before the page was opened", async () => {
  const { samples } = (await (await fetch(`${venue.address}/metrics?recent`)).json()) as {
    samples: number[][];
  };
  assert(samples.length > 1, "the venue keeps figures");
  const other = await browser.newPage();
  await other.goto(`${venue.address}/ops`);
  const chart = other.getByRole("figure").filter({ hasText: "Events per second" });
  const moment = chart.getByRole("slider", { name: "Moment of Events per second" });
  await chart.getByText("now", { exact: true }).waitFor();
  // More samples than the page can have taken itself.
  await untilTrue(
    other,
    `Number(document.querySelector("#charts [role=slider]")?.ariaValueMax) >= ${samples.length}`,
  );
  await moment.focus();
  await other.keyboard.press("Home");
  await chart.getByText("now", { exact: true }).waitFor({ state: "detached" });
  const first = (await moment.getAttribute("aria-valuetext")) ?? "";
  assert.match(first, /^\d\d:\d\d:\d\d: decided (–|[\d,.]+), durable (–|[\d,.]+)$/);
  await chart.getByText(first.slice(0, 8), { exact: true }).waitFor();
  await other.keyboard.press("Escape");
  await chart.getByText("now", { exact: true }).waitFor();
  await moment.hover();
  await chart.getByText(/^\d\d:\d\d:\d\d$/).waitFor();
  const guide = other.getByRole("banner").getByRole("link", { name: "Incident guide" });
  assert.equal(await guide.getAttribute("target"), "_blank");
  await other.close();
});

test("OPS-100 OPS-101 OPS-145 the operations page is readable in both themes and all sizes", async () => {
  await page.getByRole("region", { name: "All threads" }).waitFor();
  await checkForm();
  assert.deepEqual(complaints, []);
});

test("WEB-18 the page of traffic is for everybody, the operations page is not", async () => {
  const from = (path: string) =>
    fetch(venue.address + path, { headers: { "X-Forwarded-For": "203.0.113.7" } });
  assert.equal((await from("/ops")).status, 403);
  assert.equal((await from("/ops/traffic")).status, 200);
  await page.getByRole("banner").getByRole("link", { name: "Traffic" }).click();
  await page.getByText("Free traffic left:").waitFor();
  await page.getByText("This venue runs no market makers.").waitFor();
  await checkForm();
  await page.goto(`${venue.address}/#/traffic`);
  await page.waitForURL("**/ops/traffic");
  assert.deepEqual(complaints, []);
});
