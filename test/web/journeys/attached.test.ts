// Journeys with the take profit and the stop loss that an open order brings: they are changed and removed before the order
// is filled, by another order in its place.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "10000" },
    { asset: "USDC", wallet: "perp", amount: "10000" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  await trader.offer("CC-USDC", "SELL", "0.2000", "5000");
  await trader.offer("CC-USDC", "BUY", "0.1000", "5000");
  await trader.offer("BTCUSDT", "SELL", "50000.00", "3.000");
  await trader.offer("BTCUSDT", "BUY", "49990.00", "3.000");
  await trader
    .panel("Book")
    .getByText(/0\.2000/)
    .first()
    .waitFor();
});
after(() => trader?.close());

async function place(terms: Readonly<Record<string, string>>, button: string): Promise<void> {
  for (const [label, text] of Object.entries(terms)) await trader.fill(label, text);
  await trader.press(button);
}

async function opened(row: Locator, name: string): Promise<Locator> {
  await row.getByRole("button", { name }).click();
  return trader.dialog(name);
}

async function replaced(dialog: Locator): Promise<void> {
  await dialog.getByRole("button", { name: "Replace order" }).click();
  await dialog.waitFor({ state: "detached" });
}

test("WEB-90 WEB-133 a buy on spot gets another take profit, from the row of the one that waits", async () => {
  const terms = { "Price (USDC)": "0.1500", "Quantity (CC)": "400" };
  await place({ ...terms, "Take profit": "0.3", "Stop loss": "0.12" }, "Buy CC");
  await trader.row("BUY", "TP 0.3000, SL 0.1200").waitFor();
  const dialog = await opened(trader.row("SELL", "0.3000"), "TP/SL of BUY CC-USDC");
  await dialog.getByText("cancelled and then placed again").waitFor();
  const replace = dialog.getByRole("button", { name: "Replace order" });
  assert(await replace.isDisabled(), "nothing has changed");
  const profit = dialog.getByLabel("Take profit of the order (USDC)");
  await profit.and(trader.page.locator(":focus")).waitFor();
  assert.equal(await profit.inputValue(), "0.3000");
  await profit.fill("0.14");
  await dialog.getByText("Take profit: above 0.1500, the price of the order").waitFor();
  assert(await replace.isDisabled(), "it would be refused");
  await profit.fill("0.31");
  await replaced(dialog);
  await trader.row("BUY", "0.1500", "400", "TP 0.3100, SL 0.1200").waitFor();
  await trader.row("SELL", "0.3100", "up to 400.0").waitFor();
  await trader.row("SELL", "0.1200", "up to 400.0").waitFor();
  assert.equal(await trader.row("CC-USDC").count(), 3);
});

test("WEB-90 the change is told as one, and not as the cancels that it needs", async () => {
  await trader.page.getByRole("button", { name: /^Notifications/ }).click();
  const list = trader.page.getByRole("region", { name: "Notifications", exact: true });
  await list.getByText("Changed: buy 400 CC-USDC: take profit and stop loss").waitFor();
  assert.equal(await list.getByText("Cancelled").count(), 0);
  await trader.page.keyboard.press("Escape");
});

test("WEB-90 without a take profit and a stop loss, a plain order is left", async () => {
  const dialog = await opened(trader.row("BUY", "0.1500"), "TP/SL of BUY CC-USDC");
  await dialog.getByLabel("Take profit of the order (USDC)").fill("");
  await dialog.getByLabel("Stop loss of the order (USDC)").fill("");
  await replaced(dialog);
  await trader.row("SELL").first().waitFor({ state: "detached" });
  const row = trader.row("BUY", "0.1500", "400");
  await row.getByRole("button", { name: "Edit BUY CC-USDC" }).waitFor();
  assert.equal(await trader.row("CC-USDC").count(), 1);
  assert.equal(await row.getByRole("button", { name: /^TP\/SL/ }).count(), 0);
});

test("WEB-90 a buy of which a part was bought is not replaced, because that part would lose its stop loss", async () => {
  const terms = { "Price (USDC)": "0.1600", "Quantity (CC)": "500" };
  await place({ ...terms, "Stop loss": "0.12" }, "Buy CC");
  await trader.row("BUY", "0.1600", "SL 0.1200").waitFor();
  await trader.offer("CC-USDC", "SELL", "0.1600", "200");
  await trader.row("BUY", "0.1600", "200.0").waitFor();
  const dialog = await opened(trader.row("BUY", "0.1600"), "TP/SL of BUY CC-USDC");
  await dialog.getByText("200.0 CC of it were bought already.").waitFor();
  await dialog.getByLabel("Stop loss of the order (USDC)").fill("0.13");
  assert(await dialog.getByRole("button", { name: "Replace order" }).isDisabled());
  await trader.page.keyboard.press("Escape");
});

test("WEB-90 an order that is gone when it is to be replaced is told, and nothing is placed", async () => {
  await trader.page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  const terms = { "Price (USDT)": "48000", "Quantity (BTC)": "0.010" };
  await place({ ...terms, "Take profit": "52000", "Stop loss": "47000" }, "Buy BTC");
  const row = trader.row("48,000.00", "TP 52,000.00, SL 47,000.00");
  const dialog = await opened(row, "TP/SL of BUY BTC-PERP");
  await dialog.getByLabel("Take profit of the order (USDT)").fill("53000");
  await dialog.getByLabel("Stop loss of the order (USDT)").fill("");
  await trader.page.route("**/v1/orders/*", async (route) => {
    // It is cancelled elsewhere, a moment before.
    await route.fetch();
    await route.fulfill({ response: await route.fetch() });
  });
  await dialog.getByRole("button", { name: "Replace order" }).click();
  await dialog.getByText("The order is no longer open. Nothing was changed.").waitFor();
  await trader.page.unrouteAll({ behavior: "wait" });
  await trader.page.keyboard.press("Escape");
  await row.waitFor({ state: "detached" });
});

test("WEB-90 an order of a perpetual loses its stop loss and gets another take profit", async () => {
  const terms = { "Price (USDT)": "48100", "Quantity (BTC)": "0.010" };
  await place({ ...terms, "Take profit": "52000", "Stop loss": "47000" }, "Buy BTC");
  const row = trader.row("48,100.00", "TP 52,000.00, SL 47,000.00");
  const only = trader.panel("Account").getByLabel("Only BTC-PERP");
  await only.check();
  await trader.page.setViewportSize({ width: 1024, height: 768 });
  const buttons = await row.locator(".actions").boundingBox();
  assert(buttons !== null);
  for (const cell of await row.locator("td:not(:last-child)").all()) {
    const box = await cell.boundingBox();
    assert(box !== null && box.x + box.width <= buttons.x, "no column is behind the three buttons");
  }
  await trader.page.setViewportSize({ width: 1440, height: 900 });
  await only.uncheck();
  const dialog = await opened(row, "TP/SL of BUY BTC-PERP");
  await dialog.getByLabel("Take profit of the order (USDT)").fill("53000");
  await dialog.getByLabel("Stop loss of the order (USDT)").fill("");
  await replaced(dialog);
  const next = trader.row("48,100.00", "TP 53,000.00");
  await next.waitFor();
  assert.doesNotMatch((await next.textContent()) ?? "", /SL \d/);
  assert.equal(await trader.row("48,100.00").count(), 1);
});
