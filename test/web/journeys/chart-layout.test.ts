// Journeys on charts of other sizes: one that is opened out of sight, and legends of small charts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../../epochs/epoch-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  trader = await OrderJourney.open({
    view: "trade/BTC-PERP",
    deposits: [],
    width: 390,
    height: 844,
  });
  await tab("Chart");
  // Of a week: a chart that is loaded after a minute without a trade has a flat candle of that minute, an older one has not.
  await trader.page.getByRole("button", { name: "1w", exact: true }).click();
  await printed("50000.00");
});
after(() => trader?.close());

/** Another account trades at a price with the maker. */
async function printed(price: string): Promise<void> {
  await trader.offer("BTCUSDT", "SELL", price, "0.100");
  const taker = await trader.fixture.trader();
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const terms = { ...order, price, quantity: "0.100" };
  const { status, json } = await trader.fixture.signed(taker, "POST", "/fapi/v1/order", terms);
  assert.equal(status, 200, JSON.stringify(json));
}

function tab(name: string): Promise<void> {
  return trader.page.getByRole("tab", { name, exact: true }).click();
}

/** Opens another view and comes back, so that the trading view is made anew. */
async function leaveAndReturn(): Promise<void> {
  const navigation = trader.page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Proofs" }).click();
  await trader.page.locator(".canvas-box").waitFor({ state: "detached" });
  await navigation.getByRole("link", { name: "Trade" }).click();
  await trader.page.locator(".canvas-box").waitFor({ state: "attached" });
}

/** What the chart has drawn, once it no longer changes. */
async function picture(): Promise<string> {
  const { page } = trader;
  await page.locator(".chart-state:empty").waitFor({ state: "attached" });
  await page.locator(".chart-legend p").first().waitFor();
  const drawn = () =>
    page.evaluate(
      `[...document.querySelectorAll(".canvas-box canvas")].map((one) => one.toDataURL()).join()`,
    ) as Promise<string>;
  let before = "";
  return until("the chart at rest", async () => {
    await page.waitForTimeout(700);
    const now = await drawn();
    const isAtRest = now === before;
    before = now;
    return isAtRest ? now : null;
  });
}

test("WEB-71 a chart that was opened out of sight shows its newest candle and follows trades like any other", async () => {
  const { page } = trader;
  await tab("Order");
  await leaveAndReturn();
  // Candles that load out of sight have the time to.
  await page
    .locator(".canvas-box canvas")
    .first()
    .waitFor({ state: "attached", timeout: 1_500 })
    .catch(() => undefined);
  await printed("50010.00");
  await tab("Chart");
  await page.locator(".chart-legend").getByText("50,010.00").first().waitFor();
  await printed("50020.00");
  await page.locator(".chart-legend").getByText("50,020.00").first().waitFor();
  const late = await picture();
  await leaveAndReturn();
  await page.locator(".chart-legend").getByText("50,020.00").first().waitFor();
  assert.ok(late === (await picture()), "both charts must look the same");
});

test("WEB-187 a chart in which nothing changes draws nothing", async () => {
  const { page } = trader;
  await tab("Chart");
  await picture();
  const perSecond = (await page.evaluate(`new Promise((resolve) => {
    const next = window.requestAnimationFrame;
    const begunMs = performance.now();
    let wanted = 0;
    window.requestAnimationFrame = (draw) => {
      wanted++;
      return next.call(window, draw);
    };
    setTimeout(() => {
      window.requestAnimationFrame = next;
      resolve((1_000 * wanted) / (performance.now() - begunMs));
    }, 2_000);
  })`)) as number;
  // A chart that draws again in each frame wants more than fifty; figures that change once a second may want some.
  assert.ok(perSecond < 15, `${perSecond} frames a second`);
});

test("WEB-117 over a small chart the figures of all studies have their values, and few lines", async () => {
  const { page } = trader;
  await tab("Chart");
  await page.getByRole("button", { name: /^Indicators/ }).click();
  for (const name of ["MA", "EMA", "VWAP", "Bollinger", "RSI", "MACD"]) {
    await page.getByLabel(name, { exact: true }).check();
  }
  await page.keyboard.press("Escape");
  const legend = page.locator(".chart-legend");
  await legend.getByText("MACD 12 26").waitFor();
  await legend.locator(".study-value").filter({ visible: true }).first().waitFor();
  for (const [width, height] of [
    [390, 844],
    [1024, 768],
  ] as const) {
    await page.setViewportSize({ width, height });
    const figures = legend.first().locator(".study-value, .change, .volume");
    // Change, volume, three MA, two EMA, VWAP and three lines of Bollinger.
    await until(`11 figures, ${width} pixels wide`, async () =>
      (await figures.filter({ visible: true }).count()) === 11 ? true : null,
    );
    const box = await legend.first().boundingBox();
    assert.ok(box !== null && box.height <= 90, `${width}: ${box?.height} px`);
    // RSI and MACD have their figures in their own panes, whose places follow the size with the next layout.
    for (const [above, name] of [
      [0, "RSI 14"],
      [1, "MACD 12 26"],
    ] as const) {
      await until(`${name} below, ${width} pixels wide`, async () => {
        const lower = await legend.filter({ hasText: name }).boundingBox();
        const upper = await legend.nth(above).boundingBox();
        return lower !== null && upper !== null && lower.y >= upper.y + 40 ? true : null;
      });
    }
  }
});
