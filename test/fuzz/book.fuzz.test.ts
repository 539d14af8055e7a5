// Proves that the fast book gives the same answers and the same final state as the naive book, for orders at jumping
// and arbitrary prices.

import fc from "fast-check";
import { compareBooks } from "../model/book-commands.ts";
import { fuzz } from "./fuzz.ts";

const bounds = fc.constantFrom(
  { matchesPerOrderMax: 5, ownSkipsMax: 3 },
  { matchesPerOrderMax: 500, ownSkipsMax: 500 },
);

fuzz(
  "the fast and the naive book agree for any jumps of prices",
  fc.record({
    seed: fc.integer(),
    commands: fc.integer({ min: 100, max: 3000 }),
    bounds,
    hashEvery: fc.constant(100),
    depthMax: fc.constantFrom(12, 500),
    keepsPositions: fc.boolean(),
    prices: fc.constantFrom("near" as const, "swinging" as const, "apart" as const),
  }),
  (options) => {
    compareBooks(options);
  },
);
