// Journeys through the layout of the ticket: whatever it says, it is as wide as its panel, in a wide font too.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "100000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "60000.00", "5.000");
  await trader.offer("BTCUSDT", "BUY", "59900.00", "3.000");
  await trader.panel("Book").getByText("60,000.00").first().waitFor();
});
after(() => trader?.close());

/** What is wider than its place: the page, the panel of the ticket or one of its lists of figures. */
function tooWide(): Promise<string[]> {
  return trader.page.evaluate(`
    [document.documentElement, ...document.querySelectorAll("#ticket, #ticket form, #ticket dl, #ticket dd")]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.tagName + " " + one.textContent.slice(-40) + " " + one.scrollWidth)`);
}

const said = [
  ["0.010", "None: your equity covers it"],
  ["90", "None: not enough margin"],
] as const;

for (const [width, height] of [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const) {
  test(`WEB-171 a reason in place of a liquidation price fits the ticket, ${width} pixels wide`, async () => {
    const { page } = trader;
    await page.setViewportSize({ width, height });
    await page.evaluate(`document.body.style.fontFamily = "DejaVu Sans"`);
    if (width < 760) await page.getByRole("tab", { name: "Order", exact: true }).click();
    await trader.kind("Limit");
    await trader.fill("Price (USDT)", "60000");
    for (const [quantity, text] of said) {
      await trader.fill("Quantity (BTC)", quantity);
      await trader.told(text);
      assert.deepEqual(await tooWide(), []);
    }
    // A kind with a long name is not cut.
    for (const kind of ["Take profit market", "Take profit limit", "Trailing stop"]) {
      await trader.kind(kind);
      const room = await page.evaluate(`(() => {
        const list = document.querySelector("#ticket [aria-label='More order types']");
        const style = getComputedStyle(list);
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.font = style.font;
        const text = canvas.measureText(list.selectedOptions[0].text).width;
        // The arrow of the list takes some 20 pixels.
        return list.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 20 - text;
      })()`);
      assert(Number(room) >= 0, `${kind} lacks ${room} pixels`);
      assert.deepEqual(await tooWide(), []);
    }
  });
}
