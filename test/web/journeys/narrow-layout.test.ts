// Journeys on a phone: the bar of the market is low, buy and sell are in reach of the thumb, targets are large.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits, width: 390, height: 844 });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "1.000");
  await trader.page.locator(".chart-state").waitFor({ state: "attached" });
});
after(() => trader.close());

const panes = ["Chart", "Book", "Trades", "Order", "Account"] as const;

async function pane(name: (typeof panes)[number]): Promise<void> {
  await trader.page.getByRole("tab", { name, exact: true }).click();
}

test("WEB-49 on a phone the market's bar is at most 64 pixels high, and its figures are in reach", async () => {
  const bar = await trader.page.locator(".market-bar").boundingBox();
  assert.ok(bar !== null && bar.height <= 64, `${bar?.height} px`);
  const last = trader.page.getByText("Open interest BTC", { exact: true });
  await last.scrollIntoViewIfNeeded();
  const figure = await last.boundingBox();
  assert.ok(figure !== null && figure.x >= 0 && figure.x + figure.width <= 390);
});

test("WEB-49 on a phone buy and sell are at the lower edge of every pane and open the ticket with their side", async () => {
  for (const [name, side] of [
    ["Buy: open the ticket", "Buy"],
    ["Sell: open the ticket", "Sell"],
  ] as const) {
    for (const one of panes) {
      await pane(one);
      const button = trader.page.getByRole("button", { name });
      const box = await button.boundingBox();
      assert.ok(box !== null && box.y > 844 - 80 && box.y + box.height <= 844, `${one}: ${box?.y}`);
      await button.click();
      await trader
        .panel("Order")
        .getByRole("button", { name: side, exact: true, pressed: true })
        .waitFor();
    }
  }
});

test("WEB-49 on a phone every control but a level of the book is at least 44 pixels high", async () => {
  for (const one of panes) {
    await pane(one);
    await trader.page.locator(`.trade[data-pane="${one}"]`).waitFor();
    const small = await trader.page.evaluate(`
      [...document.querySelectorAll(":is(header, main, footer) :is(a, button, select, input, [role=tab])")]
        .filter((control) => control.checkVisibility() && !control.closest(".level, .line-handle, .skip, .unseen"))
        .map((control) => ({ control, box: (control.closest("label.check") ?? control).getBoundingClientRect() }))
        .filter(({ box }) => box.height < 44)
        .map(({ control, box }) => box.height + " " + control.outerHTML.slice(0, 120))`);
    assert.deepEqual(small, [], one);
    assert.equal(await trader.page.evaluate("document.documentElement.scrollWidth"), 390);
  }
});

test("WEB-49 on a phone a market is chosen from the list", async () => {
  await trader.page.getByRole("button", { name: "Market BTC-PERP" }).click();
  const list = trader.page.getByRole("region", { name: "Market", exact: true });
  const link = list.getByRole("link", { name: "CC-USDC" });
  assert.ok(((await link.boundingBox())?.height ?? 0) >= 44);
  await link.click();
  await trader.page.getByRole("button", { name: "Market CC-USDC" }).waitFor();
});
