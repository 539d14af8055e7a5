// Journeys without a mouse: keys, the way to the ticket, sizes of panels.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "1.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
});
after(() => trader?.close());

/** Resolves when the field with this label has the focus. */
async function focused(label: string): Promise<void> {
  await trader
    .panel("Order")
    .getByLabel(label, { exact: true })
    .and(trader.page.locator(":focus"))
    .waitFor();
}

/** Takes the focus from every field. */
async function leaveFields(): Promise<void> {
  await trader.page.evaluate("document.activeElement.blur()");
}

test("WEB-48 B and S choose the side and go to the quantity, T goes to the ticket", async () => {
  const { keyboard } = trader.page;
  const side = (name: string) =>
    trader.panel("Order").getByRole("button", { name, exact: true, pressed: true });
  await leaveFields();
  await keyboard.press("s");
  await focused("Quantity (BTC)");
  await side("Sell").waitFor();
  await leaveFields();
  await keyboard.press("b");
  await focused("Quantity (BTC)");
  await side("Buy").waitFor();
  await leaveFields();
  await keyboard.press("t");
  await trader.page.locator("#ticket :focus").waitFor();
});

test("WEB-48 what is typed at once after B or S is the quantity, from its first digit", async () => {
  const quantity = trader.panel("Order").getByLabel("Quantity (BTC)", { exact: true });
  for (const key of ["s", "b"]) {
    await quantity.fill("");
    await leaveFields();
    // The focus has moved before any other task of the page.
    const focus = await trader.page.evaluate(`(() => {
      dispatchEvent(new KeyboardEvent("keydown", { key: "${key}" }));
      return document.activeElement?.closest("label")?.textContent ?? "";
    })()`);
    assert.equal(focus, "Quantity (BTC)");
    await trader.page.keyboard.type("150");
    assert.equal(await quantity.inputValue(), "150");
  }
  await quantity.fill("");
});

test("WEB-48 a key that goes to the ticket ends the full screen of the chart, which covers the ticket", async () => {
  const { keyboard } = trader.page;
  for (const key of ["t", "b"]) {
    await leaveFields();
    await keyboard.press("f");
    await trader.page.locator(".full-chart").waitFor();
    await keyboard.press(key);
    await trader.page.locator(".full-chart").waitFor({ state: "detached" });
    await trader.page.locator("#ticket :focus").waitFor();
  }
});

test("WEB-48 a key that is typed into a field is text and nothing else", async () => {
  const { keyboard } = trader.page;
  const side = trader
    .panel("Order")
    .getByRole("button", { name: "Buy", exact: true, pressed: true });
  await trader.page.getByLabel("Min. BTC").focus();
  await keyboard.type("s?m");
  assert.equal(await trader.page.getByLabel("Min. BTC").inputValue(), "s?m");
  await side.waitFor();
  assert.equal(await trader.page.getByRole("dialog").count(), 0);
  assert.equal(await trader.page.getByRole("searchbox").count(), 0);
  await trader.page.getByLabel("Min. BTC").fill("");
});

test("WEB-48 M opens the search for markets, and Escape closes it", async () => {
  await leaveFields();
  await trader.page.keyboard.press("m");
  const search = trader.page.getByRole("searchbox", { name: "Search markets" });
  await search.and(trader.page.locator(":focus")).waitFor();
  await trader.page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
});

test("WEB-48 Shift and X cancel all orders of the market, after a question", async () => {
  for (const price of ["48000", "47000"]) {
    await trader.fill("Price (USDT)", price);
    await trader.fill("Quantity (BTC)", "0.010");
    await trader.press("Buy BTC");
    await trader.told(`Order open: 0.010 BTC at ${Number(price).toLocaleString("en-US")}.00`);
  }
  for (const price of ["48,000.00", "47,000.00"]) await trader.row("BUY", price).waitFor();
  await leaveFields();
  await trader.page.keyboard.press("Shift+X");
  await trader.dialog("Cancel orders").getByText("2 orders on BTC-PERP").waitFor();
  await trader.page.keyboard.press("Enter");
  await trader.panel("Account").getByText("No open orders.").waitFor();
});

test("WEB-48 the question mark shows the keys, and single keys can be switched off", async () => {
  const { keyboard } = trader.page;
  await leaveFields();
  await keyboard.press("?");
  const help = trader.page.getByRole("dialog", { name: "Keyboard" });
  for (const key of ["B", "S", "T", "X", "M", "F", "?"]) {
    await help.getByText(key, { exact: true }).waitFor();
  }
  const overflow = `(() => {
    const { scrollWidth, clientWidth } = document.querySelector("dialog[open]");
    return scrollWidth - clientWidth;
  })()`;
  assert.equal(await trader.page.evaluate(overflow), 0);
  const acting = help.getByLabel("Single keys act");
  await acting.uncheck();
  await keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  await leaveFields();
  await keyboard.press("m");
  await keyboard.press("?");
  assert.equal(await trader.page.getByRole("searchbox").count(), 0);
  assert.equal(await help.isVisible(), false);
  await trader.page.getByRole("button", { name: /^Keyboard/ }).click();
  await acting.check();
  await help.getByRole("button", { name: /^Close/ }).click();
});

test("WEB-48 three stops of the Tab key reach the ticket", async () => {
  const { page } = trader;
  await page.reload();
  await trader.panel("Order").getByLabel("Quantity (BTC)").waitFor();
  await page.keyboard.press("Tab");
  await page
    .getByRole("button", { name: "Skip to the order ticket" })
    .and(page.locator(":focus"))
    .waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#ticket :focus").waitFor();
});

test("WEB-49 panels are resized with the keyboard and the pointer, within bounds, and remembered", async () => {
  const { page } = trader;
  const width = async () => Math.round((await trader.panel("Book").boundingBox())?.width ?? 0);
  const line = page.getByRole("separator", { name: "Width of book and trades" });
  const first = await width();
  await line.focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await width(), first + 16);
  await page.keyboard.press("End");
  const most = Number(await line.getAttribute("aria-valuemax"));
  assert.equal(await width(), most);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await width(), most);
  await page.keyboard.press("Home");
  assert.equal(await width(), Number(await line.getAttribute("aria-valuemin")));
  const place = await line.boundingBox();
  assert.ok(place !== null);
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 60, y, { steps: 6 });
  await page.mouse.up();
  const dragged = await width();
  assert.ok(Math.abs(dragged - Number(await line.getAttribute("aria-valuemin")) - 60) <= 2);
  await page.reload();
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
  assert.equal(await width(), dragged);
  await line.dblclick();
  assert.equal(await width(), first);
});
