// The epochs and liabilities of a venue that has sealed and stated none, for front tests that need none.

import type { EpochReader } from "../../../src/ports/journal/epoch-store.ts";
import type { LiabilityReader } from "../../../src/ports/journal/liability-store.ts";
import type { EpochAnchorStore } from "../../../src/ports/ledger/epoch-anchors.ts";

export const noEpochs: EpochReader = {
  terms: async () => null,
  epochs: async () => [],
  epoch: async () => null,
  entry: async () => null,
  entriesOfOrder: async () => [],
  entryOfTrade: async () => null,
  tiles: async () => [],
};

const never = async (): Promise<never> => {
  throw new Error("A venue without epochs must not anchor any");
};

export const noAnchors: EpochAnchorStore = {
  lastConfirmed: async () => null,
  nextSealed: async () => null,
  anchors: async () => [],
  attempt: never,
  confirm: never,
  blob: async () => null,
};

export const noLiabilities: LiabilityReader = {
  newest: async () => null,
  statement: async () => null,
  statements: async () => [],
  leafTiles: async (_, wanted) => wanted.map(() => null),
  tiles: async () => [],
};
