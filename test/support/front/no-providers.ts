// Liquidity providers for front tests without a provider database: none exist, and none can register.

import type { ProviderRegistry } from "../../../src/ports/swaps/provider-registry.ts";

export const noProviders: ProviderRegistry = {
  register: async () => "full",
  byKey: async () => null,
  keysOf: async () => [],
  addKey: async () => "full",
  retireKey: async () => "unknown",
  takeNonce: async () => true,
  venueKeys: async () => [],
  swapsOf: async () => [],
};
