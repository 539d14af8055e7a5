// Journey: a liquidation is found in the history, with what it charged and with the orders that it ended.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Route } from "playwright-core";
import { until } from "../../epochs/epoch-waits.ts";
import { openBrowser } from "../../support/client/browser.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import { AccountJourney, narrow, offer, openPage, wide } from "./account-journey.ts";

let venue: VenueFixture;
let browser: Browser;
let user: AccountJourney;

before(async () => {
  venue = await VenueFixture.open({ DEV_TOOLS: "1", EPOCH_SECONDS: "1" });
  const maker = await venue.trader();
  browser = await openBrowser();
  user = new AccountJourney(await openPage(browser), venue.address);
  await user.logIn();
  await user.fund("perp");
  await venue.operator.risk.setReference("BTC-PERP", "60000", 900);
  await offer(venue, maker, ["SELL", "60000.00", "1.000"]);
  const perp = { symbol: "BTC-PERP", side: "BUY" } as const;
  await user.order({ ...perp, qty: "1", price: "60000", leverage: 10 });
  await user.order({ ...perp, qty: "0.001", price: "40000" });
  await venue.operator.risk.setReference("BTC-PERP", "50000", 900, true);
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

const rows = (name: string) =>
  user.page.getByRole("region", { name, exact: true }).locator("tbody tr");

test("WEB-50 an order that a liquidation ended is told with its type, price and reason", async () => {
  const told = "Expired: buy 0.001 BTC-PERP (limit) at 40,000.00, the account was being liquidated";
  const list = user.page.getByRole("region", { name: "Notifications", exact: true });
  await user.page.getByRole("button", { name: /^Notifications/ }).click();
  await user.shows(told, list);
  await user.shows(/^Liquidated: sold 1 BTC-PERP at /, list);
});

test("WEB-51 a liquidation is among the other changes, and is the reason of the orders that it ended", async () => {
  await user.open("history");
  await user.shows("the account was being liquidated");
  await user.page.getByRole("tab", { name: "Other changes", exact: true }).click();
  const row = rows("Other changes").first();
  await row.getByText("Liquidation").waitFor();
  assert.match((await row.textContent()) ?? "", /BTC-PERP/);
  await user.assertSound();
  await user.page.setViewportSize(narrow);
  await user.assertSound();
});

test("WEB-102 a liquidation is among the fills with price, quantity, result and proof, and in their file", async () => {
  await user.page.setViewportSize(wide);
  await user.page.getByRole("tab", { name: "Fills", exact: true }).click();
  await user.page.getByLabel("Kind").selectOption("Liquidation");
  const row = rows("Fills").first();
  await row.getByText("liquidation", { exact: true }).waitFor();
  assert.match(
    (await row.textContent()) ?? "",
    /BTC-PERP.*SELL.*[\d,]+\.\d\d.*1\.000.*-[\d,]+\.\d/,
  );
  await row.getByRole("link", { name: /^Verify entry \d+$/ }).waitFor();
  const waiting = user.page.waitForEvent("download");
  await user.page.getByRole("button", { name: "Export CSV" }).click();
  const [head = "", first = ""] = readFileSync(await (await waiting).path(), "utf8").split("\r\n");
  assert.match(head, /,Proof$/);
  assert.match(first, /,BTC-PERP,SELL,[\d.]+,1\.000,.*,liquidation,-[\d.]+,,,\d+$/);
  await user.page.getByRole("tab", { name: "Other changes", exact: true }).click();
});

test("WEB-102 a kind that is chosen while the fills are still read is found", async () => {
  const { page } = user;
  const held: Route[] = [];
  await page.route("**/v1/trades/me*", (route) => {
    held.push(route);
  });
  await page.getByRole("tab", { name: "Fills", exact: true }).click();
  await until("the first request", async () => held[0] ?? null);
  await page.getByLabel("Kind").selectOption("Liquidation");
  await until("the second request", async () => held[1] ?? null);
  for (const route of held) {
    const answered = page.waitForResponse("**/v1/trades/me*");
    await route.continue();
    await answered;
  }
  await rows("Fills").first().getByText("liquidation", { exact: true }).waitFor();
  await page.unroute("**/v1/trades/me*");
  await page.getByRole("tab", { name: "Other changes", exact: true }).click();
});

test("WEB-94 one press leads from a liquidation to its checked proof", async () => {
  await rows("Other changes")
    .first()
    .getByRole("link", { name: /^Verify entry \d+$/ })
    .click();
  const verdict = user.page.getByRole("region", { name: "Verdict" }).first();
  await user.shows("Verified.", verdict);
  await user.shows("BTC-PERP", verdict);
});
