// Journeys with a position: its leverage, its risk, its take profit and stop loss, and closing it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { until } from "../../epochs/epoch-waits.ts";
import { settleFunding } from "./account-journey.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "3.000");
  await trader.offer("BTCUSDT", "BUY", "49990.00", "3.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
});
after(() => trader?.close());

function figure(name: string): Locator {
  return trader.page.locator(".risk .figure", { hasText: name }).locator("dd");
}

function leverageButton(leverage: number): Locator {
  return trader.page.getByRole("button", { name: `Leverage of BTC-PERP: ${leverage}×` });
}

test("WEB-30 no order changes the leverage, which stands beside the market", async () => {
  await leverageButton(10).waitFor();
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "0.500");
  await trader.press("Buy BTC");
  await trader.told("Order filled: 0.500 BTC at 50,000.00");
  await trader.tab("Positions");
  await trader.row("LONG 10×", "0.500").waitFor();
  assert.equal(await trader.panel("Order").getByText("Leverage").count(), 0);
});

test("WEB-30 WEB-159 the dialog previews margin, available balance and liquidation price, and sets what is covered", async () => {
  await leverageButton(10).click();
  const dialog = trader.dialog("Leverage of BTC-PERP");
  const chosen = dialog.getByLabel(/^Leverage, 1 to/);
  await chosen.fill("2");
  await dialog.getByText("2,500.00 → 12,500.00").waitFor();
  await dialog.getByText("Your available balance does not cover this leverage.").waitFor();
  assert(await dialog.getByRole("button", { name: "Set 2×" }).isDisabled());
  await chosen.fill("20");
  await dialog.getByText("2,500.00 → 1,250.00").waitFor();
  await dialog.getByText(/^[\d,.]+, unchanged$/).waitFor();
  await dialog.getByRole("button", { name: "Set 20×" }).click();
  await dialog.waitFor({ state: "detached" });
  await leverageButton(20).waitFor();
  await trader.page.getByText("Leverage of BTC-PERP set to 20×").first().waitFor();
  await trader.row("LONG 20×", "1,250.00").waitFor();
});

test("WEB-31 equity, margin ratio, maintenance margin, profit, return and liquidation price are in sight", async () => {
  for (const name of ["Equity", "Maintenance", "Available", "Unrealized PnL", "Funding"]) {
    await figure(name)
      .first()
      .getByText(/^[+-]?[\d,]+\.\d\d$/)
      .waitFor();
  }
  await figure("Margin ratio")
    .getByText(/^\d+\.\d\d %$/)
    .waitFor();
  await figure("Next funding BTC")
    .getByText(/^\d\d:\d\d:\d\d · [+-]?\d+\.\d\d$/)
    .waitFor();
  await trader.row("LONG", /[+-]?[\d,]+\.\d\d [+-]?[\d,]+\.\d %/).waitFor();
  await trader.row("LONG", /\d\d,\d{3}\.\d\d.*\d\d,\d{3}\.\d\d/).waitFor();
});

test("WEB-31 the position is valued at the mark of the market bar", async () => {
  await trader.page.locator('td[data-name="Entry / mark"]').waitFor();
  // Read both in one go, because both change with the next mark.
  const read = `(() => {
    const bar = [...document.querySelectorAll(".market-bar .figure")];
    const mark = bar.find((one) => one.querySelector("dt").textContent.startsWith("Mark"));
    const cell = document.querySelector('.panel.account td[data-name="Entry / mark"]');
    return [mark.querySelector("dd").textContent, cell.textContent.split(" ")[1]];
  })()`;
  await trader.page
    .locator(".market-bar")
    .getByText(/^\d\d,\d{3}\.\d\d$/)
    .first()
    .waitFor();
  for (let round = 0; round < 20; round++) {
    const [shown, valued] = (await trader.page.evaluate(read)) as [string, string];
    assert.equal(shown, valued);
    await trader.offer("BTCUSDT", "BUY", `${49_980 - round}.00`, "0.010");
  }
});

test("WEB-31 funding that was paid is in the account's strip and in the position's row", async () => {
  await trader.fixture.operator.risk.setReference("BTC-PERP", "50000", 900, true);
  await settleFunding(trader.page);
  await figure("Funding")
    .first()
    .getByText(/^[+-]\d+\.\d\d$/)
    .waitFor();
  // The row is read after the strip.
  const cell = trader.panel("Account").locator('td[data-name="Realized / funding"]');
  await until("the same funding in row and strip", async () => {
    const [, funding] = ((await cell.textContent()) ?? "").split(" ");
    return funding === (await figure("Funding").first().textContent()) ? true : null;
  });
});

test("WEB-33 WEB-133 take profit and stop loss of a position are set, changed and removed", async () => {
  const open = () => trader.row("LONG").getByRole("button", { name: "TP/SL BTC-PERP" }).click();
  const dialog = trader.dialog("TP/SL of BTC-PERP");
  const takeProfit = dialog.getByLabel("Take profit of the position");
  const stopLoss = dialog.getByLabel("Stop loss of the position");
  const set = async () => {
    await dialog.getByRole("button", { name: "Set TP/SL" }).click();
  };
  await open();
  await takeProfit.and(trader.page.locator(":focus")).waitFor();
  await takeProfit.fill("60000");
  await stopLoss.fill("45000");
  await set();
  await trader.row("LONG", "60,000.00 45,000.00").waitFor();
  await open();
  await stopLoss.fill("70000");
  await dialog.getByRole("button", { name: "Set TP/SL", disabled: true }).waitFor();
  await stopLoss.fill("46000");
  await takeProfit.fill("");
  await set();
  await trader.row("LONG", "– 46,000.00").waitFor();
});

test("WEB-33 a field that the user leaves alone changes nothing, even before the orders are read", async () => {
  const terms = "**/compat/fapi/v1/openOrders?*";
  await trader.page.route(terms, (route) => route.abort("connectionreset"));
  await trader.page.reload();
  await trader.tab("Positions");
  await trader.row("LONG").getByRole("button", { name: "TP/SL BTC-PERP" }).click();
  const dialog = trader.dialog("TP/SL of BTC-PERP");
  await dialog.getByLabel("Take profit of the position").fill("61000");
  assert.equal(await dialog.getByLabel("Stop loss of the position").inputValue(), "");
  await dialog.getByRole("button", { name: "Set TP/SL" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.page.unrouteAll({ behavior: "wait" });
  await trader.page.reload();
  await trader.tab("Positions");
  await trader.row("LONG", "61,000.00 46,000.00").waitFor();
});

test("WEB-32 a reduce-only order trades no more than the position", async () => {
  await trader.kind("Market");
  await trader.press("Sell");
  await trader.panel("Order").getByLabel("Reduce only").check();
  await trader.fill("Quantity (BTC)", "0.100");
  await trader.press("Sell BTC");
  await trader.told("Order filled: 0.100 BTC");
  await trader.row("LONG", "0.400").waitFor();
  await trader.fill("Quantity (BTC)", "2.000");
  await trader.told("Reduce only: at most your position of 0.400 will trade.");
});

test("WEB-35 a part of a position is closed at the market, and the rest at a limit", async () => {
  await trader.row("LONG").getByRole("button", { name: "Close BTC-PERP" }).click();
  const dialog = trader.dialog("Close BTC-PERP");
  await dialog.getByRole("button", { name: "50 %" }).click();
  assert.equal(await dialog.getByLabel("Quantity to close (BTC)").inputValue(), "0.200");
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.row("LONG", "0.200").waitFor();
  await trader.row("LONG").getByRole("button", { name: "Close BTC-PERP" }).click();
  await dialog.getByRole("button", { name: "Limit" }).click();
  await dialog.getByLabel("Closing price (USDT)").fill("51000");
  await dialog.getByRole("button", { name: "Close at limit" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.tab("Open orders");
  await trader.row("SELL", "51,000.00", "0.200", "Reduce only").waitFor();
  await trader.tab("Positions");
  await trader.offer("BTCUSDT", "BUY", "51000.00", "4.000");
  await trader.panel("Account").getByText("No open positions.").waitFor();
});
