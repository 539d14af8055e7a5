// Journeys on the chart in full screen and from the keyboard: what the focus reaches, lines that are deleted by accident, and
// orders whose lines are close to each other.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../../epochs/epoch-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "100000" },
    { asset: "CC", wallet: "spot", amount: "100000" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  await trader.offer("CC-USDC", "SELL", "0.2000", "1000");
  await trader.offer("CC-USDC", "BUY", "0.1500", "1000");
  await trader
    .panel("Book")
    .getByText(/0\.2000/)
    .first()
    .waitFor();
  await trader.page.getByRole("button", { name: "1w", exact: true }).click();
  for (const [side, price] of [
    ["Buy", "0.2000"],
    ["Sell", "0.1500"],
  ] as const) {
    await order(side, price, "100");
    await trader.told(`Order filled: 100.0 CC at ${price}`);
  }
  await trader.panel("Chart").locator(".chart-legend").getByText("0.1500").first().waitFor();
});
after(() => trader?.close());

async function order(side: "Buy" | "Sell", price: string, quantity: string): Promise<void> {
  await trader.panel("Order").getByRole("button", { name: side, exact: true }).click();
  await trader.fill("Price (USDC)", price);
  await trader.fill("Quantity (CC)", quantity);
  await trader.press(`${side} CC`);
}

function focused(selector: string): Promise<void> {
  return trader.page.locator(selector).and(trader.page.locator(":focus")).first().waitFor();
}

async function canvas() {
  const box = await trader.page.locator(".canvas-box").boundingBox();
  assert.ok(box !== null);
  return box;
}

function lineCount(): Promise<number> {
  return trader.page.evaluate(
    `(JSON.parse(localStorage.getItem("rialto-drawings") ?? "{}")["CC-USDC"] ?? []).length`,
  );
}

/** Presses Tab until the focus has been everywhere, and returns what was focused outside of the chart. */
async function strays(): Promise<string[]> {
  const found: string[] = [];
  await trader.page.evaluate("window.firstFocused = null");
  for (let press = 0; press < 120; press++) {
    await trader.page.keyboard.press("Tab");
    const [stray, isRound] = await trader.page.evaluate<[string, boolean]>(
      `(() => {
        const one = document.activeElement;
        const isRound = one === window.firstFocused;
        // A notice may leave while it has the focus.
        if (one !== document.body && !window.firstFocused?.isConnected) window.firstFocused = one;
        const isInside = one === document.body || one.closest(".panel.chart, .toasts");
        return [isInside ? "" : one.outerHTML, isRound];
      })()`,
    );
    if (stray !== "") found.push(stray);
    if (isRound) return found;
  }
  assert.fail("the focus does not come round");
}

test("WEB-180 in full screen the focus is in the chart and stays there; leaving gives it back", async () => {
  const { page } = trader;
  await page.getByRole("tab", { name: "Balances" }).focus();
  await page.keyboard.press("f");
  await focused(".full-chart .canvas-box");
  assert.deepEqual(await strays(), []);
  const { x, y, width, height } = await canvas();
  await page.mouse.click(x + width / 3, y + height / 3);
  assert.deepEqual(await strays(), []);
  await page.keyboard.press("f");
  await page.locator(".full-chart").waitFor({ state: "detached" });
  await focused(".panel.account [role=tab]");
  assert.equal(await page.locator("[inert]").count(), 0);
});

test("WEB-180 M leaves the full screen, which would cover its list, and B goes to the ticket", async () => {
  const { page } = trader;
  for (const [key, goal] of [
    ["m", "input[type=search]"],
    ["b", "#ticket input"],
  ] as const) {
    await page.keyboard.press("f");
    await page.locator(".full-chart").waitFor();
    await focused(".full-chart .canvas-box");
    await page.keyboard.press(key);
    await page.locator(".full-chart").waitFor({ state: "detached" });
    await focused(goal);
    await page.keyboard.press("Escape");
  }
});

test("WEB-182 a line is selected as it is drawn, and what was deleted can be brought back", async () => {
  const { page } = trader;
  const { x, y, width, height } = await canvas();
  for (const share of [0.5, 0.7]) {
    await page.getByRole("button", { name: "Draw a horizontal line" }).click();
    await page.mouse.click(x + width / 3, y + height * share);
  }
  assert.equal(await lineCount(), 2);
  await page.getByRole("button", { name: "Delete the selected line" }).waitFor();
  await page.keyboard.press("Delete");
  assert.equal(await lineCount(), 1);
  await page.keyboard.press("Control+z");
  assert.equal(await lineCount(), 2);
  await page.getByRole("button", { name: "Delete all lines" }).press("Enter");
  assert.equal(await lineCount(), 0);
  await focused("[aria-label^=Undo]");
  await page.keyboard.press("Enter");
  assert.equal(await lineCount(), 2);
  await focused(".tools button");
  await page.getByRole("button", { name: "Delete all lines" }).click();
});

test("WEB-183 lines without room are behind a button that lists their orders; those nearest to the market have room", async () => {
  const { page } = trader;
  const prices = ["0.1711", "0.1712", "0.1713", "0.1714", "0.1715", "0.1716", "0.1717"];
  for (const price of prices) {
    await order("Buy", price, "100");
    await trader.told(`Order open: 100.0 CC at ${price}`);
  }
  for (const price of prices) await trader.row("BUY", price).waitFor();
  const more = page.getByRole("button", { name: /^Choose one of \d+ more/ });
  await more.waitFor();
  const handles = page.locator(".line-handles > .line-handle > [role=slider]");
  // The market is below all of them.
  await handles.first().and(page.locator("[aria-valuetext='0.1711']")).waitFor();
  await more.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await focused(".handle-list [role=slider]");
  const listed = await page
    .locator(".handle-list [role=slider]")
    .evaluateAll((all) => all.map((one) => one.getAttribute("aria-valuetext")));
  assert.equal(new Set(listed).size, listed.length, "each order must be listed once");
  const chosen = page.locator(".handle-list [role=slider]:focus");
  const before = Number(await chosen.getAttribute("aria-valuetext"));
  await page.keyboard.press("PageDown");
  const goal = String(await chosen.getAttribute("aria-valuetext"));
  assert.ok(Number(goal) < before);
  await page.keyboard.press("Enter");
  await trader.row("BUY", goal).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".handle-list").waitFor({ state: "detached" });
});

test("WEB-183 each of the orders that share a line can be chosen, moved and cancelled", async () => {
  const { page } = trader;
  for (let count = 0; count < 2; count++) {
    await order("Buy", "0.1600", "150");
    await trader.told("Order open: 150.0 CC at 0.1600");
  }
  const shared = page.getByRole("button", { name: /^Buy 300\.0 \(2 orders\)/ });
  await shared.focus();
  await page.keyboard.press("Enter");
  await page.locator(".handle-list [role=slider]").nth(1).focus();
  await page.keyboard.press("Delete");
  await page.locator(".handle-list").waitFor({ state: "detached" });
  await page.getByRole("slider", { name: "Price of your order: Buy 150.0 CC" }).waitFor();
});

test("WEB-184 keys move the focused chart and change its scale", async () => {
  const { page } = trader;
  const picture = () => page.locator(".canvas-box").screenshot({ animations: "disabled" });
  /** The picture once it is another one than `before`: the chart draws with the next frame. */
  const changed = (before: Buffer) =>
    until("another picture", async () => {
      const now = await picture();
      return now.equals(before) ? null : now;
    });
  const still = async () => {
    let before = await picture();
    return until("a chart at rest", async () => {
      const now = await picture();
      const isAtRest = now.equals(before);
      before = now;
      return isAtRest ? now : null;
    });
  };
  await page.locator(".canvas-box").focus();
  await page.keyboard.press("End");
  const first = await still();
  await page.keyboard.press("ArrowLeft");
  await changed(first);
  const moved = await still();
  await page.keyboard.press("-");
  await changed(moved);
});
