// Journeys with the user's own limits, with orders that the page makes of several, and with what can go wrong between
// page and venue.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "100000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "0.100");
  await trader.offer("BTCUSDT", "SELL", "51000.00", "5.000");
  await trader.offer("BTCUSDT", "BUY", "49900.00", "3.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
});
after(() => trader?.close());

async function settings(values: Readonly<Record<string, string>>, confirms: boolean) {
  await trader.press("Order settings");
  const dialog = trader.dialog("Order settings");
  await dialog.getByLabel("Confirm each order before it is sent").setChecked(confirms);
  for (const [label, text] of Object.entries(values)) await dialog.getByLabel(label).fill(text);
  await dialog.getByRole("button", { name: "Save settings" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function limit(price: string, quantity: string): Promise<void> {
  await trader.kind("Limit");
  await trader.fill("Price (USDT)", price);
  await trader.fill("Quantity (BTC)", quantity);
  await trader.press("Buy BTC");
}

test("WEB-36 an order is sent only after its confirmation, and the settings outlive a reload", async () => {
  await settings({ "Largest order value (USDT)": "5000" }, true);
  await trader.page.reload();
  await limit("45000", "0.010");
  const dialog = trader.dialog("Confirm order");
  await dialog.getByText("Buy 0.010 BTC on BTC-PERP").waitFor();
  await dialog.getByText("Limit at 45,000.00").waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await trader.told("Not sent.");
  assert.equal(await trader.row("45,000.00").count(), 0);
  await trader.press("Buy BTC");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await trader.told("Order open: 0.010 BTC at 45,000.00");
});

test("WEB-36 an order above the user's largest value or too far from the mark is not sent", async () => {
  await limit("45000", "0.200");
  await trader.told(
    /^Your own limit: an order of at most 5,000 USDT\. This one is 9,000\.00 USDT\.$/,
  );
  const distance = { "Largest distance of a price from the mark (%)": "5" };
  await settings({ ...distance, "Largest order value (USDT)": "" }, false);
  await limit("40000", "0.010");
  await trader.told(/^Your own limit: a price at most 5 % from [\d,.]+\.$/);
  await settings({ "Largest distance of a price from the mark (%)": "" }, false);
});

test("WEB-36 with a slippage limit a market order trades no further than that beyond the best price", async () => {
  await settings({ "Slippage of market orders (%)": "0.5" }, false);
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "0.150");
  await trader.press("Buy BTC");
  await trader.told("Order expired: 0.100 of 0.150 BTC filled");
});

test("WEB-92 the order history says why an order ended", async () => {
  await trader.tab("Order history");
  await trader.row("EXPIRED", "0.150", "the rest could not be filled at once").waitFor();
  await trader.tab("Open orders");
});

test("WEB-98 while the user is asked, the ticket does not say that it waits for the venue", async () => {
  await settings({ "Slippage of market orders (%)": "" }, true);
  await limit("44000", "0.010");
  const dialog = trader.dialog("Confirm order");
  await dialog.waitFor();
  // Longer than a form waits before it says so.
  await trader.page.waitForTimeout(3_000);
  assert.equal(await trader.page.getByText("Waiting for the venue…").count(), 0);
  let isHeld = true;
  await trader.page.route("**/v1/orders", async (route) => {
    while (isHeld) await trader.page.waitForTimeout(100);
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await trader.told("Waiting for the venue…");
  isHeld = false;
  await trader.told("Order open: 0.010 BTC at 44,000.00");
  await trader.page.unrouteAll({ behavior: "wait" });
  await settings({ "Slippage of market orders (%)": "0.5" }, false);
  await trader.kind("Market");
});

test("WEB-36 the largest value stops all of a market order, and its confirmation says what will expire", async () => {
  const most = "Largest order value (USDT)";
  await trader.offer("BTCUSDT", "SELL", "50000.00", "0.100");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
  await settings({ [most]: "6000" }, true);
  await trader.fill("Quantity (BTC)", "0.200");
  await trader.press("Buy BTC");
  await trader.told(
    /^Your own limit: an order of at most 6,000 USDT\. This one is 10,\d+\.00 USDT\.$/,
  );
  await settings({ [most]: "" }, true);
  await trader.press("Buy BTC");
  const dialog = trader.dialog("Confirm order");
  await dialog.getByText("At most 0.5 % worse than the best price").waitFor();
  await dialog.getByText(/^Within 0\.5 % .* 0\.100 BTC will expire\.$/).waitFor();
  await dialog.getByRole("button", { name: "Back" }).click();
  await trader.told("Not sent.");
  await settings({}, false);
});

test("WEB-36 the limits of a position's closing look at its own market", async () => {
  await trader.offer("ETHUSDT", "SELL", "3000.00", "1.000");
  await trader.page.goto(`${trader.fixture.address}/#/trade/ETH-PERP`);
  await trader.panel("Book").getByText("3,000.00").first().waitFor();
  await trader.kind("Market");
  await trader.fill("Quantity (ETH)", "1.000");
  await trader.press("Buy ETH");
  await trader.told("Order filled: 1.000 ETH at 3,000.00");
  await trader.page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  await trader.panel("Book").getByText("51,000.00").first().waitFor();
  await settings({ "Largest distance of a price from the mark (%)": "50" }, false);
  await trader.tab("Positions");
  await trader.row("ETH-PERP").getByRole("button", { name: "Close ETH-PERP" }).click();
  const dialog = trader.dialog("Close ETH-PERP");
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog.getByText("Your own slippage limit: nobody buys on ETH-PERP now.").waitFor();
  await dialog.getByRole("button", { name: "Limit", exact: true }).click();
  await dialog.getByLabel("Closing price").fill("6000");
  await dialog.getByRole("button", { name: "Close at limit" }).click();
  await dialog.getByText(/^Your own limit: a price at most 50 % from [\d,.]+\.$/).waitFor();
  await dialog.getByRole("button", { name: "Market", exact: true }).click();
  await trader.offer("ETHUSDT", "BUY", "2990.00", "1.000");
  await dialog.getByRole("button", { name: "Close at market" }).click();
  await dialog.waitFor({ state: "detached" });
  await trader.row("ETH-PERP").waitFor({ state: "detached" });
  await trader.tab("Open orders");
  await settings(
    {
      "Slippage of market orders (%)": "",
      "Largest distance of a price from the mark (%)": "",
    },
    false,
  );
});

test("WEB-36 the limits of an order's change look at its own market", async () => {
  await trader.page.goto(`${trader.fixture.address}/#/trade/ETH-PERP`);
  await trader.kind("Limit");
  await trader.fill("Quantity (ETH)", "0.100");
  await trader.fill("Price (USDT)", "2800");
  await trader.press("Buy ETH");
  await trader.told("Order open: 0.100 ETH at 2,800.00");
  await trader.page.goto(`${trader.fixture.address}/#/trade/BTC-PERP`);
  await trader.panel("Book").getByText("51,000.00").first().waitFor();
  await settings({ "Largest distance of a price from the mark (%)": "50" }, false);
  const account = await trader.tab("Open orders");
  const row = trader.row("ETH-PERP");
  await row.getByRole("button", { name: "Edit BUY ETH-PERP" }).click();
  await account.getByLabel("New price of BUY ETH-PERP").fill("500");
  await row.getByRole("button", { name: "Save BUY ETH-PERP" }).click();
  await account.getByText(/^Your own limit: a price at most 50 % from [\d,.]+\.$/).waitFor();
  await row.getByRole("button", { name: "Back" }).click();
  await row.getByRole("button", { name: "Cancel BUY ETH-PERP" }).click();
  await row.waitFor({ state: "detached" });
  await settings({ "Largest distance of a price from the mark (%)": "" }, false);
});

test("WEB-36 a limit set in another tab applies at once", async () => {
  // A frame has a window of its own, as another tab has.
  await trader.page.evaluate(`(() => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const limits = JSON.stringify({ valueMax: "100" });
    frame.contentWindow.localStorage.setItem("rialto-order-guards", limits);
    frame.remove();
  })()`);
  await trader.told("≤ 100");
  await limit("45000", "0.010");
  await trader.told(/^Your own limit: an order of at most 100 USDT\./);
  await settings({ "Largest order value (USDT)": "" }, false);
});

test("WEB-37 a scale places its orders between two prices", async () => {
  await trader.kind("Scale");
  await trader.fill("First price (USDT)", "40000");
  await trader.fill("Last price (USDT)", "43000");
  await trader.fill("Number of orders", "7");
  await trader.fill("Quantity (BTC)", "0.070");
  await trader.press("Buy BTC");
  await trader.told("7 of 7 orders placed.");
  for (const price of ["40,000.00", "40,500.00", "41,500.00", "43,000.00"]) {
    await trader.row(price, "0.010").waitFor();
  }
});

test("WEB-37 a scale that the venue refuses in part says how many orders stand", async () => {
  await trader.fill("Last price (USDT)", "900000");
  await trader.fill("Number of orders", "2");
  await trader.fill("Quantity (BTC)", "0.020");
  await trader.press("Buy BTC");
  await trader.told(/^1 of 2 orders placed: .+/);
  const quantity = trader.panel("Order").getByLabel("Quantity (BTC)", { exact: true });
  assert.equal(await quantity.inputValue(), "", "pressing again would place the first order twice");
});

test("WEB-38 a TWAP sends equal orders from this page, and stops when its user says so", async () => {
  await trader.kind("TWAP");
  await trader.fill("Minutes", "1");
  await trader.fill("Number of orders", "20");
  await trader.fill("Quantity (BTC)", "0.200");
  await trader.told("Closing, reloading or logging out stops the rest.");
  await trader.press("Buy BTC");
  const card = trader.page.getByRole("region", { name: "TWAP" });
  await card
    .getByText(/: ([2-9]|1\d) of 20 orders sent, 0\.(0[2-9]|1\d)0 of 0\.200 BTC traded\./)
    .waitFor();
  await card.getByText(/Closing this page stops it\./).waitFor();
  await card.getByRole("button", { name: "Stop TWAP" }).click();
  await card.getByText("Stopped by you.").waitFor();
  await card.getByRole("button", { name: "Dismiss" }).click();
  await card.waitFor({ state: "detached" });
});

test("WEB-38 a TWAP is stopped by a reload, and the page says what it had done", async () => {
  await trader.fill("Quantity (BTC)", "0.200");
  await trader.press("Buy BTC");
  const card = trader.page.getByRole("region", { name: "TWAP" });
  await card.getByText(/: [1-9]\d? of 20 orders sent/).waitFor();
  trader.page.once("dialog", (dialog) => void dialog.accept());
  await trader.page.reload();
  await card.getByText("Stopped, because the page was closed or reloaded.").waitFor();
  await card.getByText(/[1-9]\d? of 20 orders sent, 0\.[01]\d0 of 0\.200 BTC traded\./).waitFor();
});

test("WEB-39 a conditional order whose answer was lost is looked up, and is placed once", async () => {
  let sent = 0;
  await trader.page.route("**/compat/fapi/v1/algoOrder?*", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent++;
    await route.fetch();
    return route.abort("connectionreset");
  });
  await trader.kind("Stop market");
  await trader.fill("Trigger price (USDT)", "70000");
  await trader.fill("Quantity (BTC)", "0.031");
  await trader.press("Buy BTC");
  await trader.told("Order waiting for its trigger: 0.031 BTC");
  await trader.row("70,000.00", "0.031").waitFor();
  assert.equal(await trader.row("70,000.00", "0.031").count(), 1);
  assert.equal(sent, 1);
  await trader.page.unrouteAll({ behavior: "wait" });
});

test("WEB-39 a computer whose clock is an hour off trades, and its session's key cannot be read out", async () => {
  await trader.page.addInitScript("const now = Date.now; Date.now = () => now() + 3_600_000;");
  await trader.page.reload();
  await trader.kind("Stop market");
  await trader.fill("Trigger price (USDT)", "71000");
  await trader.fill("Quantity (BTC)", "0.032");
  await trader.press("Buy BTC");
  await trader.told("Order waiting for its trigger: 0.032 BTC");
  const extractable = await trader.page.evaluate(`(async () => {
    const done = (asked) => new Promise((resolve) => asked.addEventListener("success", resolve));
    const opening = indexedDB.open("rialto");
    await done(opening);
    const { apiKey } = JSON.parse(sessionStorage.getItem("rialto-session"));
    const stored = opening.result.transaction("keys").objectStore("keys").get("session:" + apiKey);
    await done(stored);
    return stored.result.privateKey.extractable;
  })()`);
  assert.equal(extractable, false);
});

test("WEB-38 a log-out stops a TWAP, and the page says so", async () => {
  await trader.kind("TWAP");
  await trader.fill("Minutes", "1");
  await trader.fill("Number of orders", "20");
  await trader.fill("Quantity (BTC)", "0.200");
  await trader.press("Buy BTC");
  const card = trader.page.getByRole("region", { name: "TWAP" });
  await card.getByText(/: [1-9]\d? of 20 orders sent/).waitFor();
  await trader.page.getByRole("button", { name: "Log out" }).click();
  await card.getByText("Stopped, because the session ended.").waitFor();
});
