// Journeys of a trader who places many orders on a spot market: numbers as the page writes them, protection that would not
// hold, one order after another by keyboard, and what an order costs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "100000" },
    { asset: "CC", wallet: "spot", amount: "100000" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  for (let level = 0; level < 12; level++) {
    await trader.offer("CC-USDC", "SELL", (0.2 + level * 0.001).toFixed(4), "1000");
    await trader.offer("CC-USDC", "BUY", (0.19 - level * 0.001).toFixed(4), "1000");
  }
  await trader
    .panel("Book")
    .getByText(/0\.2000/)
    .first()
    .waitFor();
});
after(() => trader?.close());

function field(label: string) {
  return trader.panel("Order").getByLabel(label, { exact: true });
}

async function cancelAll(): Promise<void> {
  await trader.panel("Account").getByRole("button", { name: "Cancel all" }).click();
  await trader
    .dialog("Cancel orders")
    .getByRole("button", { name: /^Cancel / })
    .click();
  await trader.panel("Account").getByText("No open orders.").waitFor();
}

test("WEB-113 a quantity with the commas of the page is that quantity, and not a thousandth of it", async () => {
  await field("Price (USDC)").fill("0.1500");
  await field("Quantity (CC)").pressSequentially("70,000");
  assert.equal(await field("Quantity (CC)").inputValue(), "70,000");
  await trader.told("10,500.00");
  await trader.press("Buy CC");
  await trader.told("Order open: 70,000.0 CC at 0.1500");
  const row = trader.row("0.1500", "70,000.0");
  await row.getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  const quantity = trader.panel("Account").getByLabel("New quantity of BUY CC-USDC");
  await quantity.fill("71,000");
  await quantity.press("Enter");
  await trader.row("0.1500", "71,000.0").waitFor();
});

test("WEB-113 a comma that can only mean a decimal point is refused with its reason", async () => {
  await field("Price (USDC)").fill("0.1500");
  await field("Quantity (CC)").fill("70,5");
  await trader.told("Quantity: use a point for decimals");
  await trader.press("Buy CC");
  await trader.panel("Order").getByRole("alert").getByText("use a point for decimals").waitFor();
  assert.equal(await trader.row("BUY").count(), 1);
  await field("Quantity (CC)").fill("70");
  await field("Price (USDC)").fill("0,15");
  await trader.told("Price: use a point for decimals");
  // No value of another price.
  await trader
    .panel("Order")
    .getByText(/^Order value USDC$/)
    .locator("+ dd")
    .getByText("–")
    .waitFor();
});

test("WEB-120 an order whose price was changed keeps the focus in its row", async () => {
  await trader.row("0.1500").getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  const price = trader.panel("Account").getByLabel("New price of BUY CC-USDC");
  await price.fill("0.1400");
  await price.press("Enter");
  const edit = trader.row("0.1400").getByRole("button", { name: "Edit BUY CC-USDC" });
  await edit.and(trader.page.locator(":focus")).waitFor();
  await cancelAll();
});

test("WEB-114 an order whose stop loss or take profit is on the wrong side is not sent", async () => {
  await field("Price (USDC)").fill("0.1500");
  await field("Quantity (CC)").fill("400");
  const wrong = {
    "Stop loss": ["0.1600", "Stop loss: below 0.1500, the price of the order"],
    "Take profit": ["0.1400", "Take profit: above 0.1500, the price of the order"],
  } as const;
  for (const [label, [price, reason]] of Object.entries(wrong)) {
    await field(label).fill(price);
    await trader.told(reason);
    await trader.press("Buy CC");
    await trader.panel("Order").getByRole("alert").getByText(reason).waitFor();
    await field(label).fill("");
  }
  assert.equal(await trader.row("CC-USDC").count(), 0);
});

test("WEB-114 a stop loss that the venue refuses when the buy is filled is announced until it is dismissed", async () => {
  await field("Price (USDC)").fill("0.1950");
  await field("Quantity (CC)").fill("100");
  await field("Stop loss").fill("0.1940");
  await trader.press("Buy CC");
  await trader.row("BUY", "0.1950", "SL 0.1940").waitFor();
  // A sale takes the buy and goes on to lower bids, past the stop loss.
  const seller = await trader.fixture.trader();
  const terms = { symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "IOC" };
  const { status, json } = await trader.fixture.signed(seller, "POST", "/api/v3/order", {
    ...{ ...terms, price: "0.1900", quantity: "600" },
  });
  assert.equal(status, 200, JSON.stringify(json));
  const told = trader.page.getByRole("region", { name: "New notifications" });
  const warning = "Not protected: the stop loss that sells CC-USDC at 0.1940";
  await told.getByText(warning).waitFor();
  await trader.page.getByRole("button", { name: /^Dismiss: Not protected/ }).click();
  await told.getByText(warning).waitFor({ state: "detached" });
});

test("WEB-115 B and S select what is left in the quantity, and Escape leaves the ticket", async () => {
  const { keyboard } = trader.page;
  await field("Quantity (CC)").fill("100");
  await keyboard.press("Escape");
  assert.equal(await trader.page.locator("#ticket :focus").count(), 0);
  await keyboard.press("s");
  await keyboard.type("5");
  assert.equal(await field("Quantity (CC)").inputValue(), "5");
  await field("Quantity (CC)").fill("");
});

test("WEB-115 B and S choose the side in a filled number field too, and are never typed", async () => {
  const { keyboard } = trader.page;
  const chosen = (name: string) =>
    trader.panel("Order").getByRole("button", { name, exact: true, pressed: true }).waitFor();
  await trader.page.evaluate("document.activeElement.blur()");
  await keyboard.press("b");
  await keyboard.type("0.002");
  await keyboard.press("s");
  await chosen("Sell");
  await keyboard.press("b");
  await chosen("Buy");
  assert.equal(await field("Quantity (CC)").inputValue(), "0.002");
  await field("Price (USDC)").fill("0.1500");
  // A key that is held down arrives again.
  await keyboard.down("s");
  await keyboard.down("s");
  await keyboard.up("s");
  await keyboard.press("Shift+B");
  await chosen("Sell");
  assert.equal(await field("Price (USDC)").inputValue(), "0.1500");
  assert.equal(await field("Quantity (CC)").inputValue(), "0.002");
  await keyboard.type("7");
  assert.equal(await field("Quantity (CC)").inputValue(), "7");
  await field("Quantity (CC)").fill("");
});

test("WEB-115 a buy and then a sale are placed without the mouse", async () => {
  const { keyboard } = trader.page;
  await trader.kind("Market");
  await trader.page.evaluate("document.activeElement.blur()");
  await keyboard.press("b");
  await keyboard.type("50");
  await keyboard.press("Enter");
  await trader.told(/^Order filled: 50(\.0+)? CC at 0\.2/);
  await keyboard.press("s");
  await trader
    .panel("Order")
    .getByRole("button", { name: "Sell", exact: true, pressed: true })
    .waitFor();
  await keyboard.type("60");
  await keyboard.press("Enter");
  await trader.told(/^Order filled: 60(\.0+)? CC at 0\.1/);
});

test("WEB-116 the order value is one figure, and the fee is in the asset that it is taken from", async () => {
  const ticket = trader.panel("Order");
  await ticket.getByRole("button", { name: "Buy", exact: true }).click();
  await field("Quantity (CC)").fill("20000");
  const figure = async (name: string | RegExp) =>
    (await ticket.getByText(name).locator("+ dd").textContent()) ?? "";
  const value = await figure("Order value USDC");
  assert.match(value, /^4,\d{3}\.\d\d$/);
  const filled = await figure("Fills at once USDC");
  assert.match(filled, /^[12],\d{3}\.\d\d$/);
  assert.match(await figure(/^taker fee/), /^\d+(\.\d+)? CC$/);
  await ticket.getByRole("button", { name: "Order settings" }).click();
  const settings = trader.dialog("Order settings");
  await settings.getByLabel("Largest distance of a price from the last price (%)").waitFor();
  await settings.getByLabel("Confirm each order before it is sent").check();
  await settings.getByRole("button", { name: "Save settings" }).click();
  await settings.waitFor({ state: "detached" });
  await trader.press("Buy CC");
  const dialog = trader.dialog("Confirm order");
  await dialog.getByText(`Order value ${value} USDC`).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await trader.told("Not sent.");
});

test("WEB-119 while the list of markets is open, letters go to its search", async () => {
  const { page } = trader;
  await page
    .getByRole("button", { name: /^Market/ })
    .first()
    .click();
  await page.getByRole("button", { name: "CC-USDC is a favourite" }).click();
  await page.keyboard.type("eth");
  const search = page.getByRole("searchbox", { name: "Search markets" });
  assert.equal(await search.inputValue(), "eth");
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
});

test("WEB-120 balances beside the chart have their value", async () => {
  const account = await trader.tab("Balances");
  await account.getByRole("columnheader", { name: "Value (USDC)" }).waitFor();
  await account
    .getByRole("row", { name: /^spot USDC/ })
    .first()
    .waitFor();
  await trader.tab("Open orders");
});

test("WEB-123 at 1440 by 900 pixels the book shows nine levels a side", async () => {
  const seen = `[...document.querySelectorAll(".panel.book .ladder")].map((ladder) => {
    const { left, right } = ladder.getBoundingClientRect();
    return [...ladder.querySelectorAll(".level")].filter((level) => {
      const box = level.getBoundingClientRect();
      return box.left >= left - 1 && box.right <= right + 1;
    }).length;
  })`;
  const [asks = 0, bids = 0] = (await trader.page.evaluate(seen)) as number[];
  assert.ok(asks >= 9 && bids >= 9, `${asks} asks, ${bids} bids`);
});

test("WEB-121 on a phone the card of an order is low, and has no label without a value", async () => {
  const { page } = trader;
  await trader.kind("Limit");
  await field("Price (USDC)").fill("0.1500");
  await field("Quantity (CC)").fill("400");
  await trader.press("Buy CC");
  await trader.dialog("Confirm order").getByRole("button", { name: "Confirm" }).click();
  await trader.row("BUY", "0.1500").waitFor();
  await page.setViewportSize({ width: 375, height: 812 });
  await page.getByRole("tab", { name: "Account", exact: true }).click();
  const card = trader.row("BUY", "0.1500");
  const box = await card.boundingBox();
  assert.ok(box !== null && box.height <= 170, `${box?.height} px`);
  assert.equal(await card.locator('td[data-name="Options"]').isVisible(), false);
  await page
    .getByRole("button", { name: /^Market/ })
    .first()
    .click();
  await page.getByRole("searchbox", { name: "Search markets" }).waitFor();
  const overflow = "document.documentElement.scrollWidth - innerWidth";
  assert.ok(((await page.evaluate(overflow)) as number) <= 0, "the page must not scroll sideways");
});
