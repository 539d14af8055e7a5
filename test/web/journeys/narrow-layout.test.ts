// Journeys on a phone: the bar of the market is low, buy and sell are in reach of the thumb, targets are large.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../../epochs/epoch-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits, width: 390, height: 844 });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "1.000");
  await trader.page.locator(".chart-state").waitFor({ state: "attached" });
});
after(() => trader?.close());

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

/** Resolves when the box of an element is at the lower edge of the screen. */
async function atLowerEdge(name: string): Promise<void> {
  const box = await trader.page.getByRole("button", { name, exact: true }).boundingBox();
  assert.ok(box !== null && box.y > 844 - 80 && box.y + box.height <= 844, `${name}: ${box?.y}`);
}

const thumbButtons = [
  ["Buy: open the ticket", "Buy"],
  ["Sell: open the ticket", "Sell"],
] as const;

test("WEB-49 on a phone buy and sell are at the lower edge and open the ticket with their side", async () => {
  for (const [name, side] of thumbButtons) {
    for (const one of panes.filter((other) => other !== "Order")) {
      await pane(one);
      await atLowerEdge(name);
      await trader.page.getByRole("button", { name }).click();
      await trader
        .panel("Order")
        .getByRole("button", { name: side, exact: true, pressed: true })
        .waitFor();
    }
  }
});

test("WEB-73 on a phone the button at the lower edge of the ticket is the one that sends", async () => {
  await pane("Order");
  for (const [name] of thumbButtons) {
    assert.equal(await trader.page.getByRole("button", { name }).isVisible(), false);
  }
  await trader.panel("Order").getByRole("button", { name: "Buy", exact: true }).click();
  await trader.fill("Price (USDT)", "40000");
  await trader.fill("Quantity (BTC)", "0.010");
  await atLowerEdge("Buy BTC");
  const box = await trader.page.getByRole("button", { name: "Buy BTC" }).boundingBox();
  await trader.page.mouse.click(195, (box?.y ?? 0) + 22);
  await trader.told("Order open: 0.010 BTC at 40,000.00");
  const answer = await trader.panel("Order").locator(".answer").boundingBox();
  assert.ok(answer !== null && answer.y + answer.height <= (box?.y ?? 0), "the answer is in sight");
});

test("WEB-73 on a phone a double tap that opens the ticket sends nothing", async () => {
  await pane("Order");
  await trader.fill("Price (USDT)", "41000");
  await trader.fill("Quantity (BTC)", "0.020");
  await pane("Book");
  const box = await trader.page.getByRole("button", { name: "Buy: open the ticket" }).boundingBox();
  assert.ok(box !== null);
  // The button that sends takes no tap for half a second. On a busy machine the second tap comes later, so that time is
  // made twenty times as long.
  const browserSession = await trader.page.context().newCDPSession(trader.page);
  await browserSession.send("Animation.enable");
  await browserSession.send("Animation.setPlaybackRate", { playbackRate: 0.05 });
  // Both places are the same, so that the second tap of one finger would hit the button that sends.
  await trader.page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await browserSession.send("Animation.setPlaybackRate", { playbackRate: 1 });
  const send = trader.panel("Order").getByRole("button", { name: "Buy BTC", exact: true });
  const sending = await send.boundingBox();
  assert.ok(sending !== null && Math.abs(sending.y - box.y) < 22, `${sending?.y} and ${box.y}`);
  await trader.fill("Price (USDT)", "42000");
  await send.click();
  await trader.told("Order open: 0.020 BTC at 42,000.00");
  await pane("Account");
  assert.equal(await trader.row("41,000.00").count(), 0);
});

test("WEB-73 on a phone a tap on a price of the book opens the ticket with it", async () => {
  await pane("Book");
  await trader.panel("Book").locator(".level.ask button").first().click();
  const price = trader.panel("Order").getByLabel("Price (USDT)", { exact: true });
  await price.waitFor();
  await until("the price of the book", async () =>
    (await price.inputValue()) === "50000.00" ? true : null,
  );
  const value = await trader.panel("Order").getByText("Order value USDT").boundingBox();
  const send = await trader.panel("Order").getByRole("button", { name: "Buy BTC" }).boundingBox();
  assert.ok(value !== null && send !== null && value.y < send.y);
});

test("WEB-73 the navigation is one row from a width of 360 pixels", async () => {
  for (const width of [390, 375, 360]) {
    await trader.page.setViewportSize({ width, height: 844 });
    const nav = await trader.page.getByRole("navigation", { name: "Main" }).boundingBox();
    assert.equal(nav?.height, 44, `${width}`);
  }
  await trader.page.setViewportSize({ width: 390, height: 844 });
});

test("WEB-73 on a phone the header is two rows, and the list of markets does not scroll sideways", async () => {
  const header = await trader.page.getByRole("banner").boundingBox();
  assert.ok(header !== null && header.height <= 112, `${header?.height} px`);
  await trader.page.getByRole("button", { name: "Market BTC-PERP" }).click();
  await trader.page.getByRole("searchbox").waitFor();
  const rows = "document.querySelector('.market-rows')";
  assert.equal(await trader.page.evaluate(`${rows}.scrollWidth - ${rows}.clientWidth`), 0);
  await trader.page.keyboard.press("Escape");
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
