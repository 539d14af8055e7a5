// Journeys of a trader of spot markets: amounts of money, conditional orders, and lists of orders.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "10000" },
    { asset: "CC", wallet: "spot", amount: "10000" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  await trader.offer("CC-USDC", "SELL", "0.2000", "20000");
  await trader.offer("CC-USDC", "BUY", "0.1990", "5000");
  await trader
    .panel("Book")
    .getByText(/0\.2000/)
    .first()
    .waitFor();
});
after(() => trader?.close());

test("WEB-32 a spot market order spends an amount of money", async () => {
  await trader.kind("Market");
  await trader.panel("Order").getByLabel("Quantity in").selectOption({ label: "USDC" });
  await trader.fill("Quantity (USDC)", "20");
  await trader.press("Buy CC");
  await trader.told(/^Order filled: 100(\.0+)? CC at 0\.20/);
  await trader.panel("Order").getByLabel("Quantity in").selectOption({ label: "CC" });
});

test("WEB-60 a button of a percentage buys at the market for a part of the balance", async () => {
  const ticket = trader.panel("Order");
  await ticket.locator(".estimate").getByText("9,980.00").waitFor();
  await ticket.getByRole("button", { name: "25 %", exact: true }).click();
  await ticket.getByLabel("Quantity (USDC)", { exact: true }).waitFor();
  await trader.press("Buy CC");
  // 2,495 USDC at 0.2000.
  await trader.told(/^Order filled: 12,475(\.0+)? CC at 0\.20/);
  await ticket.getByLabel("Quantity in").selectOption({ label: "CC" });
});

test("WEB-32 a spot stop limit order waits, and its price is changed in its row", async () => {
  await trader.press("Sell");
  await trader.kind("Stop limit");
  await trader.fill("Quantity (CC)", "100");
  await trader.fill("Trigger price (USDC)", "0.18");
  await trader.fill("Price (USDC)", "0.179");
  await trader.press("Sell CC");
  await trader.told(/^Order waiting for its trigger: 100/);
  await trader.row("0.1790", "0.1800").getByRole("button", { name: "Edit SELL CC-USDC" }).click();
  const price = trader.panel("Account").getByLabel("New price of SELL CC-USDC");
  await price.fill("0.178");
  await price.press("Enter");
  await trader.row("0.1780", "0.1800").waitFor();
  await trader.row("0.1790").waitFor({ state: "detached" });
});

test("WEB-32 an OCO is placed as a list and cancelled as one", async () => {
  await trader.kind("OCO");
  await trader.fill("Quantity (CC)", "200");
  await trader.fill("Stop (USDC)", "0.15");
  await trader.fill("Price (USDC)", "0.2003");
  await trader.press("Sell CC");
  await trader.told(/^Orders placed as a list: CC-USDC, .*sell 200\.0 at 0\.2003/);
  await trader.told(/sell 200\.0 from 0\.1500/);
  await trader.row("0.2003", "List").waitFor();
  await trader.row("0.1500", "List").waitFor();
  const labels = trader.panel("Chart").locator(".line-handle");
  await labels.filter({ hasText: /Sell 200/ }).waitFor();
  // To replace one order of a list cancels the other.
  assert.equal(await labels.getByRole("slider", { name: /Sell 200/ }).count(), 0);
  await trader.row("0.2003", "List").getByRole("button", { name: "Cancel" }).click();
  const question = trader.dialog("Cancel orders");
  await question.getByText("A list is cancelled whole: 2 orders on CC-USDC").waitFor();
  await question.getByRole("button", { name: "Cancel 2 orders" }).click();
  await trader.row("List").first().waitFor({ state: "detached" });
  assert.equal(await trader.row("List").count(), 0);
});

test("WEB-33 a spot limit order that buys brings a take profit and a stop loss with it", async () => {
  await trader.kind("Limit");
  await trader.press("Buy");
  await trader.fill("Price (USDC)", "0.2");
  await trader.fill("Quantity (CC)", "300");
  await trader.fill("Take profit", "0.3");
  await trader.fill("Stop loss", "0.1");
  await trader.press("Buy CC");
  await trader.told("Orders placed as a list: CC-USDC");
  await trader.row("SELL", "0.3000", "List").waitFor();
  await trader.row("SELL", "0.1000", "List").waitFor();
  assert.equal(
    await trader.panel("Order").getByLabel("Take profit", { exact: true }).inputValue(),
    "",
  );
});

test("WEB-32 a spot limit order may show a part of itself only", async () => {
  await trader.fill("Price (USDC)", "0.11");
  await trader.fill("Quantity (CC)", "400");
  await trader.fill("Visible quantity (CC)", "100");
  await trader.press("Buy CC");
  await trader.told(/^Order open: 400/);
  // Its value is 44.
  await trader.row("0.1100", "400", "44.00", "Iceberg, 100.0 visible").waitFor();
  await trader
    .panel("Book")
    .getByRole("button", { name: /0\.1100\s*100(\.0+)?\s.*bid/ })
    .waitFor();
});

test("WEB-91 a pegged order takes its price from the book, and the ticket says so before", async () => {
  const ticket = trader.panel("Order");
  await trader.kind("Pegged");
  await ticket.getByText("now 0.1990. Afterwards it stays there").waitFor();
  await trader.fill("Quantity (CC)", "110");
  await ticket.getByLabel("Time in force").selectOption({ label: "Immediate or cancel" });
  await trader.told("The best price of your side does not trade at once");
  await trader.press("Buy CC");
  await ticket.getByRole("alert").filter({ hasText: "does not trade at once" }).waitFor();
  await ticket.getByLabel("Time in force").selectOption({ label: "Post only" });
  await trader.press("Buy CC");
  await trader.told("Order open: 110.0 CC at 0.1990");
  await ticket.getByLabel("Price from the book").selectOption({
    label: "Best price of the other side",
  });
  await trader.fill("Quantity (CC)", "120");
  await trader.told("it cannot be post-only");
  await ticket.getByLabel("Time in force").selectOption({ label: "Good till cancelled" });
  await trader.fill("Highest (USDC)", "0.1995");
  await ticket.getByText("now 0.1995.").waitFor();
  await trader.fill("Levels behind", "101");
  await trader.told("Levels behind: a whole number from 0 to 100, or empty");
  await trader.fill("Levels behind", "");
  await trader.press("Buy CC");
  await trader.told("Order open: 120.0 CC at 0.1995");
  await trader.row("0.1990", "110.0", "Post only").getByRole("button", { name: "Cancel" }).click();
  await trader.row("0.1995", "120.0").getByRole("button", { name: "Cancel" }).click();
  await trader.row("0.1995").waitFor({ state: "detached" });
  await trader.kind("Limit");
});

test("WEB-72 the strip of figures of perpetuals is not shown on spot to an account without any", async () => {
  const strip = trader.panel("Account").getByLabel("Perpetual account");
  assert.equal(await strip.count(), 0);
  await trader.page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  await strip.waitFor();
  await trader.page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
  await strip.waitFor({ state: "detached" });
});

test("WEB-34 a spot limit order is replaced with another price and quantity", async () => {
  await trader.fill("Price (USDC)", "0.12");
  await trader.fill("Quantity (CC)", "150");
  await trader.press("Buy CC");
  await trader.row("0.1200", "150").getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  const account = trader.panel("Account");
  await account.getByLabel("New price of BUY CC-USDC").fill("0.13");
  await account.getByLabel("New quantity of BUY CC-USDC").fill("160");
  await account.getByRole("button", { name: "Save BUY CC-USDC" }).click();
  await trader.row("0.1300", "160").waitFor();
  await trader.row("0.1200").waitFor({ state: "detached" });
});

test("WEB-34 a spot order that only becomes smaller keeps its place, and a post-only order is not moved across the book", async () => {
  const account = trader.panel("Account");
  const sent: string[] = [];
  trader.page.on("request", (request) => {
    if (request.method() === "PUT") sent.push(new URL(request.url()).pathname);
  });
  await trader.row("0.1300", "160").getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  await account.getByLabel("New quantity of BUY CC-USDC").fill("140");
  await account.getByRole("button", { name: "Save BUY CC-USDC" }).click();
  await trader.row("0.1300", "140").waitFor();
  assert.ok(sent.includes("/compat/api/v3/order/amend/keepPriority"));

  await trader.panel("Order").getByLabel("Time in force").selectOption({ label: "Post only" });
  await trader.fill("Price (USDC)", "0.14");
  await trader.fill("Quantity (CC)", "170");
  await trader.press("Buy CC");
  await trader.row("0.1400", "Post only").getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  await account.getByLabel("New price of BUY CC-USDC").fill("0.2");
  await account.getByRole("button", { name: "Save BUY CC-USDC" }).click();
  await account.getByText("would trade at once. Nothing was changed.").waitFor();
  await account.getByRole("button", { name: "Back" }).click();
  await trader.row("0.1400", "Post only").waitFor();
});
