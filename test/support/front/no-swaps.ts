// Swaps for front tests that need none: none exist, and none can begin.

import type { SwapRepository } from "../../../src/ports/swaps/swap-store.ts";

const store: SwapRepository = {
  trader: () => Promise.reject(new Error("No account has a wallet here")),
  add: async () => null,
  swap: async () => null,
  swapsOf: async () => [],
  quotes: async () => [],
  moves: async () => [],
  step: async () => null,
  unkept: async () => 0,
  extend: async () => undefined,
  requestPrepare: async () => false,
  sign: async () => null,
};

/** The timeouts of the specification. */
export const swapTimes = {
  quoteWindowMs: 1_500,
  traderMs: 60_000,
  walletMs: 120_000,
  providerMs: 30_000,
  allocateMs: 150_000,
  settleMs: 60_000,
  marginMs: 5_000,
  lapseMs: 120_000,
  graceMs: 2_000,
  unkeptMax: 3,
  unkeptMs: 600_000,
};

export const noSwaps = { store, times: swapTimes, prepareMs: 15_000, fundsMs: 3_000 };

/** Returns the parts of a front without swaps, or with the swaps that a test gives. */
export function swapsOver(own: SwapRepository | undefined): typeof noSwaps {
  return { ...noSwaps, store: own ?? store };
}
