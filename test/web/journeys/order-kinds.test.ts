// Journeys of a trader of perpetuals: every kind of order from the ticket, changed and cancelled in the table.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "100000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "3.000");
  await trader.offer("BTCUSDT", "BUY", "49900.00", "3.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
});
after(() => trader?.close());

test("WEB-32 a market order is filled, and TP/SL placed with an order leave the form", async () => {
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "0.100");
  await trader.fill("Take profit", "60000");
  await trader.fill("Stop loss", "40000");
  await trader.press("Buy BTC");
  await trader.told("Order filled: 0.100 BTC at 50,000.00");
  const ticket = trader.panel("Order");
  for (const label of ["Quantity (BTC)", "Take profit", "Stop loss"]) {
    assert.equal(await ticket.getByLabel(label, { exact: true }).inputValue(), "", label);
  }
  await trader.row("TAKE PROFIT MARKET", "60,000.00", "Entire position").waitFor();
  await trader.row("STOP MARKET", "40,000.00", "Entire position").waitFor();
});

test("WEB-32 stop, stop limit, take profit and trailing orders wait with their triggers in sight", async () => {
  await trader.press("Sell");
  await trader.kind("Stop market");
  await trader.fill("Quantity (BTC)", "0.010");
  await trader.fill("Trigger price (USDT)", "45000");
  await trader.press("Sell BTC");
  await trader.told("Order waiting for its trigger: 0.010 BTC");
  await trader.row("STOP MARKET", "45,000.00", "0.010").waitFor();
  await trader.kind("Stop limit");
  await trader.fill("Quantity (BTC)", "0.011");
  await trader.fill("Price (USDT)", "44900");
  await trader.press("Sell BTC");
  await trader.row("44,900.00", "45,000.00", "0.011").waitFor();
  await trader.kind("Take profit limit");
  await trader.panel("Order").getByLabel("Reduce only").check();
  await trader.fill("Quantity (BTC)", "0.012");
  await trader.fill("Trigger price (USDT)", "55000");
  await trader.fill("Price (USDT)", "54900");
  await trader.press("Sell BTC");
  await trader.row("TAKE PROFIT", "54,900.00", "55,000.00", "Reduce only").waitFor();
  await trader.kind("Trailing stop");
  await trader.fill("Distance (%)", "2.5");
  await trader.fill("Activation price", "56000");
  await trader.fill("Quantity (BTC)", "0.013");
  await trader.press("Sell BTC");
  await trader.row("Trailing stop", "2.50 % from 56,000.00").waitFor();
});

test("WEB-32 a stop on the last price triggers and trades", async () => {
  await trader.panel("Order").getByLabel("Reduce only").uncheck();
  await trader.kind("Stop market");
  await trader.press("Buy");
  await trader.panel("Order").getByLabel("Triggered by").selectOption({ label: "Last price" });
  await trader.fill("Trigger price (USDT)", "50100");
  await trader.fill("Quantity (BTC)", "0.020");
  await trader.press("Buy BTC");
  await trader.told("Order waiting for its trigger: 0.020 BTC");
  await trader.row("STOP MARKET", "50,100.00").waitFor();
  // The maker trades with the trader's own limit order above the trigger.
  await trader.kind("Limit");
  await trader.fill("Price (USDT)", "50200");
  await trader.fill("Quantity (BTC)", "2.910");
  await trader.press("Buy BTC");
  await trader.told(/^Order (partially )?filled|^Order open/);
  await trader.offer("BTCUSDT", "SELL", "50200.00", "0.020");
  await trader.offer("BTCUSDT", "SELL", "50300.00", "1.000");
  await trader.row("50,100.00").waitFor({ state: "detached" });
});

test("WEB-32 post-only never takes, FOK and IOC never rest, and a date shows until when", async () => {
  await trader.kind("Limit");
  const lifetime = trader.panel("Order").getByLabel("Time in force");
  const send = async (name: string, price: string, quantity: string) => {
    await lifetime.selectOption({ label: name });
    await trader.fill("Price (USDT)", price);
    await trader.fill("Quantity (BTC)", quantity);
    await trader.press("Buy BTC");
  };
  await send("Post only", "50300", "0.001");
  await trader.told(/or it would trade at once, and it is post-only/);
  await send("Post only", "48000", "0.002");
  await trader.row("48,000.00", "Post only").waitFor();
  await send("Fill or kill", "50300", "9.000");
  await trader.told("Order expired: 0.000 of 9.000 BTC filled");
  await send("Immediate or cancel", "48000", "0.003");
  await trader.told("Order expired: 0.000 of 0.003 BTC filled");
  await lifetime.selectOption({ label: "Good till date" });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await trader.panel("Order").getByLabel("Good till (your local time)").fill(tomorrow);
  await trader.fill("Price (USDT)", "47000");
  await trader.fill("Quantity (BTC)", "0.004");
  await trader.press("Buy BTC");
  await trader.told("Order open: 0.004 BTC at 47,000.00");
  await trader.row("47,000.00", "Until").waitFor();
  await lifetime.selectOption({ label: "Good till cancelled" });
});

test("WEB-32 the quantity may be money or a percentage", async () => {
  const unit = trader.panel("Order").getByLabel("Quantity in");
  await unit.selectOption({ label: "USDT" });
  await trader.fill("Price (USDT)", "40000");
  await trader.fill("Quantity (USDT)", "500");
  await trader.press("Buy BTC");
  await trader.told("Order open: 0.012 BTC at 40,000.00");
  await unit.selectOption({ label: "%" });
  await trader.fill("Quantity (%)", "10");
  await trader.press("Buy BTC");
  await trader.told(/^Order open: [1-9]\.\d{3} BTC at 40,000\.00$/);
  await unit.selectOption({ label: "BTC" });
});

test("WEB-34 price and quantity of an open order are changed in its row", async () => {
  await trader.row("47,000.00").getByRole("button", { name: "Edit BUY BTC-PERP" }).click();
  const price = trader.panel("Account").getByLabel("New price of BUY BTC-PERP");
  await price.fill("46500.001");
  await price.press("Enter");
  await trader.panel("Account").getByText("Price: use a multiple of 0.01").waitFor();
  await price.fill("46500");
  await trader.panel("Account").getByLabel("New quantity of BUY BTC-PERP").fill("0.006");
  await trader.panel("Account").getByRole("button", { name: "Save BUY BTC-PERP" }).click();
  await trader.row("46,500.00", "0.006").waitFor();
  assert.equal(await trader.row("47,000.00").count(), 0);
});

test("WEB-34 the trigger of a waiting order is changed in its row, and a refusal leaves the order", async () => {
  const stop = trader.row("STOP MARKET", "45,000.00", "0.010");
  await stop.getByRole("button", { name: "Edit" }).click();
  const price = trader.panel("Account").getByLabel("New trigger of SELL BTC-PERP");
  await price.fill("60000");
  await price.press("Enter");
  await trader.panel("Account").getByText("or it would trigger at once").waitFor();
  await price.fill("44000");
  await price.press("Enter");
  await trader.row("STOP MARKET", "44,000.00", "0.010").waitFor();
  await stop.waitFor({ state: "detached" });
});

test("WEB-34 the orders of one side, of this market and all of them are cancelled", async () => {
  const account = trader.panel("Account");
  const agree = () => trader.dialog("Cancel orders").getByRole("button", { name: /^Cancel \d/ });
  await account.getByRole("button", { name: "Cancel buys" }).click();
  await agree().click();
  await trader.row(/BUY/).first().waitFor({ state: "detached" });
  assert.equal(await trader.row(/BUY/).count(), 0);
  assert.ok((await trader.row(/SELL/).count()) > 0);
  await account.getByLabel("Only BTC-PERP").check();
  await account.getByRole("button", { name: "Cancel all" }).click();
  await agree().click();
  await account.getByText("No open orders.").waitFor();
  await account.getByLabel("Only BTC-PERP").waitFor({ state: "detached" });
});
