// Journey of a trader whose balance is spent on a position: orders that close it are sent, whatever else would close it too.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

/** A short of 0.1 BTC at ten times, which leaves less than the margin of another 0.1. */
before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "700" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "BUY", "49990.00", "3.000");
  await trader.offer("BTCUSDT", "SELL", "50000.00", "3.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
  await trader.kind("Market");
  await trader.press("Sell");
  await trader.fill("Quantity (BTC)", "0.100");
  await trader.press("Sell BTC");
  await trader.told("Order filled");
  await trader.tab("Positions");
  await trader.row("SHORT", "0.100").waitFor();
});
after(() => trader?.close());

/** Resolves when the row of the estimate whose name begins with `name` shows `text`. */
async function estimated(name: string, text: string): Promise<void> {
  const label = trader.panel("Order").locator("dt").filter({ hasText: name });
  await label.locator("xpath=following-sibling::dd[1]").getByText(text, { exact: true }).waitFor();
}

const reducing = () => trader.panel("Order").getByLabel("Reduce only", { exact: true });

test("WEB-155 a position is closed at the market while a reduce-only order that would close it is open", async () => {
  await trader.kind("Limit");
  await trader.press("Buy");
  await trader.fill("Price (USDT)", "45000");
  await trader.fill("Quantity (BTC)", "0.100");
  await reducing().check();
  await estimated("Margin", "0.00");
  await trader.press("Buy BTC");
  await trader.told("Order open: 0.100 BTC at 45,000.00");
  await trader.tab("Open orders");
  await trader.row("45,000.00", "Reduce only").waitFor();
  await reducing().uncheck();
  await trader.kind("Market");
  // All there is: the position, and what the rest of the balance opens.
  await trader.panel("Order").getByRole("button", { name: "100 %" }).click();
  const all = await trader.panel("Order").getByLabel("Quantity (BTC)").inputValue();
  assert(Number(all) > 0.1 && Number(all) < 0.2, all);
  await trader.fill("Quantity (BTC)", "0.100");
  await estimated("Margin", "0.00");
  await trader.press("Buy BTC");
  await trader.told("Order filled: 0.100 BTC");
  await trader.panel("Account").getByText("No open orders.").waitFor();
});

test("WEB-156 without a position, a reduce-only order is named while it is entered, and not sent", async () => {
  const fault = "Reduce only: you have no short position to reduce";
  for (const kind of ["Stop market", "Trailing stop", "Market"]) {
    await trader.kind(kind);
    await reducing().check();
    await trader.told(fault);
  }
  let sent = 0;
  trader.page.on("request", (request) => {
    if (request.method() === "POST" && /order/i.test(request.url())) sent += 1;
  });
  await trader.fill("Quantity (BTC)", "0.100");
  await trader.press("Buy BTC");
  await trader.panel("Order").getByRole("alert").getByText(fault).waitFor();
  assert.equal(sent, 0);
  await reducing().uncheck();
});
