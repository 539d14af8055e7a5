// Journeys in which a position closes or turns: what happens to its take profit and stop loss, what the dialogs say
// before, and that everything about a position is in sight.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "20000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  for (const symbol of ["BTCUSDT", "ETHUSDT"]) {
    await trader.offer(symbol, "SELL", "50000.00", "3.000");
    await trader.offer(symbol, "BUY", "49990.00", "0.300");
    await trader.offer(symbol, "BUY", "49980.00", "3.000");
  }
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
  await trader.tab("Positions");
});
after(() => trader?.close());

/** Trades at the market. */
async function trade(side: "Buy" | "Sell", quantity: string): Promise<void> {
  await trader.kind("Market");
  await trader.press(side);
  await trader.fill("Quantity (BTC)", quantity);
  await trader.press(`${side} BTC`);
  await trader.told("Order filled");
}

async function openDialog(verb: string, title: string) {
  await trader
    .row("BTC-PERP")
    .getByRole("button", { name: `${verb} BTC-PERP` })
    .click();
  return trader.dialog(title);
}

async function setGuards(takeProfit: string, stopLoss: string): Promise<void> {
  const dialog = await openDialog("TP/SL", "TP/SL of BTC-PERP");
  await dialog.getByLabel("Take profit of the position").fill(takeProfit);
  await dialog.getByLabel("Stop loss of the position").fill(stopLoss);
  await dialog.getByRole("button", { name: "Set TP/SL" }).click();
  await dialog.waitFor({ state: "detached" });
}

test("WEB-78 take profit and stop loss end with the position, and the next one has none", async () => {
  await trade("Buy", "0.200");
  await trader.row("LONG", "0.200").waitFor();
  await setGuards("60000", "45000");
  await trader.row("LONG", "60,000.00 45,000.00").waitFor();
  await setGuards("61000", "46000");
  await trader.row("LONG", "61,000.00 46,000.00").waitFor();
  const tab = await trader.tab("Open orders");
  await tab.getByText("61,000.00").waitFor();
  assert.equal(await tab.getByText("Entire position").count(), 2, "a change replaces");
  await trader.tab("Positions");
  const dialog = await openDialog("Close", "Close BTC-PERP");
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.panel("Account").getByText("No open positions.").waitFor();
  await trader.tab("Open orders");
  await trader.panel("Account").getByText("No open orders.").waitFor();
  await trader.tab("Positions");
  await trade("Sell", "0.100");
  await trader.row("SHORT", "0.100", "– –").waitFor();
});

test("WEB-81 a new position has realized nothing, whatever earlier ones in its market did", async () => {
  await trader.row("SHORT").waitFor();
  const found = trader.panel("Account").locator('td[data-name="Realized / funding"]');
  await found.getByText("0.00", { exact: true }).first().waitFor();
  const dialog = await openDialog("Close", "Close BTC-PERP");
  await dialog.getByRole("button", { name: "50 %" }).click();
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.row("SHORT", "0.050").waitFor();
  await found
    .getByText(/^-\d\.\d\d$/)
    .first()
    .waitFor();
});

test("WEB-33 the dialog says beforehand what a trigger brings, and sets neither if one would be refused", async () => {
  await trader.row("SHORT", "0.050", "– –").waitFor();
  const dialog = await openDialog("TP/SL", "TP/SL of BTC-PERP");
  await dialog.getByLabel("Take profit of the position").fill("40000");
  await dialog.getByText(/^\+\d+\.\d\d$/).waitFor();
  await dialog.getByLabel("Stop loss of the position").fill("41000");
  const refusal = dialog.getByText(
    /^Stop loss: above [\d,.]+, the mark price, or it would trigger at once$/,
  );
  await refusal.waitFor();
  assert(await dialog.getByRole("button", { name: "Set TP/SL" }).isDisabled());
  await dialog.getByLabel("Stop loss of the position").fill("59000");
  await refusal.waitFor({ state: "detached" });
  assert(await dialog.getByRole("button", { name: "Set TP/SL" }).isEnabled());
  await trader.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await trader.row("SHORT", "0.050", "– –").waitFor();
});

test("WEB-82 a position is turned around after a dialog that says what results, and its stop loss ends", async () => {
  await setGuards("", "70000");
  await trader.row("SHORT", "– 70,000.00").waitFor();
  const dialog = await openDialog("Reverse", "Reverse BTC-PERP");
  await dialog.getByText("SHORT 0.050 BTC → LONG 0.050 BTC").waitFor();
  await dialog.getByRole("button", { name: "Buy 0.100 at market" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.row("LONG", "0.050", "– –").waitFor();
});

test("WEB-80 the dialog estimates price, profit and fee from the book, and refuses more than the position", async () => {
  await trade("Buy", "0.450");
  await trader.row("LONG", "0.500").waitFor();
  const dialog = await openDialog("Close", "Close BTC-PERP");
  // The better bids are gone: 0.500 bought at 50,000 are sold at 49,980, for a fee of 0.05 % of 24,990.
  const estimate = dialog.locator(".estimate");
  await estimate.getByText("49,980.00", { exact: true }).waitFor();
  await estimate.getByText("Fee (0.05 %)").waitFor();
  await estimate.getByText("-10.00", { exact: true }).waitFor();
  await estimate.getByText("12.49", { exact: true }).waitFor();
  await dialog.getByLabel("Quantity to close (BTC)").fill("5");
  const refusal = dialog.getByText("your position is 0.500 BTC");
  await refusal.waitFor();
  assert.equal(await dialog.getByText(/^-?\d+\.\d\d$/).count(), 0, "no estimate of it");
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog
    .getByRole("alert")
    .filter({ has: trader.page.getByText("your position") })
    .waitFor();
  await dialog.getByLabel("Quantity to close (BTC)").fill("0.5");
  await refusal.waitFor({ state: "detached" });
  await trader.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await trader.row("LONG", "0.500").waitFor();
});

test("WEB-83 the line of a take profit is moved with the arrow keys to change its trigger", async () => {
  // A trade at 49,980, so that the chart shows the prices from there to 50,000, and the mark is in the lower half.
  await trade("Sell", "0.050");
  await trader.row("LONG", "0.450").waitFor();
  await setGuards("49995", "");
  await trader.row("LONG", "49,995.00 –").waitFor();
  const handle = trader.page.getByRole("slider", {
    name: "Price of your order: Take profit position BTC",
  });
  await handle.focus();
  await trader.page.keyboard.press("Shift+ArrowUp");
  await trader.page.keyboard.press("Enter");
  await trader.row("LONG", "49,995.01 –").waitFor();
  const tab = await trader.tab("Open orders");
  await tab.getByText("Entire position").waitFor();
  assert.equal(await tab.getByText("Entire position").count(), 1);
});

test("WEB-83 the error of a refused drag leaves with the tab, or when it is dismissed", async () => {
  const account = trader.panel("Account");
  const refusal = account.getByRole("alert");
  const handle = trader.page.getByRole("slider", {
    name: "Price of your order: Take profit position BTC",
  });
  const drag = async (): Promise<void> => {
    await handle.focus();
    for (let at = 0; at < 20; at += 1) await trader.page.keyboard.press("PageDown");
    await trader.page.keyboard.press("Enter");
    await refusal.waitFor();
  };
  await drag();
  await trader.tab("Positions");
  await refusal.waitFor({ state: "detached" });
  await drag();
  await account.getByRole("button", { name: "Dismiss" }).click();
  await refusal.waitFor({ state: "detached" });
});

test("WEB-96 a new trigger on the wrong side is refused before it is sent, in the row as by the chart", async () => {
  const sent: string[] = [];
  trader.page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.url());
  });
  const wrong = /^Trigger price: above [\d,.]+, the mark price, or it would trigger at once$/;
  const account = await trader.tab("Open orders");
  await trader.row("Entire position").getByRole("button", { name: "Edit SELL BTC-PERP" }).click();
  const field = account.getByLabel("New trigger of SELL BTC-PERP");
  await field.fill("49000");
  await field.press("Enter");
  await account.getByRole("alert").getByText(wrong).waitFor();
  await account.getByRole("button", { name: "Back" }).click();
  const handle = trader.page.getByRole("slider", {
    name: "Price of your order: Take profit position BTC",
  });
  await handle.focus();
  for (let at = 0; at < 20; at += 1) await trader.page.keyboard.press("PageDown");
  await trader.page.keyboard.press("Enter");
  await account.getByRole("alert").getByText(wrong).waitFor();
  await account.getByRole("button", { name: "Dismiss" }).click();
  assert.deepEqual(
    sent.filter((url) => url.includes("algoOrder")),
    [],
  );
});

test("WEB-79 the options of an open order name the take profit and stop loss that it brings", async () => {
  await trader.kind("Limit");
  await trader.press("Buy");
  await trader.fill("Price (USDT)", "48000");
  await trader.fill("Quantity (BTC)", "0.010");
  await trader.panel("Order").getByLabel("Take profit", { exact: true }).fill("52000");
  await trader.panel("Order").getByLabel("Stop loss", { exact: true }).fill("47000");
  await trader.press("Buy BTC");
  await trader.told("Order open");
  await trader.tab("Open orders");
  await trader.row("48,000.00", "TP 52,000.00, SL 47,000.00").waitFor();
});

test("WEB-81 nothing of a position is out of sight at 1440 pixels, and what matters most not at 1024", async () => {
  await trader.tab("Positions");
  await trader.row("LONG").waitFor();
  const script = `(() => {
    const table = document.querySelector('.panel.account section[aria-label="Positions"]');
    return [table.scrollWidth, table.clientWidth];
  })()`;
  const [whole, seen] = (await trader.page.evaluate(script)) as [number, number];
  assert(whole <= seen, `${whole} of ${seen} pixels`);
  await trader.page.setViewportSize({ width: 1024, height: 768 });
  const edge = await trader.panel("Account").locator("td:last-child").first().boundingBox();
  assert(edge !== null);
  for (const name of ["Market", "Quantity", "PnL / ROE", "Liq. price", "TP / SL"]) {
    const found = trader.panel("Account").locator(`td[data-name="${name}"]`).first();
    const box = await found.boundingBox();
    assert(box !== null && box.x + box.width <= edge.x + 1, `${name} is behind the buttons`);
  }
  await trader.page.setViewportSize({ width: 1440, height: 900 });
});

test("WEB-82 all positions are closed after a dialog that lists them", async () => {
  await trader.panel("Account").getByRole("button", { name: "Close all" }).click();
  const dialog = trader.dialog("Close all positions");
  await dialog.getByText(/BTC-PERP: LONG 0\.450/).waitFor();
  await dialog.getByRole("button", { name: "Close 1 at market" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.panel("Account").getByText("No open positions.").waitFor();
});

test("WEB-30 a leverage that is out of range names no button", async () => {
  await trader.page.getByRole("button", { name: "Leverage of BTC-PERP: 10×" }).click();
  const dialog = trader.dialog("Leverage of BTC-PERP");
  await dialog.getByLabel(/^Leverage, 1 to/).fill("999");
  await dialog.getByText(/^A whole number from 1 to \d+$/).waitFor();
  assert(await dialog.getByRole("button", { name: "Set leverage" }).isDisabled());
  await dialog.getByLabel(/^Leverage, 1 to/).fill("7");
  assert(await dialog.getByRole("button", { name: "Set 7×" }).isEnabled());
});
