// Journeys on the chart: figures of candles, studies, drawn lines, zones of time, full screen, and the account's lines.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../../epochs/epoch-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "1.000");
  await trader.offer("BTCUSDT", "BUY", "49900.00", "1.000");
  await place("BUY", "50000.00", "0.200");
  await place("SELL", "49900.00", "0.050");
  // Candles of a week, so that both trades are in one candle.
  await trader.page.getByRole("button", { name: "1w", exact: true }).click();
  await loaded();
});
after(() => trader?.close());

/** Places an order of the user over the native routes, and waits until the page knows it. */
async function place(side: "BUY" | "SELL", price: string, qty: string): Promise<string> {
  const order = { symbol: "BTC-PERP", side, price, qty, leverage: 10 };
  return trader.page.evaluate(
    `(async () => {
      const { token } = JSON.parse(sessionStorage.getItem("rialto-session"));
      const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
      const body = JSON.stringify({ ...${JSON.stringify(order)}, idempotency_key: crypto.randomUUID() });
      return (await (await fetch("/v1/orders", { method: "POST", headers, body })).json()).order_id;
    })()`,
  );
}

/** Resolves when the chart shows its candles. */
async function loaded(): Promise<void> {
  await trader.page.locator(".chart-state:empty").waitFor({ state: "attached" });
  await legend("C").waitFor();
  // The chart takes its scales with the next frame.
  await trader.page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
}

/** Chooses another interval, and resolves when the chart shows its candles. */
async function choose(interval: string): Promise<void> {
  // The chart begins to load in the next frame: until the answer it still says that it has loaded.
  const answer = trader.page.waitForResponse((one) => one.url().includes(`interval=${interval}`));
  await trader.page.getByRole("button", { name: interval, exact: true }).click();
  await answer;
  await loaded();
}

function legend(text: string | RegExp) {
  return trader.panel("Chart").locator(".chart-legend").getByText(text, { exact: true }).first();
}

async function box() {
  const found = await trader.page.locator(".canvas-box").boundingBox();
  assert.ok(found !== null);
  return found;
}

interface Drawing {
  readonly kind: string;
  readonly anchors: readonly { price: number }[];
}

function drawings(): Promise<Drawing[]> {
  return trader.page.evaluate(
    `(JSON.parse(localStorage.getItem("rialto-drawings") ?? "{}")["BTC-PERP"] ?? [])`,
  );
}

test("WEB-40 the legend shows open, high, low, close and volume of the candle, and each chosen study", async () => {
  const figures = trader.panel("Chart").locator(".chart-legend p").first();
  await figures.getByText("Vol0.250 BTC").waitFor();
  const text = (await figures.textContent()) ?? "";
  assert.match(text, /^BTC-PERP 1wO50,000\.00H50,000\.00L49,900\.00C49,900\.00-0\.20 %/);
  await trader.page.getByRole("button", { name: /^Indicators/ }).click();
  for (const name of ["MA", "EMA", "VWAP", "Bollinger", "RSI", "MACD"]) {
    await trader.page.getByLabel(name, { exact: true }).check();
  }
  await trader.page.getByLabel("First length of MA").fill("9");
  await trader.page.getByLabel("First length of MA").press("Enter");
  await trader.page.keyboard.press("Escape");
  for (const name of ["MA 9", "EMA 12", "BB 20", "RSI 14", "MACD 12 26"]) {
    await legend(name).waitFor();
  }
  // VWAP of the only candle: 0.2 at 50,000 and 0.05 at 49,900.
  await legend("49,980.00").waitFor();
});

test("WEB-40 interval and studies are remembered", async () => {
  const hour = trader.page.getByRole("button", { name: "1h", exact: true });
  await hour.click();
  await trader.page.reload();
  await loaded();
  assert.equal(await hour.getAttribute("aria-pressed"), "true");
  await legend("MA 9").waitFor();
  await trader.page.getByRole("button", { name: "1w", exact: true }).click();
});

test("WEB-42 horizontal and trend lines are drawn, moved, kept by market, selected and deleted", async () => {
  const { x, y, width, height } = await box();
  const { mouse, keyboard } = trader.page;
  await trader.page.getByRole("button", { name: "Draw a horizontal line" }).click();
  await mouse.click(x + width * 0.3, y + height * 0.3);
  await trader.page.getByRole("button", { name: "Draw a trend line" }).click();
  await mouse.click(x + width * 0.2, y + height * 0.4);
  await mouse.click(x + width * 0.5, y + height * 0.35);
  assert.deepEqual(
    (await drawings()).map(({ kind }) => kind),
    ["horizontal", "trend"],
  );
  const price = async () => (await drawings())[0]?.anchors[0]?.price ?? 0;
  const drawn = await price();
  await mouse.move(x + width * 0.6, y + height * 0.3);
  await mouse.down();
  await mouse.move(x + width * 0.6, y + height * 0.2, { steps: 5 });
  await mouse.up();
  assert.ok((await price()) > drawn, "a line that is dragged upwards has a higher price");
  await trader.page.reload();
  await loaded();
  await mouse.click(x + width * 0.6, y + height * 0.2);
  await trader.page.getByRole("button", { name: "Delete the selected line" }).waitFor();
  await keyboard.press("Delete");
  assert.deepEqual(
    (await drawings()).map(({ kind }) => kind),
    ["trend"],
  );
  await trader.page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
  await trader.page
    .getByRole("button", { name: "Delete all lines" })
    .and(trader.page.locator(":disabled"))
    .waitFor();
  await trader.page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  await trader.page.getByRole("button", { name: "Delete all lines" }).click();
  assert.deepEqual(await drawings(), []);
});

test("WEB-71 a drawn line is at its times and prices in every interval, also before the first candle", async () => {
  const { page } = trader;
  await choose("1m");
  const { x, y, width, height } = await box();
  const [from, to] = [0.2 * width, 0.5 * width];
  const level = y + 0.4 * height;
  await page.getByRole("button", { name: "Draw a trend line" }).click();
  await page.mouse.click(x + from, level);
  await page.mouse.click(x + to, level);
  assert.equal((await drawings()).length, 1);
  await choose("5m");
  // Few candles are 24 pixels wide, the newest one six and a half of them before the scale of prices.
  const newest = width - 92 - 6.5 * 24;
  const middle = newest - (newest - (from + to) / 2) / 5;
  await page.mouse.click(x + middle, level);
  await page.getByRole("button", { name: "Delete the selected line" }).click();
  assert.deepEqual(await drawings(), []);
  await choose("1w");
});

test("WEB-41 position and orders are lines on the chart; a drag of an order's line amends the order", async () => {
  const id = await place("BUY", "49980.00", "0.050");
  const handle = trader.page.getByRole("slider", { name: "Price of your order: Buy 0.050 BTC" });
  await handle.waitFor();
  await trader
    .panel("Chart")
    .getByText(/^Long 0\.150/)
    .waitFor();
  const from = await handle.boundingBox();
  assert.ok(from !== null);
  const { mouse } = trader.page;
  await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(from.x + from.width / 2, from.y + from.height / 2 + 20, { steps: 4 });
  const goal = await handle.getAttribute("aria-valuetext");
  assert.notEqual(goal, "49,980.00");
  await mouse.up();
  const row = trader.row("BUY", String(goal));
  await row.waitFor();
  const orders = await trader.page.evaluate(
    `(async () => {
      const { token } = JSON.parse(sessionStorage.getItem("rialto-session"));
      const headers = { Authorization: "Bearer " + token };
      return (await (await fetch("/v1/orders/me?status=open", { headers })).json()).items;
    })()`,
  );
  const [amended] = orders as { order_id: string; price: string }[];
  assert.equal(amended?.order_id, id);
  assert.equal(Number(amended?.price), Number(goal?.replaceAll(",", "")));
});

test("WEB-41 a click and another button move no line; a line that is dragged beyond the chart stops at its edge", async () => {
  const handle = trader.page.getByRole("slider", { name: "Price of your order: Buy 0.050 BTC" });
  const price = () => handle.getAttribute("aria-valuetext");
  const before = await price();
  const { mouse } = trader.page;
  const centre = async () => {
    const found = await handle.boundingBox();
    assert.ok(found !== null);
    return { x: found.x + found.width / 2, y: found.y + found.height / 2 };
  };
  const { x, y } = await centre();
  await mouse.move(x, y);
  await mouse.down();
  await mouse.move(x, y + 4, { steps: 2 });
  assert.equal(await price(), before, "a press that hardly moves is a click");
  await mouse.up();
  await mouse.move(x, y);
  await mouse.down({ button: "middle" });
  await mouse.move(x, y + 20, { steps: 4 });
  assert.equal(await price(), before, "only the first button drags");
  await mouse.up({ button: "middle" });
  await mouse.move(x, y);
  await mouse.down();
  await mouse.move(x, 895, { steps: 8 });
  const { y: top, height } = await box();
  const edge = await centre();
  assert.ok(edge.y <= top + height, "the handle stays on the chart");
  const lowest = await price();
  await mouse.move(x, y + 20, { steps: 8 });
  assert.notEqual(
    await price(),
    lowest,
    "a line that has been at the edge still follows the pointer",
  );
  const goal = await price();
  await mouse.up();
  await trader.row("BUY", String(goal)).waitFor();
  await handle.click();
  assert.equal(await price(), goal);
});

test("WEB-41 the arrow keys move an order's line, Enter amends, Escape leaves the price", async () => {
  const handle = trader.page.getByRole("slider", { name: "Price of your order: Buy 0.050 BTC" });
  const price = () => handle.getAttribute("aria-valuetext");
  const before = await price();
  const { keyboard } = trader.page;
  await handle.focus();
  await keyboard.press("PageUp");
  assert.notEqual(await price(), before);
  await keyboard.press("Escape");
  assert.equal(await price(), before);
  await keyboard.press("ArrowDown");
  const goal = await price();
  await keyboard.press("Enter");
  await trader.row("BUY", String(goal)).waitFor();
});

test("WEB-71 orders of one price share a line, and labels of near prices stand beside each other", async () => {
  for (let order = 0; order < 3; order++) await place("BUY", "49960.00", "0.010");
  await place("BUY", "49960.50", "0.020");
  await place("BUY", "49961.00", "0.021");
  const handles = trader.panel("Chart").locator(".line-handle > *");
  for (const text of ["Buy 0.030 (3 orders)", "Buy 0.020"]) {
    await handles.filter({ hasText: text }).waitFor();
  }
  // The farthest one from the market has a handle if there is room, else it is counted.
  await handles
    .filter({ hasText: /Buy 0\.021|^\+1$/ })
    .first()
    .waitFor();
  assert.equal(await handles.filter({ hasText: "Buy 0.010" }).count(), 0);
  // The handles follow the lines with the next layout of the chart.
  await until("handles beside each other", async () => ((await isCovered()) ? null : true));
});

/** Whether a handle lies on another one. */
async function isCovered(): Promise<boolean> {
  const shown = await trader.page.evaluate<{ x: number; y: number; right: number }[]>(
    `[...document.querySelectorAll(".line-handle > *")].map((handle) => {
      const { x, y, right } = handle.getBoundingClientRect();
      return { x, y, right };
    })`,
  );
  return shown.some((one, index) =>
    shown.slice(index + 1).some(({ x, y, right }) => {
      return Math.abs(y - one.y) < 18 && x < one.right && one.x < right;
    }),
  );
}

test("WEB-47 times are in the zone that the user chose, with its name, on chart, tape and clock", async () => {
  const zoned = await trader.page
    .context()
    .browser()
    ?.newContext({
      timezoneId: "Asia/Kolkata",
      locale: "en-GB",
      viewport: { width: 1440, height: 900 },
    });
  assert.ok(zoned !== undefined);
  const page = await zoned.newPage();
  await page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  const row = page
    .getByRole("list", { name: /^Recent trades/ })
    .getByRole("time")
    .first();
  const clock = page.getByRole("banner").getByRole("button", { name: /UTC/ });
  const times = async () => ({
    iso: String(await row.getAttribute("datetime")),
    shown: await row.textContent(),
  });
  await row.waitFor();
  await page.getByText("Time (UTC+5:30)").waitFor();
  const local = await times();
  const told = (timeZone: string, iso: string) =>
    new Date(iso).toLocaleTimeString("en-GB", { timeZone, timeStyle: "medium" });
  assert.equal(local.shown, told("Asia/Kolkata", local.iso));
  await clock.click();
  await page.getByText("Time (UTC)").waitFor();
  const utc = await times();
  assert.equal(utc.shown, told("UTC", utc.iso));
  await page.locator(".canvas").getByRole("button", { name: "UTC", exact: true }).waitFor();
  await page.reload();
  await page.getByText("Time (UTC)").waitFor();
  await zoned.close();
});

test("WEB-40 the chart fills the screen, and Escape ends it", async () => {
  const chart = trader.panel("Chart");
  await trader.page.getByRole("button", { name: "Full screen" }).click();
  await trader.page.locator(".full-chart").waitFor();
  const full = await chart.boundingBox();
  assert.ok(full !== null && full.width >= 1440 && full.x === 0);
  await trader.page.keyboard.press("Escape");
  await trader.page.locator(".full-chart").waitFor({ state: "detached" });
});
