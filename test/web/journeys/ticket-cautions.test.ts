// Journeys through what the ticket of a perpetual and its dialogs say before something is sent that their user may not have
// meant.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "30000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "60000.00", "3.000");
  await trader.offer("BTCUSDT", "BUY", "59900.00", "9.000");
  await trader.panel("Book").getByText("60,000.00").first().waitFor();
});
after(() => trader?.close());

/** The figure of the ticket in the row of that name. */
function figure(name: string): Promise<string> {
  return trader.page.evaluate(`
    [...document.querySelectorAll("#ticket dt")].find((one) => one.textContent.startsWith(${JSON.stringify(name)}))
      ?.nextElementSibling.textContent ?? ""`);
}

async function confirms(isOn: boolean): Promise<void> {
  await trader.press("Order settings");
  const dialog = trader.dialog("Order settings");
  await dialog.getByLabel("Confirm each order before it is sent").setChecked(isOn);
  await dialog.getByRole("button", { name: "Save settings" }).click();
  await dialog.waitFor({ state: "detached" });
}

test("WEB-176 an order that is filled or killed and is not all in the book is named, and its end has a reason", async () => {
  await trader.kind("Limit");
  await trader.panel("Order").getByLabel("Time in force").selectOption({ label: "Fill or kill" });
  await trader.fill("Price (USDT)", "60000");
  await trader.fill("Quantity (BTC)", "3.200");
  await trader.told("Not all of it is in the book: FOK would expire.");
  await trader.press("Buy BTC");
  await trader.told(
    "Order expired: 0.000 of 3.200 BTC filled, it could not be filled completely at once",
  );
  await trader.fill("Price (USDT)", "59000");
  await trader.fill("Quantity (BTC)", "0.100");
  await trader.told("No asks at 59,000.00 or better: nothing would trade.");
  await trader
    .panel("Order")
    .getByLabel("Time in force")
    .selectOption({ label: "Good till cancelled" });
});

test("WEB-170 the liquidation price of a market order larger than the book is that of what the book fills", async () => {
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "3.000");
  await trader.told("Est. average price");
  const whole = await figure("Est. liq. price");
  assert.match(whole, /^5\d,\d{3}\.\d\d$/);
  await trader.fill("Quantity (BTC)", "5.000");
  await trader.told("2.000 BTC will expire.");
  assert.equal(await figure("Est. liq. price"), whole);
  await confirms(true);
  await trader.press("Buy BTC");
  const dialog = trader.dialog("Confirm order");
  await dialog.getByText(`Est. liq. price ${whole}`).waitFor();
  await dialog.getByText(/^Figures as of \d/).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await confirms(false);
});

test("WEB-172 an order says whose take profit it replaces, in the ticket and when it is confirmed", async () => {
  await trader.fill("Quantity (BTC)", "2.700");
  await trader.fill("Take profit", "63000");
  await trader.told("For the entire position.");
  await trader.told("Take profit: +8,100.00 USDC (+50.0 % of margin)");
  await trader.press("Buy BTC");
  await trader.told("Order filled: 2.700 BTC");
  await trader.tab("Positions");
  await trader.row("BTC-PERP", "63,000.00").waitFor();
  await trader.kind("Limit");
  await trader.fill("Price (USDT)", "59000");
  await trader.fill("Quantity (BTC)", "0.010");
  await trader.fill("Take profit", "64000");
  await trader.fill("Stop loss", "40000");
  const replaces = "For the entire position. Replaces take profit 63,000.00.";
  await trader.told(replaces);
  await trader.told(/^Too late: the position is liquidated at/);
  await confirms(true);
  await trader.press("Buy BTC");
  const dialog = trader.dialog("Confirm order");
  await dialog.getByText(replaces).waitFor();
  await dialog.getByText(/^Too late: the position is liquidated at/).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await confirms(false);
  await trader.fill("Take profit", "");
  await trader.fill("Stop loss", "");
});

test("WEB-173 turning a position around that the balance does not cover says what is missing, and is not sent", async () => {
  await trader
    .row("BTC-PERP")
    .getByRole("button", { name: /^Reverse/ })
    .click();
  const dialog = trader.dialog("Reverse BTC-PERP");
  await dialog.getByText("Margin of the new position (USDC)").waitFor();
  const reason = /^Available balance too low: [\d,.]+ USDC are missing\. It needs [\d,.]+ USDC/;
  await dialog.getByText(reason).waitFor();
  const send = dialog.getByRole("button", { name: "Sell 5.400 at market" });
  assert(await send.isDisabled());
  await trader.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("WEB-174 an order beside one that already closes the position names reduce-only", async () => {
  await trader.kind("Limit");
  await trader.page.getByLabel("Side").getByRole("button", { name: "Sell" }).click();
  await trader.fill("Price (USDT)", "61000");
  await trader.fill("Quantity (BTC)", "2.700");
  await trader.press("Sell BTC");
  await trader.told("Order open: 2.700 BTC at 61,000.00");
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "2.700");
  await trader.told("Your open sells already close the position. Tick Reduce only to close now.");
  assert.equal(await figure("Est. liq. price"), "–");
  await trader.panel("Order").getByLabel("Reduce only").check();
  await trader.panel("Order").getByText("Your open sells already").waitFor({ state: "detached" });
  await trader.panel("Order").getByLabel("Reduce only").uncheck();
});

test("WEB-178 floor and reserve is explained by a press, and goes again", async () => {
  const term = trader.panel("Order").getByRole("button", { name: "Floor and reserve" });
  await term.click();
  await trader.told(/^Loss reserve: what the order would lose at the mark\./);
  await term.click();
  await trader
    .panel("Order")
    .getByText(/^Loss reserve: what/)
    .waitFor({ state: "detached" });
});

test("WEB-175 the dialog of the leverage shows the largest position, and refuses one that is exceeded", async () => {
  await trader.page.getByLabel("Side").getByRole("button", { name: "Buy" }).click();
  await trader.kind("Limit");
  await trader.fill("Price (USDT)", "59000");
  await trader.fill("Quantity (BTC)", "1.600");
  await trader.press("Buy BTC");
  await trader.told("Order open: 1.600 BTC at 59,000.00");
  await trader.page.getByRole("button", { name: /^Leverage of BTC-PERP/ }).click();
  const dialog = trader.dialog("Leverage of BTC-PERP");
  await dialog.getByText("Largest position USDT").waitFor();
  await dialog.getByText("no limit").waitFor();
  await dialog.getByLabel(/^Leverage, 1 to/).fill("50");
  await dialog.getByText("1,000,000", { exact: true }).waitFor();
  assert(await dialog.getByRole("button", { name: "Set 50×" }).isEnabled());
  await dialog.getByLabel(/^Leverage, 1 to/).fill("100");
  await dialog.getByText("250,000", { exact: true }).waitFor();
  await dialog
    .getByText(/are worth 2\d\d,\d{3} USDT, more than the largest position at 100×/)
    .waitFor();
  assert(await dialog.getByRole("button", { name: "Set 100×" }).isDisabled());
  await trader.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("WEB-178 with nothing available, a share says so", async () => {
  await trader.page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
  await trader.page.getByRole("button", { name: "Market CC-USDC" }).waitFor();
  await trader.kind("Limit");
  await trader.fill("Price (USDC)", "0.15");
  await trader.press("100 %");
  await trader.told("Nothing is available. Add funds first.");
  await trader.fill("Price (USDC)", "0.16");
  await trader.panel("Order").getByText("Nothing is available.").waitFor({ state: "detached" });
});
