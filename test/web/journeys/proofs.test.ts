// Journey: a proof that cannot exist yet or at all, on a venue whose first epoch is not sealed while the test runs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { lateEnding } from "./account-journey.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({
    view: "chain",
    deposits,
    settings: { EPOCH_SECONDS: String(lateEnding(43_200_000) / 1_000) },
  });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "1.000");
});
after(() => trader?.close());

async function ask(text: string): Promise<void> {
  await trader.page.getByLabel(/^Journal entry/).fill(text);
  await verify().click();
}

function verify(): Locator {
  return trader.page.getByRole("button", { name: "Verify", exact: true });
}

function says(text: string): Promise<void> {
  return trader.page.locator("main").getByText(text).waitFor();
}

test("WEB-88 an entry that is not sealed yet is waited for, and another can be asked for meanwhile", async () => {
  await ask("o-1");
  await says("o-1 is not sealed yet");
  assert(await verify().isEnabled());
  await ask("t-99999999");
  await says("there is no such journal entry, order or trade yet");
  assert.equal(await trader.page.getByText("is not sealed yet").count(), 0);
  assert(await verify().isEnabled());
});

test("WEB-88 what is no entry, order or trade is answered with what to enter", async () => {
  await ask("abc");
  await says("Enter a journal entry such as 57, an order such as o-12, or a trade: t-3");
  assert(await verify().isEnabled());
});
