// Journeys on a small laptop: what a wide screen shows is in sight there too; and prices without a connection.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { WebSocketRoute } from "playwright-core";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "spot", amount: "10000" }] as const;
  trader = await OrderJourney.open({
    view: "trade/CC-USDC",
    deposits,
    width: 1024,
    height: 768,
  });
  for (const [side, price, quantity] of [
    ["SELL", "0.1502", "9999.0"],
    ["SELL", "0.1503", "12345.0"],
    ["SELL", "0.1504", "98765.0"],
    ["BUY", "0.1499", "123456.0"],
  ] as const) {
    await trader.offer("CC-USDC", side, price, quantity);
  }
  await trader.panel("Book").getByText("0.1504").first().waitFor();
});
after(() => trader?.close());

interface Box {
  readonly left: number;
  readonly right: number;
}

/** Where the texts of elements are, from left to right. */
function texts(selector: string): Promise<Box[]> {
  return trader.page.evaluate(`
    [...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const { left, right } = range.getBoundingClientRect();
      return { left, right };
    })`);
}

function assertApart(boxes: readonly Box[], leastPx: number, what: string): void {
  assert.ok(boxes.length >= 4, what);
  for (const [index, { left }] of boxes.entries()) {
    const before = boxes[index - 1];
    if (before === undefined) continue;
    assert.ok(left - before.right >= leastPx, `${what}, ${index}: ${left - before.right} px`);
  }
}

for (const [width, height] of [
  [1024, 768],
  [1440, 900],
] as const) {
  test(`WEB-72 the columns of the book are all in sight and apart, ${width} pixels wide`, async () => {
    await trader.page.setViewportSize({ width, height });
    assertApart(await texts(".panel.book .columns > span"), 4, "headings");
    const asks = ".panel.book .ladder.asks";
    for (const level of [1, 2, 3]) {
      const row = await texts(`${asks} .level:nth-child(${level}) button > span:not(.unseen)`);
      assertApart(row, 5, `level ${level}`);
    }
    const [group, panel] = [
      await trader.page.getByLabel("Group prices by").boundingBox(),
      await trader.panel("Book").boundingBox(),
    ];
    assert.ok(group !== null && panel !== null);
    assert.ok(group.x + group.width <= panel.x + panel.width - 4);
  });
}

test("WEB-72 every interval is in sight, 1024 pixels wide", async () => {
  await trader.page.setViewportSize({ width: 1024, height: 768 });
  const panel = await trader.panel("Chart").boundingBox();
  assert.ok(panel !== null);
  const periods = trader.page.getByRole("group", { name: "Candle interval" });
  for (const button of await periods.getByRole("button").all()) {
    const box = await button.boundingBox();
    assert.ok(box !== null && box.x + box.width <= panel.x + panel.width);
  }
  const last = await periods.getByRole("button", { name: "1w" }).boundingBox();
  const bar = await periods.boundingBox();
  assert.ok(last !== null && bar !== null && last.x + last.width <= bar.x + bar.width + 1);
});

test("WEB-72 every column of the open orders is in sight, 1024 pixels wide", async () => {
  const { page } = trader;
  await trader.fill("Price (USDC)", "0.1481");
  await trader.fill("Quantity (CC)", "400");
  await trader.press("Buy CC");
  await trader.row("0.1481").waitFor();
  const cells = await texts(".panel.account tbody tr:first-child td");
  const actions = await page.getByRole("button", { name: "Edit BUY CC-USDC" }).boundingBox();
  assert.ok(actions !== null);
  const [time, ...rest] = cells;
  assert.ok(time !== undefined);
  for (const { right } of rest.slice(0, -1)) assert.ok(right <= actions.x, `${right}`);
});

test("WEB-74 without a connection book and prices are greyed out and said to be not live", async () => {
  const { page } = trader;
  let isDown = false;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/compat\/stream/, async (socket) => {
    if (isDown) {
      await socket.close();
      return;
    }
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.reload();
  const level = trader.panel("Book").locator(".level.ask").first();
  const opacity = async () =>
    Number(await page.evaluate(`getComputedStyle(document.querySelector(".level.ask")).opacity`));
  await level.waitFor();
  await page.getByRole("banner").getByText("Live").waitFor();
  assert.equal(await opacity(), 1);
  isDown = true;
  for (const socket of sockets) await socket.close();
  await trader.panel("Book").getByText("Connection lost. These prices are not live.").waitFor();
  assert.ok((await opacity()) < 1);
  isDown = false;
  await page
    .getByText("Connection lost. These prices are not live.")
    .waitFor({ state: "detached" });
  await level.waitFor();
  assert.equal(await opacity(), 1);
});
