// Proves the terminal as a user has it: the real page of a real venue in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Browser, Locator, Page, WebSocketRoute } from "playwright-core";
import { until } from "../epochs/epoch-waits.ts";
import { openBrowser } from "../support/client/browser.ts";
import { freePort } from "../support/free-port.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let browser: Browser;
let page: Page;
let maker: Trader;
/** Errors that the browser reported: refused scripts, failed requests, thrown errors. */
const complaints: string[] = [];

before(async () => {
  const port = String(await freePort());
  fixture = await VenueFixture.open({ DEV_TOOLS: "1", PORT: port, EPOCH_SECONDS: "1" });
  maker = await fixture.trader();
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (line) => {
    if (line.type() === "error") complaints.push(line.text());
  });
});
after(async () => {
  await browser?.close();
  await fixture?.close();
});

async function offer(side: "BUY" | "SELL", price: string, quantity: string): Promise<void> {
  const order = { symbol: "BTCUSDT", side, type: "LIMIT", timeInForce: "GTC", price, quantity };
  const { status, json } = await fixture.signed(maker, "POST", "/fapi/v1/order", order);
  assert.equal(status, 200, JSON.stringify(json));
}

function panel(name: string): Locator {
  return page.locator(`.panel[data-name="${name}"]`);
}

function open(place: string): Promise<unknown> {
  return page.goto(`${fixture.address}/#/${place}`);
}

async function fill(label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text);
}

async function tab(name: string | RegExp): Promise<Locator> {
  const account = panel("Account");
  await account.getByRole("tab", { name }).click();
  return account;
}

/** Resolves when the element shows the text. */
async function shows(place: Locator, text: string | RegExp): Promise<void> {
  await place.getByText(text).first().waitFor();
}

test("WEB-1 the page loads only from the venue, under a policy that forbids everything else", async () => {
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  const response = await page.goto(`${fixture.address}/`);
  const policy = (await response?.headerValue("content-security-policy")) ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  await shows(page.locator("header"), "Live");
  assert.deepEqual([...hosts], [new URL(fixture.address).host]);
  assert.deepEqual(complaints, []);
});

test("WEB-2 a key made in the browser logs in, and the faucet's money arrives", async () => {
  await open("wallet");
  await page.getByRole("button", { name: "Create a key and log in" }).click();
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("perp");
  await page.getByRole("button", { name: "Get test funds" }).click();
  await shows(page.getByRole("region", { name: "Balances" }), "10,000.000000");
  const extractable = await page.evaluate(`(async () => {
    const done = (asked) => new Promise((resolve) => asked.addEventListener("success", resolve));
    const opening = indexedDB.open("rialto", 1);
    await done(opening);
    const stored = opening.result.transaction("keys").objectStore("keys").get("wallet");
    await done(stored);
    return stored.result.pair.privateKey.extractable;
  })()`);
  assert.equal(extractable, false);
});

test("WEB-16 money moves between wallets, and the page shows the venue's message for what the ledger cannot do", async () => {
  await page.getByRole("combobox", { name: "From", exact: true }).selectOption("perp");
  await page.getByRole("combobox", { name: "To", exact: true }).selectOption("spot");
  await page.getByRole("textbox", { name: "Amount", exact: true }).first().fill("25");
  await page.getByRole("button", { name: "Transfer", exact: true }).click();
  await shows(page.locator("main"), "Transferred 25 USDC from perp to spot.");
  await shows(page.locator("main"), "No deposits or withdrawals yet.");
  await page.getByRole("button", { name: "Show deposit address" }).click();
  await shows(page.locator("main"), "the ledger network is unreachable");
  await fill("Amount to withdraw", "25");
  await fill("Destination party", "unknown");
  await shows(page.locator("main"), "This is no party id");
  await fill("Destination party", `alice::1220${"ab".repeat(32)}`);
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await page.getByRole("button", { name: "Withdraw now" }).click();
  await shows(page.locator("main"), "Nothing was sent, and nothing left your wallet.");
  complaints.length = 0;
});

test("WEB-27 without a trade in 24 hours the page shows no figures, whatever prices the ticker contains", async () => {
  const opened = async (count: number) => {
    const other = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const prices = { lastPrice: "60000.00", highPrice: "60000.00", lowPrice: "60000.00" };
    const change = { priceChange: "0.00", priceChangePercent: "0.00" };
    const json = { ...prices, ...change, quoteVolume: "120.00", count };
    await other.route("**/compat/fapi/v1/ticker/24hr*", (route) => route.fulfill({ json }));
    // The test plays the stream, whose ticker would replace this one within a second.
    let listen = (_socket: WebSocketRoute): void => undefined;
    const listening = new Promise<WebSocketRoute>((resolve) => {
      listen = resolve;
    });
    await other.routeWebSocket(/\/compat\/stream/, (socket) => {
      socket.onMessage((text) => {
        if (String(text).includes("btcusdt@markPrice")) listen(socket);
      });
    });
    const answering = other.waitForResponse(/24hr/);
    await other.goto(`${fixture.address}/#/trade/BTC-PERP`);
    await (await answering).finished();
    const socket = await listening;
    // A mark that is shown proves that the page has taken what came before it.
    const data = { e: "markPriceUpdate", s: "BTCUSDT", p: "61234.00", i: "0.00", r: "0", T: 0 };
    socket.send(JSON.stringify({ stream: "btcusdt@markPrice", data }));
    await shows(other.locator(".market-bar"), "61,234.00");
    return other;
  };
  const figures = (of: Page) => of.locator(".market-bar dd").allTextContents();
  const traded = await opened(1);
  const all = ["60,000.00", "0.00 %", "60,000.00", "60,000.00", "120"];
  await until("the figures of a market with a trade", async () =>
    isDeepStrictEqual((await figures(traded)).slice(0, 5), all) ? true : null,
  );
  await traded.close();
  const untraded = await opened(0);
  assert.deepEqual((await figures(untraded)).slice(0, 5), Array(5).fill("–"));
  await untraded.close();
});

test("WEB-3 a fill appears in the chart, the recent trades, the book and the position", async (context) => {
  await offer("SELL", "50000.00", "0.500");
  await open("trade/BTC-PERP");
  await shows(panel("Book"), "50,000.00");
  await panel("Book")
    .getByRole("button", { name: /50,000.00.*ask/ })
    .click();
  await fill("Quantity (BTC)", "0.100");
  await fill("Take profit", "55000");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), "Order filled: 0.100 BTC at 50,000.00");
  const acknowledged = performance.now();
  await Promise.all([
    shows(panel("Trades"), "50,000.00"),
    shows(page.locator(".market-bar dd").first(), "50,000.00"),
    shows(panel("Book"), "0.400"),
    panel("Account")
      .getByRole("tab", { name: /Positions 1/ })
      .waitFor(),
  ]);
  // Only report this time; do not assert a limit, because the time depends on other load on the machine.
  context.diagnostic(
    `all panels show the fill ${Math.round(performance.now() - acknowledged)} ms after the answer`,
  );
  await shows(await tab("Positions"), "LONG 10×");
  await shows(await tab("Open orders"), "TAKE PROFIT MARKET");
  await page.locator(".chart-state:empty").waitFor({ state: "attached" });
});

test("WEB-30 the leverage is changed beside the market, and no order changes it", async () => {
  await page.getByRole("button", { name: "Leverage of BTC-PERP: 10×" }).click();
  const dialog = page.getByRole("dialog", { name: "Leverage of BTC-PERP" });
  await dialog.getByRole("slider").fill("20");
  await dialog.getByRole("button", { name: "Set 20×" }).click();
  await shows(await tab("Positions"), "LONG 20×");
  await fill("Price (USDT)", "50000");
  await fill("Quantity (BTC)", "0.010");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), "Order filled: 0.010 BTC");
  await shows(await tab("Positions"), "0.110");
  await shows(panel("Account"), "LONG 20×");
});

test("WEB-4 the user's own order is marked in the book and disappears when it is cancelled", async () => {
  await fill("Price (USDT)", "49000");
  await fill("Quantity (BTC)", "0.050");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), "Order open: 0.050 BTC at 49,000.00");
  await page.getByRole("button", { name: /49,000.00.*bid.*your order/ }).waitFor();
  const account = await tab("Open orders");
  await account
    .getByRole("row", { name: /49,000/ })
    .getByRole("button", { name: "Cancel" })
    .click();
  await panel("Book")
    .getByRole("button", { name: /49,000.00.*bid/ })
    .waitFor({ state: "detached" });
});

test("WEB-5 the page explains an invalid order before sending it, and shows a refusal with the venue's message", async () => {
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), "Enter a quantity");
  await fill("Price (USDT)", "49000.001");
  await fill("Quantity (BTC)", "1");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), "Price: use a multiple of 0.01");
  await fill("Price (USDT)", "900000");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(
    panel("Order"),
    /^Price is too far from the mark price: at least [\d,.]+, at most [\d,.]+$/,
  );
  await fill("Price (USDT)", "49000");
  await fill("Quantity (BTC)", "50");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), /^Insufficient available balance\. .*\d USDC/);
});

test("WEB-24 an order whose answer was lost is sent again with the same idempotency key, and placed once", async () => {
  const keys: string[] = [];
  await page.route("**/v1/orders", async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    keys.push(route.request().postDataJSON().idempotency_key);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await fill("Price (USDT)", "48000");
  await fill("Quantity (BTC)", "0.002");
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), /^Order open: 0\.002 BTC at 48,000\.00$/);
  await page.unrouteAll({ behavior: "wait" });
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  const rows = (await tab("Open orders")).getByRole("row", { name: /48,000/ });
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  await rows.getByRole("button", { name: "Cancel" }).click();
  await rows.waitFor({ state: "detached" });
});

test("WEB-21 without collateral the page shows why there is no liquidation price", async () => {
  const poor = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await poor.goto(`${fixture.address}/#/trade/BTC-PERP`);
  await poor.getByRole("button", { name: "Create a key and log in" }).click();
  await poor.getByLabel("Price (USDT)", { exact: true }).fill("48000");
  await poor.getByLabel("Quantity (BTC)", { exact: true }).fill("0.1");
  const estimate = poor.locator(".estimate");
  await shows(estimate, "4,800.00");
  await shows(estimate, "Available USDC");
  await shows(estimate, "None: not enough margin");
  await poor.close();
});

test("WEB-19 one press fills in the whole available balance, and the venue accepts the order", async () => {
  await fill("Price (USDT)", "48000");
  await panel("Order").getByRole("button", { name: "100 %" }).click();
  await page.getByRole("button", { name: "Buy BTC", exact: true }).click();
  await shows(panel("Order"), /^Order open: [\d.]+ BTC at 48,000\.00$/);
  await (await tab("Open orders"))
    .getByRole("row", { name: /48,000/ })
    .getByRole("button", { name: "Cancel" })
    .click();
  await panel("Book")
    .getByRole("button", { name: /48,000.00.*bid/ })
    .waitFor({ state: "detached" });
});

test("WEB-6 a key is created, shown once and revoked", async () => {
  await open("keys");
  await fill("Label", "my-bot");
  await page.getByRole("button", { name: "Create API key" }).click();
  const made = page.getByRole("region", { name: "New API key" });
  const secret = await made.getByRole("definition").nth(1).textContent();
  assert.match(secret ?? "", /^\w{64}$/);
  await page.getByRole("button", { name: "Revoke my-bot" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await shows(page.locator("main"), "my-bot revoked.");
  assert.equal(await made.count(), 0);
});

test("WEB-7 the proof of a trade is checked in the page, step by step", async () => {
  const proof = `${fixture.address}/v1/chain/proof?ref_id=t-1`;
  await until("the trade's epoch", async () => ((await fetch(proof)).status === 200 ? true : null));
  await open("chain");
  await fill("Journal entry (57), order (o-12) or trade (t-3)", "t-1");
  await page.getByRole("button", { name: "Verify" }).click();
  const verdict = page.getByRole("region", { name: "Verdict" }).first();
  await shows(verdict, "Verified.");
  assert((await verdict.getByRole("listitem").count()) >= 6);
});

test("WEB-88 a checked proof says in words what was recorded, and which step was not checked", async () => {
  // The user's own side of the trade comes first.
  const record = page.getByRole("heading", { name: "Trade t-1: record of the trade" });
  const verdict = page.getByRole("region", { name: "Verdict" }).filter({ has: record });
  await verdict.waitFor();
  for (const fact of ["BTC-PERP", /^(BUY|SELL) \(taker\)$/, /^\d+\.\d{3}$/]) {
    await verdict.getByRole("definition").getByText(fact).waitFor();
  }
  await shows(verdict.getByRole("listitem").last(), "Not checked here.");
  await shows(verdict, "the ledger was not read");
});

test("WEB-22 each of the user's trades and orders links to its verification, by keyboard too", async () => {
  const requested = page.getByLabel("Journal entry (57), order (o-12) or trade (t-3)", {
    exact: true,
  });
  const follow = async (list: string | RegExp, name: string, reference: string) => {
    await open("trade/BTC-PERP");
    await (await tab(list)).getByRole("link", { name, exact: true }).press("Enter");
    await page.getByRole("heading", { name: "Verify an order or trade" }).waitFor();
    await until(reference, async () =>
      (await requested.inputValue()) === reference ? true : null,
    );
  };
  await follow("Trade history", "Verify t-1", "t-1");
  await requested.press("Enter");
  await shows(page.getByRole("region", { name: "Verdict" }).first(), "Verified.");
  await follow("Order history", "Verify o-2", "o-2");
});

test("WEB-8 the page survives a restart of the venue", async () => {
  await open("trade/BTC-PERP");
  await shows(panel("Book"), "50,000.00");
  await fixture.restart();
  await shows(page.locator("header"), "Live");
  await offer("BUY", "48000.00", "0.250");
  await shows(panel("Book"), "48,000.00");
  await shows(await tab("Positions"), "LONG 20×");
});

test("WEB-9 logging out ends the session and shows nothing of the account", async () => {
  await page.getByRole("button", { name: "Log out" }).click();
  await shows(panel("Account"), "Log in to see your account.");
  await shows(panel("Order"), "Your key is stored in this browser.");
});

test("WEB-20 WEB-26 WEB-133 a market that accepts no orders says so, and a delisted market cannot be chosen", async () => {
  const { access } = fixture.operator;
  const picker = page.getByRole("region", { name: "Market", exact: true });
  await open("trade/CC-USDC");
  await page.getByRole("button", { name: "Market CC-USDC" }).waitFor();
  assert.equal(await page.locator(".market-notice").textContent(), "");
  await access.halt("CC-USDC");
  await shows(page.locator(".market-notice"), "CC-USDC is halted. It accepts no orders for now.");
  await shows(panel("Order"), "CC-USDC is halted. It accepts no orders for now.");
  await access.delist("CC-USDC");
  await page.reload();
  await shows(panel("Order"), "CC-USDC is delisted. It no longer accepts orders.");
  await panel("Book").getByText("No open orders.", { exact: true }).waitFor();
  await open("trade/BTC-PERP");
  await shows(panel("Order"), "Your key is stored in this browser.");
  await page.getByRole("button", { name: "Market BTC-PERP" }).click();
  await picker.getByRole("link", { name: "ETH-PERP" }).waitFor();
  assert.doesNotMatch((await picker.textContent()) ?? "", /CC-USDC/);
});
