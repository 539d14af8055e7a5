// Journeys of a trader who works from the keyboard, the book and the chart: which levels are reached, orders at their lines,
// and where the focus is afterwards.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { untilTrue } from "../../support/client/page-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "100000" },
    { asset: "CC", wallet: "spot", amount: "100000" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  for (let level = 0; level < 14; level++) {
    await trader.offer("CC-USDC", "SELL", (0.2 + level * 0.001).toFixed(4), "1000");
    await trader.offer("CC-USDC", "BUY", (0.19 - level * 0.001).toFixed(4), "1000");
  }
  await trader
    .panel("Book")
    .getByText(/0\.2000/)
    .first()
    .waitFor();
  // Both prices in one candle, so that the prices between them are in sight.
  await trader.page.getByRole("button", { name: "1w", exact: true }).click();
  for (const [side, price] of [
    ["Buy", "0.2000"],
    ["Sell", "0.1900"],
  ] as const) {
    await order(side, price, "100");
    await trader.told(`Order filled: 100.0 CC at ${price}`);
  }
  await trader.panel("Chart").locator(".chart-legend").getByText("0.1900").first().waitFor();
});
after(() => trader?.close());

async function order(side: "Buy" | "Sell", price: string, quantity: string): Promise<void> {
  await trader.panel("Order").getByRole("button", { name: side, exact: true }).click();
  await trader.fill("Price (USDC)", price);
  await trader.fill("Quantity (CC)", quantity);
  await trader.press(`${side} CC`);
}

function handle(label: string) {
  return trader.page.getByRole("slider", { name: `Price of your order: ${label} CC` });
}

/** Resolves when what matches has the focus. */
function focused(selector: string): Promise<void> {
  return trader.page.locator(selector).and(trader.page.locator(":focus")).first().waitFor();
}

test("WEB-143 each side of the book is one stop of the Tab key, and only levels in sight are reached", async () => {
  const { page } = trader;
  const { keyboard } = page;
  const text = () => page.evaluate<string>("document.activeElement.textContent");
  await page.evaluate("document.activeElement.blur()");
  const stops = await page.evaluate<number[]>(
    `[...document.querySelectorAll(".ladder")].map((one) => one.querySelectorAll("button[tabindex='0']").length)`,
  );
  assert.deepEqual(stops, [1, 1]);
  await page.locator(".ladder.asks button[tabindex='0']").focus();
  assert.match(await text(), /^0\.2000/);
  for (let press = 0; press < 20; press++) await keyboard.press("ArrowUp");
  const hidden = await page.evaluate<string[]>(
    `[...document.querySelectorAll(".ladder button")].filter((level) => {
      const [box, list] = [level, level.closest("ol")].map((one) => one.getBoundingClientRect());
      return box.left < list.left - 1 || box.right > list.right + 1 || box.top < list.top - 1 ||
        box.bottom > list.bottom + 1;
    }).map((level) => level.textContent)`,
  );
  assert.deepEqual(hidden, []);
  const [price = ""] = /^0\.\d{4}/.exec(await text()) ?? [];
  assert.ok(Number(price) >= 0.208, price);
  await keyboard.press("Enter");
  const entered = `document.querySelector("#ticket input[inputmode=decimal]").value === "${price}"`;
  await untilTrue(page, entered);
  await keyboard.press("Home");
  assert.match(await text(), /^0\.2000/);
  await keyboard.press("Tab");
  assert.match(await text(), /^0\.1900/);
  const scrolled = `[...document.querySelectorAll(".ladder")].map((one) => one.scrollLeft)`;
  assert.deepEqual(await page.evaluate(scrolled), [0, 0]);
});

test("WEB-144 a stop limit has a line for its trigger and one for its limit, which is moved", async () => {
  await trader.kind("Stop limit");
  await trader.panel("Order").getByRole("button", { name: "Buy", exact: true }).click();
  await trader.fill("Trigger price (USDC)", "0.195");
  await trader.fill("Price (USDC)", "0.196");
  await trader.fill("Quantity (CC)", "100");
  await trader.press("Buy CC");
  await trader.panel("Chart").getByText("Buy stop 100.0").waitFor();
  const limit = handle("Buy limit 100.0");
  await limit.focus();
  await trader.page.keyboard.press("Shift+ArrowUp");
  assert.equal(await limit.getAttribute("aria-valuetext"), "0.1961");
  await trader.page.keyboard.press("Enter");
  await trader.row("0.1961").waitFor();
  // Another order has taken its place, and its line has the focus.
  await focused(".line-handle [role=slider][aria-valuetext='0.1961']");
});

test("WEB-145 an order is cancelled at its line by the Delete key and by its cross", async () => {
  await handle("Buy limit 100.0").focus();
  await trader.page.keyboard.press("Delete");
  await trader.panel("Account").getByText("No open orders.").waitFor();
  await focused(".canvas-box");
  await trader.kind("Limit");
  await order("Buy", "0.193", "100");
  await handle("Buy 100.0").waitFor();
  await trader.page.getByRole("button", { name: "Cancel: Buy 100.0" }).click();
  await trader.panel("Account").getByText("No open orders.").waitFor();
});

test("WEB-185 keys that were meant for an order whose line is gone move or cancel no other one", async () => {
  const { page } = trader;
  const { keyboard } = page;
  await order("Sell", "0.1990", "114");
  await handle("Sell 114.0").waitFor();
  await order("Buy", "0.1930", "115");
  await handle("Buy 115.0").focus();
  for (let press = 0; press < 8; press++) {
    await keyboard.press("Shift+ArrowDown");
    await keyboard.press("Enter");
  }
  await trader.row("0.1990").waitFor();
  const moved = handle("Buy 115.0");
  await focused(
    ".line-handle [role=slider][aria-label*='Buy 115.0']:not([aria-valuetext='0.1930'])",
  );
  assert.equal(await handle("Sell 114.0").getAttribute("aria-valuetext"), "0.1990");
  // The order is filled while its line has the focus.
  await moved.focus();
  await trader.offer("CC-USDC", "SELL", "0.1901", "115");
  await moved.waitFor({ state: "detached" });
  await focused(".canvas-box");
  await keyboard.press("Delete");
  await handle("Sell 114.0").waitFor();
});

test("WEB-186 a key held down on a cancel cancels one order", async () => {
  const { page } = trader;
  await order("Sell", "0.1995", "114");
  await trader.row("0.1995").waitFor();
  await trader
    .row("0.1990")
    .getByRole("button", { name: /^Cancel/ })
    .focus();
  for (let repeats = 0; repeats < 4; repeats++) await page.keyboard.down("Enter");
  await trader.row("0.1990").waitFor({ state: "detached" });
  for (let repeats = 0; repeats < 4; repeats++) await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await trader.row("0.1995").waitFor();
  await trader
    .row("0.1995")
    .getByRole("button", { name: /^Cancel/ })
    .click();
  await trader.panel("Account").getByText("No open orders.").waitFor();
});

test("WEB-146 in full screen a refused change and a notice are in sight", async () => {
  const { page } = trader;
  // Nearly all the money: a better price costs more than there is.
  await order("Buy", "0.193", "518000");
  const line = handle("Buy 518,000.0");
  await line.waitFor();
  await page.getByRole("button", { name: "Full screen" }).click();
  await page.locator(".full-chart").waitFor();
  await line.focus();
  await page.keyboard.press("PageUp");
  await page.keyboard.press("Enter");
  const fault = page.locator(".chart-fault");
  await fault.waitFor();
  await fault.getByRole("button", { name: "Dismiss" }).click();
  await fault.waitFor({ state: "detached" });
  // Nothing was sent: the order has its price still.
  await line.waitFor();
  await line.focus();
  await page.keyboard.press("PageDown");
  const goal = await line.getAttribute("aria-valuetext");
  await page.keyboard.press("Enter");
  const toast = page.locator(".toast").filter({ hasText: "Changed" }).first();
  await toast.waitFor();
  const isOnTop = await page.evaluate<boolean>(
    `[...document.querySelectorAll(".toast")].every((toast) => {
      const { x, y } = toast.getBoundingClientRect();
      return toast.contains(document.elementFromPoint(x + 20, y + 20));
    })`,
  );
  assert.ok(isOnTop, "the notice is over the chart");
  // The order that has taken its place.
  await trader
    .panel("Account")
    .getByRole("row")
    .filter({ hasText: `${goal}` })
    .waitFor({ state: "attached" });
  await focused(`.line-handle [role=slider][aria-valuetext='${goal}']`);
  await page.getByRole("button", { name: /^Cancel: Buy/ }).click();
  await trader.panel("Account").getByText("No open orders.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".full-chart").waitFor({ state: "detached" });
});

test("WEB-147 lengths of a study that is off, and whether own trades are marked, are remembered", async () => {
  const { page } = trader;
  const menu = page.getByRole("button", { name: /^Indicators/ });
  await menu.click();
  const study = page.getByLabel("MA", { exact: true });
  const length = page.getByLabel("First length of MA");
  await study.check();
  await length.fill("9");
  await length.press("Enter");
  await study.uncheck();
  await page.getByLabel("Own trades").uncheck();
  await page.reload();
  await menu.click();
  await study.check();
  assert.equal(await length.inputValue(), "9");
  assert.equal(await page.getByLabel("Own trades").isChecked(), false);
  await page.getByLabel("Own trades").check();
  await page.keyboard.press("Escape");
  await focused(".chart-toolbar [aria-expanded=false]");
});

test("WEB-149 the focus goes back to what opened a dialog or list, and on to the next row", async () => {
  const { page } = trader;
  const { keyboard } = page;
  const settings = page.getByRole("button", { name: "Order settings" });
  await settings.click();
  const dialog = trader.dialog("Order settings");
  await dialog.getByLabel("Confirm each order before it is sent").check();
  await dialog.getByRole("button", { name: "Save settings" }).click();
  await focused(".order-settings button");
  const question = trader.dialog("Confirm order").getByRole("button", { name: "Confirm" });
  await order("Buy", "0.193", "100");
  await question.press("Enter");
  await trader.row("0.1930").waitFor();
  await focused("#ticket [type=submit]");
  await order("Buy", "0.192", "100");
  await question.press("Enter");
  await trader.row("0.1920").waitFor();
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await keyboard.press("Escape");
  await focused(".notice-menu > button");
  await page.getByRole("button", { name: "Cancel BUY CC-USDC at 0.1930" }).press("Enter");
  await focused("[aria-label='Cancel BUY CC-USDC at 0.1920']");
  await keyboard.press("Enter");
  await focused(".panel.account [role=tab][aria-selected=true]");
  await keyboard.press("Home");
  await focused(".panel.account [role=tab]:first-child");
  await keyboard.press("m");
  await focused("input[type=search]");
  await keyboard.type("BTC");
  await keyboard.press("Enter");
  await focused(".market-choice > button");
});
