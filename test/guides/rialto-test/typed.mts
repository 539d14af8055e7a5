// Compiled only: the types of rialto-test fit how the guide uses the package.

import { test } from "node:test";
import { type Difference, useVenue } from "rialto-test";

test("types", async (t) => {
  const venue = await useVenue(t, { settings: { TICK_MS: 50 } });
  const account = await venue.account({ funds: { USDC: 1000 }, perp: { USDC: "5" } });
  await account.request("POST", "/api/v3/order", { symbol: "CC-USDC", quantity: 1 });
  const differences: Difference[] = await account.believe({
    openOrders: ["mine", 3, { id: "other", price: 0.1 }],
    positions: { BTCUSDT: 1 },
    balances: { spot: { USDC: 1 } },
  });
  const truth = await venue.truth(account);
  const reason: string | null | undefined = truth.order("mine")?.reason;
  await venue.faults.apply("outage", { account, seed: 7, for: "2m" });
  await venue.time.step({ by: "5m" });
  await venue.loadMarket({ market: "BTCUSDT", script: "calm", seed: 1 });
  // @ts-expect-error there is no such part of a belief
  await account.believe({ orders: [] });
  return void [differences, reason];
});
