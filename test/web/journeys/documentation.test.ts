// Proves what a reader can do on the pages of the REST reference: choose a language, copy an example, see a sample answer,
// and send a request to the venue, signed with a key that stays in the page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { assertAccessible } from "../../support/client/accessibility.ts";
import { openBrowser } from "../../support/client/browser.ts";
import { untilSaid } from "../../support/client/page-waits.ts";
import { type Trader, VenueFixture } from "../../support/venue/venue-fixture.ts";

let venue: VenueFixture;
let trader: Trader;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

before(async () => {
  venue = await VenueFixture.open();
  trader = await venue.trader();
  browser = await openBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${venue.address}/docs/rest/spot`);
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

const tabs = (name: string) => page.getByRole("group", { name: `Example of ${name}`, exact: true });

test("DOC-12 a reader chooses a language once for all examples and pages, and copies an example", async () => {
  const order = page.locator('.samples[data-name="POST /api/v3/order"]');
  await tabs("POST /api/v3/order").getByRole("button", { name: "Python" }).click();
  const shown = order.locator("pre:visible");
  assert.match(
    (await shown.textContent()) ?? "",
    /^print\(signed\("POST", "\/api\/v3\/order", "symbol=/,
  );
  const depth = page.locator('.samples[data-name="GET /api/v3/depth"] pre:visible');
  assert.match((await depth.textContent()) ?? "", /^print\(get\(/);
  await untilSaid(page, "Copied", () => order.getByRole("button", { name: "Copy" }).click());
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), await shown.textContent());
  await page.goto(`${venue.address}/docs/rest/perpetuals`);
  const perp = page.locator('.samples[data-name="POST /fapi/v1/order"] pre:visible');
  assert.match((await perp.textContent()) ?? "", /^print\(signed\(/);
});

test("DOC-12 a reader sends a public and a signed request, and the secret leaves the page only as a signature", async () => {
  await page.goto(`${venue.address}/docs/rest/spot`);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
  await page.getByRole("button", { name: "Try it: GET /api/v3/depth", exact: true }).click();
  await page
    .getByRole("form", { name: "Request to GET /api/v3/depth" })
    .getByRole("button")
    .click();
  const depth = page.getByRole("status", { name: "Answer of GET /api/v3/depth" });
  await depth.getByText(/^200 OK\s+\{\s+"lastUpdateId"/).waitFor();
  await page.getByRole("button", { name: "Try it: POST /api/v3/order", exact: true }).click();
  const form = page.getByRole("form", { name: "Request to POST /api/v3/order" });
  await form.getByText("This changes your account on this venue.").waitFor();
  await form.getByLabel("API key").fill(trader.key);
  await form.getByRole("button", { name: "Send POST" }).click();
  const placed = page.getByRole("status", { name: "Answer of POST /api/v3/order", exact: true });
  await placed.getByText("Enter the secret of the key.").waitFor();
  await form.getByLabel("Secret").fill(trader.secret);
  await form.getByRole("button", { name: "Send POST" }).click();
  await placed.getByText(/"clientOrderId": "spot-1"/).waitFor();
  const { json } = await venue.signed(trader, "GET", "/api/v3/openOrders", { symbol: "CC-USDC" });
  assert.equal((json as readonly unknown[]).length, 1);
  // Another console of the page has the same key already.
  await page.getByRole("button", { name: "Try it: GET /api/v3/account", exact: true }).click();
  const account = page.getByRole("form", { name: "Request to GET /api/v3/account", exact: true });
  await account.getByRole("button").click();
  await page
    .getByRole("status", { name: "Answer of GET /api/v3/account", exact: true })
    .getByText(/"balances"/)
    .waitFor();
  assert.ok(sent.some((one) => one.includes("signature=")));
  assert.ok(sent.every((one) => !one.includes(trader.secret)));
  const kept = await page.evaluate(
    "JSON.stringify([localStorage, sessionStorage, document.cookie])",
  );
  assert.ok(!String(kept).includes(trader.secret) && !String(kept).includes(trader.key));
  assert.deepEqual(complaints, []);
});

test("DOC-12 a refusal of the venue is shown with its status", async () => {
  const form = page.getByRole("form", { name: "Request to POST /api/v3/order", exact: true });
  await form.getByLabel("Query").fill("symbol=CC-USDC&side=BUY");
  await form.getByRole("button", { name: "Send POST" }).click();
  const answer = page.getByRole("status", { name: "Answer of POST /api/v3/order", exact: true });
  await answer.getByText(/^400 Bad Request\s+\{\s+"code": -1/).waitFor();
});

test("DOC-12 a request whose path needs an id is sent once the reader has given it", async () => {
  await page.goto(`${venue.address}/docs/rest/native`);
  const name = "GET /v1/chain/epochs/{id}";
  await page.getByRole("button", { name: `Try it: ${name}`, exact: true }).click();
  const form = page.getByRole("form", { name: `Request to ${name}` });
  const answer = page.getByRole("status", { name: `Answer of ${name}` });
  await form.getByRole("button", { name: "Send GET" }).click();
  await answer.getByText("Replace {id} in the path.").waitFor();
  await form.getByLabel("Path").fill("/v1/chain/epochs/1");
  await form.getByRole("button", { name: "Send GET" }).click();
  await answer.getByText(/^404 /).waitFor();
  await page.goto(`${venue.address}/docs/rest/spot`);
});

test("DOC-14 the page shows the recorded answer to its own example", async () => {
  const samples = page.locator('.samples[data-name="POST /api/v3/order"]');
  const answer = JSON.parse((await samples.locator("~ .code pre").first().textContent()) ?? "");
  assert.deepEqual(
    [answer.clientOrderId, answer.status, answer.executedQty, answer.price, answer.fills],
    ["spot-1", "NEW", "0.0", "0.1000", []],
  );
  const ticker = page.locator('.samples[data-name="GET /api/v3/ticker/price"] ~ .code pre').first();
  assert.ok(Array.isArray(JSON.parse((await ticker.textContent()) ?? "")));
});

test("DOC-16 examples have the venue's own address, and the link to the content shows only with the focus", async () => {
  for (const path of ["guides/trade-with-a-key", "guides/python", "guides/listen-to-a-venue"]) {
    await page.goto(`${venue.address}/docs/${path}`);
    const code = (await page.locator("main code").allTextContents()).join("\n");
    assert.ok(!code.includes("//127.0.0.1:8080"), path);
    assert.ok(code.includes(venue.address.replace("http:", "")), path);
  }
  for (const path of ["/docs", "/no-such-page"]) {
    await page.goto(venue.address + path);
    const link = page.getByRole("link", { name: "Skip to content" });
    assert.ok(((await link.boundingBox())?.x ?? 0) < -100, path);
    await page.keyboard.press("Tab");
    await link.and(page.locator(":focus")).waitFor();
    assert.ok(((await link.boundingBox())?.x ?? -1) >= 0, path);
  }
  await page.goto(`${venue.address}/docs/rest/spot`);
});

test("DOC-17 endpoints are grouped by topic, beginning with what needs no key", async () => {
  const topics = await page.locator("main h2").allTextContents();
  assert.deepEqual(topics.slice(0, 4), ["Market data", "Orders", "Order lists", "Account"]);
  const endpoints = await page.locator("main h3").allTextContents();
  const placeOf = (name: string) => endpoints.indexOf(name);
  assert.ok(placeOf("GET /api/v3/ping") === 0 && placeOf("POST /api/v3/order") > 0);
  assert.ok(placeOf("DELETE /api/v3/order") > placeOf("POST /api/v3/order/cancelReplace"));
  assert.ok(placeOf("POST /api/v3/mmpReset") > placeOf("POST /api/v3/mmpSet"));
});

test("DOC-13 every endpoint with an answer shows a sample of it, and pages for users name no internals", async () => {
  const order = page.locator("h3#getApiV3Depth ~ .code pre").first();
  assert.ok("bids" in JSON.parse((await order.textContent()) ?? ""));
  // The name of a parameter is never broken, even where the table is wider than the screen.
  await page.setViewportSize({ width: 390, height: 844 });
  const name = page.getByRole("cell", { name: "selfTradePreventionMode" }).first().locator("code");
  const box = await name.boundingBox();
  assert.ok(box !== null && box.height < 30, JSON.stringify(box));
  await page.setViewportSize({ width: 1440, height: 900 });
  const places = await page.locator("nav.places").getByRole("link").allTextContents();
  assert.ok(places.indexOf("Style") > places.indexOf("Architecture"), places.join());
});

test("DOC-4 DOC-12 the consoles break no rule of accessibility, wide or narrow", async () => {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
    await assertAccessible(page, { what: `consoles, ${width}`, within: ".samples" });
  }
});
