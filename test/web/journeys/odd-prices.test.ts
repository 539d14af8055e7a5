// Proves that an operator sees on the operations page which prices are odd, and that the page serves on a phone.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { problem } from "../../../src/ports/venue-problems.ts";
import { openBrowser } from "../../support/client/browser.ts";
import { untilTrue } from "../../support/client/page-waits.ts";
import { projectRoot } from "../../support/tidy/tree.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";

let venue: VenueFixture;
let browser: Browser;
let page: Page;

before(async () => {
  venue = await VenueFixture.open({ TRUSTED_PROXIES: "127.0.0.1" });
  await venue.operator.risk.setReference("BTC-PERP", "60000", 900);
  const maker = await venue.trader();
  for (const [side, price] of [
    ["BUY", "59990"],
    ["SELL", "60010"],
  ] as const) {
    const terms = { type: "LIMIT", timeInForce: "GTC", quantity: "0.1" };
    const order = { symbol: "BTCUSDT", side, price, ...terms };
    const { status, json } = await venue.signed(maker, "POST", "/fapi/v1/order", order);
    assert.equal(status, 200, JSON.stringify(json));
  }
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

function shoot(name: string): Promise<Buffer> {
  const path = join(projectRoot, `coverage/screenshots/ops-${name}.png`);
  return page.screenshot({ path, fullPage: true });
}

function card(name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

test("OPS-121 OPS-123 a wrong reference price is named first, with the mark that left the book", async () => {
  await page.goto(`${venue.address}/ops`);
  const problems = card("Problems");
  await problems.getByText(/BTC-PERP has the operator's reference price 60000\.00 until/).waitFor();
  await venue.operator.risk.setReference("BTC-PERP", "30000", 900, true);
  await problems.getByText(/BTC-PERP has a mark of .* % below its best bid 59990\.00/).waitFor();
  const first = page.locator(".finding").first();
  await first.and(page.locator("[aria-label='Prices and risk']")).waitFor();
  await first.locator("small").getByText("Warning", { exact: true }).waitFor();
  await first.getByText("No accounts are being liquidated.").waitFor();
  await card("Market status").getByText("All markets are open; see Prices and risk.").waitFor();
  const row = card("Markets").getByRole("row", { name: /^BTC-PERP / });
  await row.locator('[data-name="Index from"]').getByText("operator").waitFor();
  for (const theme of ["dark", "light"]) {
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    await shoot(`prices-${theme}`);
  }
});

test("OPS-126 on a phone the page has links to its sections, for a thumb, and only the figures that a market has", async () => {
  await venue.operator.access.halt("CETH-USDC");
  const rows = card("Markets").locator("tbody tr");
  await rows.first().getByText("CETH-USDC").waitFor();
  await rows.nth(1).getByText("BTC-PERP").waitFor();
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
    await shoot(`prices-${width}`);
  }
  // On a busy machine a thread is late by itself. What to do about it has a link in the middle of a sentence.
  await page.route("**/health", async (route) => {
    const response = await route.fetch();
    const health = await response.json();
    const problems = [...health.problems, problem("thread_late", "clearing is late")];
    await route.fulfill({ response, json: { ...health, problems } });
  });
  await page.getByRole("link", { name: "the guide", exact: true }).first().waitFor();
  // At one moment, because each sample may bring other links.
  const low = await page.evaluate(`[...document.querySelectorAll("a")]
    .filter((link) => link.checkVisibility())
    .map((link) => [link.textContent, link.getBoundingClientRect().height])
    .filter(([, height]) => height > 0 && height < 44)`);
  assert.deepEqual(low, []);
  await page.unrouteAll({ behavior: "wait" });
  assert.equal(await rows.first().locator('[data-name="Funding"]').isVisible(), false);
  assert.equal(await rows.nth(1).locator('[data-name="Funding"]').isVisible(), true);
  await page.getByRole("link", { name: "Charts", exact: true }).click();
  await untilTrue(
    page,
    "document.getElementById('charts').getBoundingClientRect().top < innerHeight / 4",
  );
  await venue.operator.access.resume("CETH-USDC");
});
