// The journeys that matter on a phone: open a position, see its risk, change its leverage, close it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits, width: 390, height: 844 });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "3.000");
  await trader.offer("BTCUSDT", "BUY", "49990.00", "3.000");
});
after(() => trader?.close());

async function pane(name: string): Promise<void> {
  await trader.page.getByRole("tab", { name, exact: true }).click();
}

/** Nothing is wider than the screen. */
async function fits(): Promise<void> {
  assert.equal(await trader.page.evaluate("document.documentElement.scrollWidth"), 390);
}

/** The only position, which is a card here. */
const card = ".panel.account section[aria-label=Positions] tbody tr";

/** Pairs of cells of the position whose texts or buttons lie on each other, or reach beyond the screen. */
function overlaps(): Promise<unknown> {
  return trader.page.evaluate(`(() => {
    const parts = [...document.querySelectorAll("${card} td")].flatMap((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const box = range.getBoundingClientRect();
      return box.width * box.height === 0 ? [] : [{ name: cell.dataset.name || "buttons", box }];
    });
    if (parts.length < 8) return ["only " + parts.length + " parts"];
    const meet = (a, b) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const wide = parts.filter(({ box }) => box.left < 0 || box.right > innerWidth + 1);
    return [
      ...wide.map(({ name }) => name),
      ...parts.flatMap((one, at) =>
        parts.slice(at + 1).filter(({ box }) => meet(one.box, box)).map(({ name }) => one.name + " on " + name),
      ),
    ];
  })()`);
}

test("WEB-32 WEB-35 on a phone a position is opened, seen and closed", async () => {
  await pane("Order");
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "0.100");
  await fits();
  await trader.press("Buy BTC");
  await trader.told("Order filled: 0.100 BTC at 50,000.00");
  await pane("Account");
  await trader.tab("Positions");
  await trader.row("LONG 10×").waitFor();
  await trader.page.locator(".risk").getByText("Equity").waitFor();
  await fits();
  const closing = trader.row("LONG").getByRole("button", { name: "Close BTC-PERP" });
  assert.ok(((await closing.boundingBox())?.height ?? 0) >= 44);
  assert.deepEqual(await overlaps(), []);
  // The check finds what it looks for.
  const shift = (margin: string) =>
    trader.page.evaluate(
      `document.querySelector("${card} .actions").style.marginTop = "${margin}"`,
    );
  await shift("-60px");
  assert.notDeepEqual(await overlaps(), []);
  await shift("");
  await closing.click();
  const dialog = trader.dialog("Close BTC-PERP");
  await fits();
  await dialog.getByRole("button", { name: "25 %" }).click();
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await trader.row("LONG", "0.075").waitFor();
});

test("WEB-36 on a phone an order is confirmed before it is sent", async () => {
  await pane("Order");
  await trader.press("Order settings");
  const settings = trader.dialog("Order settings");
  await settings.getByLabel("Confirm each order before it is sent").check();
  await settings.getByRole("button", { name: "Save settings" }).click();
  await trader.fill("Quantity (BTC)", "0.010");
  await trader.press("Buy BTC");
  await fits();
  await trader.dialog("Confirm order").getByRole("button", { name: "Confirm" }).click();
  await trader.told("Order filled: 0.010 BTC at 50,000.00");
  await pane("Account");
  await trader.row("LONG", "0.085").waitFor();
});

test("WEB-30 on a phone the leverage is changed beside the market", async () => {
  await trader.page.getByRole("button", { name: "Leverage of BTC-PERP: 10×" }).click();
  const dialog = trader.dialog("Leverage of BTC-PERP");
  await dialog.getByRole("slider").fill("25");
  await fits();
  await dialog.getByRole("button", { name: "Set 25×" }).click();
  await trader.row("LONG 25×").waitFor();
});
