// Journeys through what the ticket says before an order is sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "spot", amount: "1000" }] as const;
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
after(() => trader.close());

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
  await trader.told(/^Insufficient available balance/);
  await trader.fill("Quantity (CC)", "200");
  const answer = trader.panel("Order").locator("form.order > .answer");
  await answer.filter({ hasText: /^$/ }).waitFor({ state: "attached" });
  const risk = trader.panel("Account").getByLabel("Perpetual account");
  assert.match((await risk.textContent()) ?? "", /Perpetuals/);
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
