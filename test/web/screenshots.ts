// Takes pictures of every view and of the documentation, wide and narrow, in the light and the dark theme, on a venue
// with activity: `make screenshots`. People look at the pictures; nothing is compared.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/client/browser.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { QuotingVenue } from "../support/venue/quoting-venue.ts";
import type { Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const folder = join(projectRoot, "coverage/screenshots");
const views = [
  "trade/BTC-PERP",
  "trade/CC-USDC",
  "wallet",
  "history",
  "swaps",
  "keys",
  "chain",
  "referral",
] as const;
const panes = ["Book", "Trades", "Order", "Account"] as const;
const themes = ["dark", "light"] as const;
const documents = [
  "ops",
  "ops/traffic",
  "docs",
  "docs/rest/spot",
  "docs/guides/clients",
  "docs/reference/errors",
] as const;
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

type Parameters = Readonly<Record<string, string>>;

/** Returns a price that wanders in the same way on every run. */
function priceAt(step: number): number {
  return 60_000 + 240 * Math.sin(step / 9) + 90 * Math.sin(step / 2.3) + 4 * step;
}

async function order(fixture: VenueFixture, who: Trader, more: Parameters): Promise<void> {
  const limit = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC" };
  await fixture.signed(who, "POST", "/fapi/v1/order", { ...limit, ...more });
}

/** Places orders at several prices and trades against them. */
async function trade(fixture: VenueFixture): Promise<void> {
  const [maker, taker] = [await fixture.trader(), await fixture.trader()];
  for (let step = 0; step < 60; step++) {
    const price = priceAt(step).toFixed(2);
    const quantity = (0.02 + (step % 5) / 50).toFixed(3);
    const [sold, bought] = step % 2 === 0 ? [maker, taker] : [taker, maker];
    const sale = [sold, { side: "SELL", price, quantity }] as const;
    const purchase = [bought, { side: "BUY", price, quantity }] as const;
    // The second order is the taker. Vary its side, so that the recent trades show both colours.
    for (const [who, more] of step % 3 === 0 ? [purchase, sale] : [sale, purchase]) {
      await order(fixture, who, more);
    }
  }
  for (let level = 1; level <= 16; level++) {
    const quantity = (0.05 + ((level * 7) % 11) / 40).toFixed(3);
    const last = priceAt(59);
    await order(fixture, maker, { side: "SELL", price: (last + level * 3).toFixed(2), quantity });
    await order(fixture, maker, { side: "BUY", price: (last - level * 3).toFixed(2), quantity });
  }
}

async function logIn(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/#/wallet`);
  await page.getByRole("button", { name: "Create a key and log in" }).click();
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("perp");
  await page.getByRole("button", { name: "Get test funds" }).click();
  await page.getByRole("region", { name: "Balances" }).waitFor();
}

/** Gets coins on the ledger for the party that is logged in. */
async function tap(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/#/wallet`);
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("ledger");
  await page.getByRole("button", { name: "Get test funds" }).click();
  await page.getByText("sent to your party on the ledger").waitFor();
}

/** Takes a picture of the page in each theme. */
async function shoot(page: Page, name: string): Promise<void> {
  const width = page.viewportSize()?.width;
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    const path = join(folder, `${name}-${width}-${theme}.png`);
    await page.screenshot({ path });
    process.stdout.write(`${path}\n`);
  }
}

async function shootSwap(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/#/swaps`);
  await page.getByLabel("Amount", { exact: true }).fill("100");
  await page.getByRole("button", { name: "Request quotes" }).click();
  const accept = page.getByRole("button", { name: "Accept" });
  await accept.first().waitFor();
  await shoot(page, "swap-quoted");
  await accept.first().click();
  await page.getByRole("button", { name: "Sign and lock" }).waitFor();
  await shoot(page, "swap-signing");
  await page.getByRole("button", { name: "Sign and lock" }).click();
  await page.getByText("Settled. Both sides").waitFor();
  await shoot(page, "swap-settled");
}

/** Opens a position with take profit, places a resting order and creates a key, so that every list has an entry. */
async function live(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/#/trade/BTC-PERP`);
  const tab = (name: string) => page.getByRole("tab", { name, exact: true }).click();
  if (await page.getByRole("tab", { name: "Order", exact: true }).isVisible()) await tab("Order");
  await page.getByLabel("Price (USDT)").fill("61000");
  await page.getByLabel("Quantity (BTC)").fill("0.2");
  await page.getByLabel("Take profit").fill("65000");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await page.getByText("Order filled:").waitFor();
  await page.getByLabel("Price (USDT)").fill("58000");
  await page.getByLabel("Quantity (BTC)").fill("0.1");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await page.getByText("Order open:").waitFor();
  await page.goto(`${address}/#/keys`);
  await page.getByLabel("Label").fill("my-bot");
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByRole("region", { name: "New API key" }).waitFor();
}

async function shootViews(page: Page, address: string, suffix: string): Promise<void> {
  for (const view of views) {
    await page.goto(`${address}/#/${view}`);
    await page.waitForLoadState("networkidle");
    if (view === "trade/BTC-PERP") await page.getByText(/\.\d{4} %$/).waitFor();
    await shoot(page, view.replaceAll("/", "-").toLowerCase() + suffix);
  }
}

/** Opens the list of markets, the depth, the studies of the chart and the list of keys, one after another. */
async function shootTrading(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/#/trade/BTC-PERP`);
  await page.locator(".market-choice > button").click();
  await page.getByRole("searchbox").waitFor();
  await shoot(page, "markets");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Indicators/ }).click();
  for (const name of ["EMA", "RSI"]) await page.getByLabel(name, { exact: true }).check();
  await shoot(page, "studies");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await shoot(page, "keys");
  await page.keyboard.press("Escape");
  const pane = page.getByRole("tab", { name: "Book", exact: true });
  if (await pane.isVisible()) await pane.click();
  await page.getByRole("tab", { name: "Depth" }).click();
  await shoot(page, "depth");
  await page.getByRole("tab", { name: "Order book" }).click();
}

async function shootPanes(page: Page, address: string): Promise<void> {
  await page.goto(`${address}/#/trade/BTC-PERP`);
  for (const pane of panes) {
    const tab = page.getByRole("tab", { name: pane, exact: true });
    if (!(await tab.isVisible())) return;
    await tab.click();
    await shoot(page, `pane-${pane.toLowerCase()}`);
  }
}

/** Trades for some seconds, because the operations page draws its charts only from the moment it is opened. */
async function curves(page: Page, fixture: VenueFixture): Promise<void> {
  for (let round = 0; round < 2; round++) await trade(fixture);
  await page.getByText("no snapshot yet").waitFor({ state: "detached" });
}

async function picture(browser: Browser, quoting: QuotingVenue): Promise<void> {
  const { address } = quoting.venue.fixture;
  for (const viewport of sizes) {
    const page = await browser.newPage({ viewport, colorScheme: "dark" });
    await shootViews(page, address, "-out");
    await logIn(page, address);
    await tap(page, address);
    await live(page, address);
    await shootViews(page, address, "");
    await shootTrading(page, address);
    await shootPanes(page, address);
    await shootSwap(page, address);
    for (const document of documents) {
      await page.goto(`${address}/${document}`);
      await page.waitForLoadState("networkidle");
      if (document === "ops") await curves(page, quoting.venue.fixture);
      await shoot(page, document.replaceAll("/", "-"));
    }
    await page.close();
  }
}

mkdirSync(folder, { recursive: true });
const quoting = await QuotingVenue.open({ EPOCH_SECONDS: "1", SNAPSHOT_INTERVAL_MS: "3000" });
await trade(quoting.venue.fixture);
const browser = await openBrowser();
try {
  await picture(browser, quoting);
} finally {
  await browser.close();
  await quoting.close();
}
