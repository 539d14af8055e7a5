// Journeys with open orders on spot: what a change sends and announces, and which orders a cancel of many takes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Request } from "playwright-core";
import { until } from "../../epochs/epoch-waits.ts";
import { sendAsUser } from "./account-journey.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;
/** Paths of the requests that change or replace an order. */
const changes: string[] = [];

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "10000" },
    { asset: "CC", wallet: "spot", amount: "10000" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  await trader.offer("CC-USDC", "SELL", "0.2000", "5000");
  await trader.offer("CC-USDC", "BUY", "0.1000", "5000");
  await trader
    .panel("Book")
    .getByText(/0\.2000/)
    .first()
    .waitFor();
  trader.page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/cancelReplace|keepPriority/.test(pathname)) changes.push(pathname);
  });
});
after(() => trader?.close());

const toasts = () => trader.page.getByRole("region", { name: "New notifications" });

/** Resolves when the element has the focus. */
function focused(element: Locator): Promise<void> {
  return element.and(trader.page.locator(":focus")).waitFor();
}

async function buy(price: string, quantity: string): Promise<void> {
  await trader.fill("Price (USDC)", price);
  await trader.fill("Quantity (CC)", quantity);
  await trader.press("Buy CC");
  await trader.row("BUY", price, quantity).waitFor();
}

test("WEB-65 Enter twice on Edit sends nothing: the price has the focus, and nothing was changed", async () => {
  await buy("0.1500", "500");
  const { keyboard } = trader.page;
  const edit = trader.row("0.1500").getByRole("button", { name: "Edit BUY CC-USDC" });
  await edit.focus();
  await keyboard.press("Enter");
  const price = trader.panel("Account").getByLabel("New price of BUY CC-USDC");
  await focused(price);
  const selected = "getSelection().toString()";
  assert.equal(await trader.page.evaluate(selected), "0.1500");
  await keyboard.press("Enter");
  await focused(edit);
  assert.deepEqual(changes, []);
});

test("WEB-65 Escape leaves the change from every part of the row", async () => {
  const { keyboard } = trader.page;
  const row = trader.row("BUY");
  const edit = row.getByRole("button", { name: "Edit BUY CC-USDC" });
  const parts = [
    trader.panel("Account").getByLabel("New price of BUY CC-USDC"),
    trader.panel("Account").getByLabel("New quantity of BUY CC-USDC"),
    trader.panel("Account").getByRole("button", { name: "Save BUY CC-USDC" }),
    trader.panel("Account").getByRole("button", { name: "Back" }),
  ];
  for (const part of parts) {
    await edit.click();
    await focused(parts[0] as Locator);
    await part.focus();
    await keyboard.press("Escape");
    await focused(edit);
  }
  assert.deepEqual(changes, []);
});

test("WEB-66 a changed order is announced as changed, and its replacement is no cancel", async () => {
  await trader.row("0.1500").getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  await trader.page.keyboard.type("0.1496");
  await trader.page.keyboard.press("Enter");
  await trader.row("0.1496", "500").waitFor();
  await trader.noticed("Changed: buy 500 CC-USDC to 0.1496");
  assert.equal(changes.length, 1);
  await trader.page.getByRole("button", { name: /^Notifications/ }).click();
  const list = trader.page.getByRole("region", { name: "Notifications", exact: true });
  await list.getByText("Changed: buy 500 CC-USDC to 0.1496").waitFor();
  assert.equal(await list.getByText("Cancelled").count(), 0);
  await trader.page.keyboard.press("Escape");
});

test("WEB-69 WEB-133 a changed order is replaced in the lists of past orders, and not just cancelled", async () => {
  await trader.tab("Order history");
  await trader.row("0.1500", "CANCELLED", "replaced by you").waitFor();
  await trader.tab("Open orders");
});

test("WEB-67 orders that wait for a buy show the quantity to come, and stay with it when sells are cancelled", async () => {
  await trader.fill("Take profit", "0.3");
  await trader.fill("Stop loss", "0.1");
  await buy("0.1490", "400");
  await trader.row("SELL", "0.3000", "up to 400.0").waitFor();
  await trader.row("SELL", "0.1000", "up to 400.0").waitFor();
  await trader.press("Sell");
  await trader.fill("Price (USDC)", "0.25");
  await trader.fill("Quantity (CC)", "300");
  await trader.press("Sell CC");
  await trader.row("SELL", "0.2500").waitFor();
  const account = trader.panel("Account");
  await account.getByRole("button", { name: "Cancel sells" }).click();
  const dialog = trader.dialog("Cancel orders");
  await dialog.getByText("1 sell order on CC-USDC").waitFor();
  await dialog.getByText("Not cancelled: 2 sell orders waiting for a buy").waitFor();
  await dialog.getByRole("button", { name: "Cancel 1 order" }).click();
  await trader.row("SELL", "0.2500").waitFor({ state: "detached" });
  for (const texts of [
    ["BUY", "0.1490"],
    ["SELL", "0.3000"],
    ["SELL", "0.1000"],
  ]) {
    await trader.row(...texts).waitFor();
  }
});

test("WEB-68 the cancel of an order says before that its list goes whole", async () => {
  await trader.row("SELL", "0.3000").getByRole("button", { name: "Cancel" }).click();
  const dialog = trader.dialog("Cancel orders");
  await dialog.getByText("A list is cancelled whole: 3 orders on CC-USDC").waitFor();
  await trader.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await trader.row("BUY", "0.1490").waitFor();
});

test("WEB-66 WEB-68 Cancel all says which orders of which markets, takes those that are listed, and is told in one message", async () => {
  await trader.page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  const account = trader.panel("Account");
  await account.getByText("Only BTC-PERP").waitFor();
  await account.getByRole("button", { name: "Cancel all" }).click();
  const dialog = trader.dialog("Cancel orders");
  await dialog.getByText("4 orders on CC-USDC").waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  assert.equal(await trader.row("CC-USDC").count(), 4);
  await account.getByLabel("Only BTC-PERP").check();
  await account.getByRole("button", { name: "Cancel all" }).click();
  await account.getByText("No open order to cancel on BTC-PERP.").waitFor();
  await account.getByLabel("Only BTC-PERP").uncheck();
  await account.getByRole("button", { name: "Cancel all" }).focus();
  const { keyboard } = trader.page;
  await keyboard.down("Enter");
  const main = dialog.getByRole("button", { name: "Cancel 4 orders" });
  await focused(main);
  // The same press, held down.
  await keyboard.down("Enter");
  await keyboard.up("Enter");
  await focused(main);
  assert.equal(await trader.row("CC-USDC").count(), 4);
  // The message leaves after some seconds, and the table is read anew only afterwards.
  const message = toasts()
    .getByText(/^Cancelled: [45] orders on CC-USDC$/)
    .waitFor();
  await keyboard.press("Enter");
  await message;
  // It stays while the pointer is on it.
  await toasts()
    .getByText(/^Cancelled: [45] orders on CC-USDC$/)
    .hover();
  await assertOneMessage();
  await account.getByText("No open orders.").waitFor();
});

/** Asserts that the cancels are one message, which covers neither the account's tables nor the ticket. */
async function assertOneMessage(): Promise<void> {
  assert.equal(await toasts().getByText("Cancelled").count(), 1);
  const messages = await toasts().boundingBox();
  const tables = await trader.panel("Account").boundingBox();
  const ticket = await trader.panel("Order").boundingBox();
  assert.ok(messages !== null && tables !== null && ticket !== null);
  assert.ok(messages.y + messages.height <= tables.y, "the messages must be above the tables");
  assert.ok(messages.x + messages.width <= ticket.x, "the messages must be left of the ticket");
}

test("WEB-66 each of many cancels is in the list of notifications", async () => {
  await trader.page.getByRole("button", { name: /^Notifications/ }).click();
  const list = trader.page.getByRole("region", { name: "Notifications", exact: true });
  await list.getByText("Cancelled: buy 400 CC-USDC").waitFor();
  await list.getByText("Cancelled: sell CC-USDC (take profit)").waitFor();
  await trader.page.keyboard.press("Escape");
});

test("an answer with the open orders that comes late does not replace a newer one", async () => {
  const { page } = trader;
  await page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
  await page.getByRole("button", { name: "Market CC-USDC" }).waitFor();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let slow: Request | null = null;
  await page.route("**/v1/orders/me?status=open*", async (route) => {
    const response = await route.fetch();
    if (slow === null) {
      slow = route.request();
      await released;
    }
    await route.fulfill({ response });
  });
  const order = { symbol: "CC-USDC", side: "BUY", qty: "410", price: "0.14" };
  assert.equal((await sendAsUser(page, "POST", "/v1/orders", order)).status, 200);
  await until("the answer without the next order", async () => slow);
  await trader.press("Buy");
  await buy("0.1410", "420");
  const answered = page.waitForEvent("requestfinished", (request) => request === slow);
  release();
  await answered;
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  assert.equal(await trader.row("BUY", "0.1410", "420").count(), 1);
  await page.unrouteAll({ behavior: "wait" });
});
