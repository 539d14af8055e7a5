// Journeys through the take profit and stop loss that an entry order has brought: changed in the row, on the chart and in the
// dialog, they stay one of each kind and end with the position.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { untilTrue } from "../../support/client/page-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "20000" }] as const;
  trader = await OrderJourney.open({ view: "trade/ETH-PERP", deposits });
  await trader.offer("ETHUSDT", "SELL", "3000.00", "30.00");
  await trader.offer("ETHUSDT", "BUY", "2999.00", "30.00");
  await trader.panel("Book").getByText("3,000.00").first().waitFor();
});
after(() => trader?.close());

const toasts = () => trader.page.getByRole("region", { name: "New notifications" });

/** Buys 0.1 at the market with take profit and stop loss. */
async function enter(takeProfit: string, stopLoss: string): Promise<void> {
  await trader.kind("Market");
  await trader.press("Buy");
  await trader.fill("Quantity (ETH)", "0.1");
  const ticket = trader.panel("Order");
  await ticket.getByLabel("Take profit", { exact: true }).fill(takeProfit);
  await ticket.getByLabel("Stop loss", { exact: true }).fill(stopLoss);
  await trader.press("Buy ETH");
  await trader.told("Order filled");
}

/** Changes the trigger of the stop in the table of open orders. */
async function editStop(price: string): Promise<void> {
  const tab = await trader.tab("Open orders");
  await trader
    .row("STOP MARKET", "Entire position")
    .getByRole("button", { name: "Edit SELL ETH-PERP" })
    .click();
  await tab.getByLabel("New trigger of SELL ETH-PERP").fill(price);
  await trader.page.keyboard.press("Enter");
}

/** Asserts that the position has exactly these two orders. */
async function assertGuards(takeProfit: string, stopLoss: string): Promise<void> {
  const tab = await trader.tab("Open orders");
  await tab.getByText(takeProfit, { exact: true }).first().waitFor();
  await tab.getByText(stopLoss, { exact: true }).first().waitFor();
  await untilTrue(
    trader.page,
    `[...document.querySelectorAll(".panel.account tbody tr")]
      .filter((row) => row.textContent.includes("Entire position")).length === 2`,
  );
  await trader.tab("Positions");
  await trader.row("LONG", `${takeProfit} ${stopLoss}`).waitFor();
}

async function openDialog(): Promise<Locator> {
  await trader.tab("Positions");
  await trader.row("ETH-PERP").getByRole("button", { name: "TP/SL ETH-PERP" }).click();
  return trader.dialog("TP/SL of ETH-PERP");
}

test("WEB-100 WEB-139 a stop that an entry order has brought stays the only one when it is changed in its row", async () => {
  await enter("3150", "2900");
  await assertGuards("3,150.00", "2,900.00");
  await editStop("2890");
  await assertGuards("3,150.00", "2,890.00");
  await enter("3200", "2850");
  await trader.noticed(/^Replaced by a newer one: sell ETH-PERP \((stop|take profit) market\) at /);
  assert.equal(
    await toasts()
      .getByText(/^Cancelled/)
      .count(),
    0,
  );
  await assertGuards("3,200.00", "2,850.00");
  await editStop("2830");
  await assertGuards("3,200.00", "2,830.00");
});

test("WEB-101 a change in the dialog is told as a change, also if the venue has already replaced the order", async () => {
  // What a venue says whose journal has such orders from before.
  await trader.page.route("**/openOrders*", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll("GTE_GTC", "GTC");
    await route.fulfill({ response: answer, body });
  });
  await editStop("2820");
  await trader.panel("Account").getByText("2,820.00").first().waitFor();
  const dialog = await openDialog();
  await dialog.getByLabel("Stop loss of the position").fill("2810");
  await dialog.getByRole("button", { name: "Set TP/SL" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.noticed(/^Changed: sell ETH-PERP \(stop market\) to 2,810\.00$/);
  await trader.page.unrouteAll({ behavior: "wait" });
});

test("WEB-100 take profit and stop loss end with the position, however they were changed", async () => {
  await trader.tab("Positions");
  await trader.row("ETH-PERP").getByRole("button", { name: "Close ETH-PERP" }).click();
  const dialog = trader.dialog("Close ETH-PERP");
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog.waitFor({ state: "detached" });
  const tab = await trader.tab("Open orders");
  await tab.getByText("No open orders.").waitFor();
});

test("WEB-109 what is set in the dialog the first time is announced, with what it brings in percent", async () => {
  await trader.kind("Market");
  await trader.press("Buy");
  await trader.fill("Quantity (ETH)", "0.1");
  await trader.press("Buy ETH");
  await trader.told("Order filled");
  const dialog = await openDialog();
  await dialog.getByLabel("Take profit of the position").fill("3300");
  // 30 USDC on a margin of 30 at ten times.
  await dialog.getByText("+30.00", { exact: true }).waitFor();
  await dialog.getByText("(+100.0 %)").waitFor();
  await dialog.getByLabel("Stop loss of the position").fill("2700");
  await dialog.getByRole("button", { name: "Set TP/SL" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.noticed("Set: take profit of ETH-PERP at 3,300.00");
  await trader.noticed("Set: stop loss of ETH-PERP at 2,700.00");
  assert.equal(
    await toasts()
      .getByText(/^Cancelled/)
      .count(),
    0,
  );
});
