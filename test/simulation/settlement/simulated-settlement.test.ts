// Proves that the simulated settlement tables behave like the real ones: they pass the same contract cases.

import { type StoreSubject, settlementStoreCases } from "../../contract/settlement-store-cases.ts";
import { SimulatedSettlement } from "./simulated-settlement.ts";

settlementStoreCases(async (): Promise<StoreSubject> => {
  let tokens = 0;
  const newToken = () => String(++tokens).padStart(32, "0");
  const store = new SimulatedSettlement({ decimals: [6, 8], newToken });
  return {
    ...{ store, coins: store.releases },
    trade: async (tradeId) => {
      const sides = { buyer: 1001, seller: 1002, buyerFee: 3n, sellerFee: 0n };
      store.fills.push({ tradeId, tsMs: 0, market: 0, qty: 10, quote: 150n, ...sides });
    },
    close: async () => undefined,
  };
});
