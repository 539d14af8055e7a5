// Epochs of a venue that has sealed none: for fronts whose test is about something else.

import type { EpochReader } from "../../src/ports/epoch-store.ts";

export const noEpochs: EpochReader = {
  terms: async () => null,
  epochs: async () => [],
  epoch: async () => null,
  entry: async () => null,
  entriesOfOrder: async () => [],
  entryOfTrade: async () => null,
  tiles: async () => [],
};
