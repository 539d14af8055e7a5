// Journeys through what the ticket says before an order is sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { WebSocketRoute } from "playwright-core";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [
    { asset: "USDC", wallet: "spot", amount: "1000" },
    { asset: "USDC", wallet: "perp", amount: "10" },
  ] as const;
  trader = await OrderJourney.open({ view: "trade/CC-USDC", deposits });
  await trader.offer("CC-USDC", "SELL", "0.2000", "1000");
  await trader.offer("CC-USDC", "SELL", "0.2020", "1000");
  await trader.offer("CC-USDC", "BUY", "0.1990", "1000");
  await trader
    .panel("Book")
    .getByText(/0\.2020/)
    .first()
    .waitFor();
});
after(() => trader?.close());

test("WEB-60 WEB-61 WEB-63 the ticket shows what a market order gets from the book, and it gets that", async () => {
  await trader.kind("Market");
  await trader.fill("Quantity (CC)", "1500");
  const estimate = trader.panel("Order").locator(".estimate");
  // 1,000 at 0.2000 and 500 at 0.2020.
  await estimate.getByText("301.00").waitFor();
  await estimate.getByText("0.200667").waitFor();
  await estimate.getByText("0.33 %").waitFor();
  await estimate.getByText(/^taker fee \d/).waitFor();
  await trader.press("Buy CC");
  await trader.told(/^Order filled: 1,500(\.0+)? CC at 0\.200667$/);
  await trader.fill("Quantity (CC)", "900");
  await trader.told("the book has too little");
});

test("WEB-61 WEB-62 the ticket says why an order would be refused, and takes old answers away", async () => {
  await trader.kind("Limit");
  await trader.fill("Quantity (CC)", "100");
  await trader.fill("Price (USDC)", "0.19005");
  await trader.told("Price: use a multiple of 0.0001");
  await trader.fill("Price (USDC)", "0.19");
  await trader.fill("Quantity (CC)", "9000");
  await trader.told(/^Needs 1,710\.00 USDC, and [\d,.]+ are available$/);
  await trader.press("Buy CC");
  // The refusal keeps the amounts.
  await trader.told(
    /^Insufficient available balance\. Needs 1,710\.00 USDC, and [\d,.]+ are available$/,
  );
  await trader.fill("Quantity (CC)", "200");
  const answer = trader.panel("Order").locator("form.order > .answer");
  await answer.filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  const risk = trader.panel("Account").getByLabel("Perpetual account");
  assert.match((await risk.textContent()) ?? "", /Perpetuals/);
});

test("WEB-62 messages end when they are no longer true: with the limit they were about, and with the edit", async () => {
  const settings = async (most: string) => {
    await trader.press("Order settings");
    const dialog = trader.dialog("Order settings");
    await dialog.getByLabel("Largest order value (USDC)").fill(most);
    await dialog.getByRole("button", { name: "Save settings" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await trader.fill("Quantity (CC)", "200");
  await trader.press("Buy CC");
  await trader.told(/^Order open: 200/);
  await settings("5");
  await trader.fill("Quantity (CC)", "300");
  await trader.press("Buy CC");
  const answer = trader.panel("Order").locator("form.order > .answer");
  await answer.filter({ hasText: "Your own limit" }).waitFor();
  const account = await trader.tab("Open orders");
  await account.getByRole("button", { name: "Edit BUY CC-USDC" }).click();
  await account.getByLabel("New quantity of BUY CC-USDC").fill("400");
  await account.getByRole("button", { name: "Save BUY CC-USDC" }).click();
  const alert = account.getByRole("alert").filter({ hasText: "Your own limit" });
  await alert.waitFor();
  await account.getByLabel("New quantity of BUY CC-USDC").press("Escape");
  await alert.waitFor({ state: "detached" });
  await settings("");
  await answer.filter({ hasText: /^$/ }).waitFor({ state: "attached" });
});

test("WEB-62 a failed request to the venue is forgotten once the venue is reached again", async () => {
  const { page } = trader;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/compat\/stream/, (opened) => {
    sockets.push(opened);
    opened.connectToServer();
  });
  await page.reload();
  await page.getByRole("banner").getByText("Live").waitFor();
  await page.route("**/v1/orders", (route) => route.abort("connectionrefused"));
  await trader.kind("Limit");
  await trader.fill("Price (USDC)", "0.19");
  await trader.fill("Quantity (CC)", "300");
  await trader.press("Buy CC");
  const text = trader.panel("Order").getByText("Cannot reach the venue");
  await text.waitFor();
  for (const socket of sockets) await socket.close();
  await text.waitFor({ state: "detached" });
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("banner").getByText("Live").waitFor();
});

test("WEB-43 a price from the book makes a market order a limit order, and the ticket says so", async () => {
  await trader.kind("Market");
  await trader
    .panel("Book")
    .getByRole("button", { name: /0\.1990/ })
    .first()
    .click();
  await trader.told("Now a limit order, because you chose a price.");
  assert.equal(
    await trader.panel("Order").getByLabel("Price (USDC)", { exact: true }).inputValue(),
    "0.1990",
  );
});

test("WEB-61 without anything available the ticket leads to the wallet that pays", async () => {
  await trader.page.goto(`${trader.fixture.address}/#/trade/CETH-USDC`);
  await trader.press("Sell");
  await trader.panel("Order").getByRole("link", { name: "Add funds" }).click();
  const funds = trader.page.locator("form").filter({ hasText: "Test funds" });
  await funds.waitFor();
  assert.equal(await funds.getByLabel("Wallet").inputValue(), "spot");
  await trader.page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
});

test("WEB-64 a log-in that was ended elsewhere is explained", async () => {
  const status = await trader.page.evaluate(
    `(async () => {
      const { token } = JSON.parse(sessionStorage.getItem("rialto-session"));
      const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
      return (await fetch("/v1/wallet/logout", { method: "POST", headers, body: "{}" })).status;
    })()`,
  );
  assert.equal(status, 204);
  // The page may have noticed by itself already, and taken the form away.
  await trader.page.evaluate(`document.querySelector("form.order")?.requestSubmit()`);
  await trader.told("Your log-in has ended: it was ended elsewhere, or its time was over.");
  await trader.panel("Order").getByRole("button", { name: "Log in", exact: true }).waitFor();
});
