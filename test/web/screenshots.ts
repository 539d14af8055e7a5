// Pictures of every view and of the documentation, wide and narrow, of a venue with something going on: `make screenshots`. They are
// looked at by people; nothing is compared.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/browser.ts";
import { projectRoot } from "../support/tree.ts";
import { type Trader, VenueFixture } from "../support/venue-fixture.ts";

const folder = join(projectRoot, "coverage/screenshots");
const views = ["trade/BTC-PERP", "trade/CC-USDC", "wallet", "keys", "chain", "referral"] as const;
const documents = [
  "ops",
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

/** A price that wanders, the same on every run. */
function priceAt(step: number): number {
  return 60_000 + 240 * Math.sin(step / 9) + 90 * Math.sin(step / 2.3) + 4 * step;
}

async function order(fixture: VenueFixture, who: Trader, more: Parameters): Promise<void> {
  const limit = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC" };
  await fixture.signed(who, "POST", "/fapi/v1/order", { ...limit, ...more });
}

/** A ladder around the price, and trades against it. */
async function trade(fixture: VenueFixture): Promise<void> {
  const [maker, taker] = [await fixture.trader(), await fixture.trader()];
  for (let step = 0; step < 60; step++) {
    const price = priceAt(step).toFixed(2);
    const quantity = (0.02 + (step % 5) / 50).toFixed(3);
    const [sold, bought] = step % 2 === 0 ? [maker, taker] : [taker, maker];
    await order(fixture, sold, { side: "SELL", price, quantity });
    await order(fixture, bought, { side: "BUY", price, quantity });
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
  await page.getByRole("button", { name: "Make a key and log in" }).click();
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("perp");
  await page.getByRole("button", { name: "Take" }).click();
  await page.getByRole("region", { name: "Balances" }).waitFor();
}

async function picture(browser: Browser, fixture: VenueFixture): Promise<void> {
  for (const viewport of sizes) {
    const page = await browser.newPage({ viewport, colorScheme: "dark" });
    await logIn(page, fixture.address);
    for (const view of [...views.map((place) => `#/${place}`), ...documents]) {
      await page.goto(`${fixture.address}/${view}`);
      await page.waitForLoadState("networkidle");
      if (view === "#/trade/BTC-PERP") await page.getByText(/ %$/).first().waitFor();
      const name = `${view.replace("#/", "").replaceAll("/", "-").toLowerCase()}-${viewport.width}.png`;
      await page.screenshot({ path: join(folder, name) });
      process.stdout.write(`${join(folder, name)}\n`);
    }
    await page.close();
  }
}

mkdirSync(folder, { recursive: true });
const fixture = await VenueFixture.open({ DEV_TOOLS: "1", EPOCH_SECONDS: "1" });
await trade(fixture);
const browser = await openBrowser();
try {
  await picture(browser, fixture);
} finally {
  await browser.close();
  await fixture.close();
}
