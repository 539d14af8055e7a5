// Journeys of an account that comes close to its liquidation: it is told once, a stop that comes too late is named, and
// numbers in the page's own format are understood.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../../epochs/epoch-waits.ts";
import { untilTrue } from "../../support/client/page-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;
/** The maintenance margin that the page reads, as a part of the wallet; null for the venue's own. */
let part: number | null = null;
/** Whether only the next answer says so; the answer after it is held until `release`. */
let isOnce = false;
let held: Promise<void> | null = null;
let release = (): void => undefined;
let reads = 0;
/** Reads that were asked for and not answered yet. */
let open = 0;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "2000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  // Instead of a market that falls to the cent.
  await trader.page.route("**/fapi/v2/account?*", async (route) => {
    await held;
    open += 1;
    // Not beside another one, whose older answer may come later.
    const share = isOnce && open > 1 ? null : part;
    if (isOnce && open === 1) {
      part = null;
      isOnce = false;
      held = new Promise((resolve) => {
        release = resolve;
      });
    }
    const response = await route.fetch();
    const json = await response.json();
    reads += 1;
    const raised = (Number(json.totalWalletBalance) * (share ?? 0)).toFixed(6);
    const changed = share === null ? json : { ...json, totalMaintMargin: raised };
    await route.fulfill({ response, json: changed });
    open -= 1;
  });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "3.000");
  await trader.offer("BTCUSDT", "BUY", "49980.00", "3.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
  await trader.kind("Market");
  await trader.press("Buy");
  await trader.fill("Quantity (BTC)", "0.300");
  await trader.press("Buy BTC");
  await trader.told("Order filled");
  await trader.tab("Positions");
  await trader.row("LONG", "0.300").waitFor();
});
after(() => trader?.close());

const strip = () => trader.page.locator('.risk[aria-label="Perpetual account"]');
const calls = () =>
  trader.page.getByRole("region", { name: "Notifications", exact: true }).getByText(/^Margin call/);

/** Waits until the strip shows a margin ratio that begins like this. */
const ratio = (text: RegExp) => strip().getByText(text).waitFor();

test("WEB-105 a margin ratio above 80 % is told once an episode, and in the strip while it lasts", async () => {
  part = 0.85;
  await ratio(/^8\d\.\d\d % · margin call$/);
  await trader.noticed(/^Margin call: margin ratio 8\d\.\d\d %, equity [\d,.]+ USDC\./);
  part = 0.78;
  await ratio(/^7\d\.\d\d %$/);
  part = 0.85;
  await ratio(/margin call$/);
  await trader.page.getByRole("button", { name: /^Notifications/ }).click();
  await calls().first().waitFor();
  assert.equal(await calls().count(), 1, "the same episode");
  part = 0.5;
  await ratio(/^5\d\.\d\d %$/);
  part = 0.9;
  await ratio(/^9\d\.\d\d % · margin call$/);
  await calls().nth(1).waitFor();
  await trader.page.keyboard.press("Escape");
  part = null;
  await ratio(/^\d\.\d\d %$/);
});

test("WEB-136 a margin call is told only if the venue confirms it, for the position may be gone", async () => {
  await trader.page.getByRole("button", { name: /^Notifications/ }).click();
  await calls().nth(1).waitFor();
  const before = await calls().count();
  isOnce = true;
  part = 0.9;
  await ratio(/^9\d\.\d\d % · margin call$/);
  held = null;
  release();
  const first = reads;
  await until("two more reads", async () => (reads >= first + 2 ? true : null));
  await ratio(/^\d\.\d\d %$/);
  assert.equal(await calls().count(), before);
  await trader.page.keyboard.press("Escape");
});

test("WEB-106 a stop loss beyond the liquidation price is named as too late", async () => {
  await trader.row("LONG").getByRole("button", { name: "TP/SL BTC-PERP" }).click();
  const dialog = trader.dialog("TP/SL of BTC-PERP");
  const field = dialog.getByLabel("Stop loss of the position");
  const late = dialog.getByText(
    /^Too late: the position is liquidated at 4[\d,]+\.\d\d, before this price$/,
  );
  await field.fill("30000");
  await late.waitFor();
  await field.fill("49,000.5");
  await late.waitFor({ state: "detached" });
  assert(await dialog.getByRole("button", { name: "Set TP/SL" }).isEnabled());
  await trader.page.keyboard.press("Escape");
});

test("WEB-113 a pasted number in the page's own format is understood, and shown so once the field is left", async () => {
  await trader.kind("Limit");
  await trader.fill("Price (USDT)", "40,000.50");
  const price = trader.panel("Order").getByLabel("Price (USDT)", { exact: true });
  assert.equal(await price.inputValue(), "40,000.50", "as it was typed");
  await trader.page.keyboard.press("Tab");
  assert.equal(await price.inputValue(), "40000.50");
  await trader.fill("Quantity (BTC)", "0.010");
  await trader.press("Buy BTC");
  await trader.told("Order open");
  await trader.tab("Open orders");
  await trader.row("40,000.50", "0.010").waitFor();
});

test("WEB-107 the line of a guard shows what it would bring while it is moved", async () => {
  // A trade at 49,980, so that the chart shows the prices from there to 50,000.
  await trader.kind("Market");
  await trader.press("Sell");
  await trader.fill("Quantity (BTC)", "0.100");
  await trader.press("Sell BTC");
  await trader.told("Order filled");
  await trader.tab("Positions");
  await trader.row("LONG", "0.200").getByRole("button", { name: "TP/SL BTC-PERP" }).click();
  const dialog = trader.dialog("TP/SL of BTC-PERP");
  await dialog.getByLabel("Take profit of the position").fill("49995");
  await dialog.getByRole("button", { name: "Set TP/SL" }).click();
  await dialog.waitFor({ state: "detached" });
  const handle = trader.page.getByRole("slider", {
    name: "Price of your order: Take profit position BTC",
  });
  await handle.focus();
  for (let at = 0; at < 5; at += 1) await trader.page.keyboard.press("Shift+ArrowUp");
  await handle.getByText("49,995.05 -0.99").waitFor();
  await trader.page.keyboard.press("Escape");
});

test("WEB-111 at 1024 pixels every figure of a position is in sight, and the names of kinds are whole", async () => {
  await trader.page.setViewportSize({ width: 1024, height: 768 });
  await trader.row("LONG").waitFor();
  const cut = await trader.page.evaluate(`(() => {
    const table = document.querySelector('.panel.account section[aria-label="Positions"]');
    return table.scrollWidth - table.clientWidth;
  })()`);
  assert(Number(cut) <= 0, `${cut} pixels are out of sight`);
  await trader.kind("Stop market");
  const room = await trader.page.evaluate(`(() => {
    const select = document.querySelector('select[aria-label="More order types"]');
    const pen = document.createElement("canvas").getContext("2d");
    const style = getComputedStyle(select);
    pen.font = style.font;
    const text = pen.measureText(select.selectedOptions[0].textContent).width;
    return select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - text;
  })()`);
  assert(Number(room) >= 0, `${room} pixels are missing`);
  await trader.page.setViewportSize({ width: 1440, height: 900 });
});

test("WEB-108 a transfer is filled in from a wallet that has money, and six thousand is not six", async () => {
  await trader.page.goto(`${trader.fixture.address}/#/wallet`);
  const from = trader.page.getByRole("combobox", { name: "From", exact: true });
  await from.waitFor();
  await untilTrue(
    trader.page,
    `[...document.querySelectorAll("label")].find((one) => one.textContent.startsWith("From"))
      .querySelector("select").value === "perp"`,
  );
  await trader.page.getByRole("textbox", { name: "Amount", exact: true }).first().fill("6,000");
  await trader.page.getByText(/^Only [\d,.]+ USDC available in your perp wallet\.$/).waitFor();
});
