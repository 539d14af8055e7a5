// Lists every refusal that the surfaces can express, read from their error maps.

import assert from "node:assert/strict";
import * as fapi from "../../../src/adapters/gateway/fapi/error-map.ts";
import * as native from "../../../src/adapters/gateway/native/error-map.ts";
import * as swaps from "../../../src/adapters/gateway/native/swaps/swap-errors.ts";
import type { SurfaceError } from "../../../src/adapters/gateway/requests/surface-error.ts";
import * as shared from "../../../src/adapters/gateway/requests/surface-error.ts";
import * as spot from "../../../src/adapters/gateway/spot/error-map.ts";
import { present } from "../../../src/core/assert.ts";
import { testMarkets } from "../machine/test-markets.ts";

/** Sample errors of each function that makes errors, by its name. Empty for exports that are left out of the list. */
const samples: Readonly<Record<string, readonly SurfaceError[]>> = {
  missingParameter: [shared.missingParameter("…")],
  illegalParameter: [shared.illegalParameter("…"), shared.illegalParameter("")],
  splitParameter: [shared.splitParameter("…"), shared.splitParameter("")],
  unknownParameter: [shared.unknownParameter("…")],
  unneededParameter: [shared.unneededParameter("…")],
  listedIcebergNeedsGtc: [shared.listedIcebergNeedsGtc("…", "…")],
  spanTooLong: [shared.spanTooLong(24), shared.spanTooLong(168)],
  badList: [shared.badList("…")],
  badPegParameter: [
    present(shared.badPegParameter("pegPriceType"), "the error of a peg"),
    present(shared.badPegParameter("pegOffsetType"), "the error of an offset"),
  ],
  badPreventionMode: [shared.badPreventionMode(["…"])],
  tooManyRequests: [
    shared.tooManyRequests(1200, "weight"),
    shared.tooManyRequests(50, "orders10s"),
    shared.tooManyRequests(200, "orders1m"),
  ],
  unknownPath: [shared.unknownPath("…", "…"), shared.unknownPath("…", "…", 405)],
  badLeverage: [fapi.badLeverage("…")],
  undeserialisable: [],
  badQuery: [native.badQuery("…")],
  notRange: [native.notRange("10.0.0.300")],
  notNetwork: [native.notNetwork("10.0.0.5/8", "10.0.0.0/8")],
  amountBelow: [native.amountBelow(2_000_000n, 6)],
  offStep: [native.offStep("price", 2), native.offStep("qty", 3)],
  priceAbove: [native.priceAbove(1_000_000_000, 2)],
  prepareRefused: [swaps.prepareRefused("…")],
  qtyTooLarge: [
    swaps.qtyTooLarge(present(testMarkets.find("CC-USDC"), "CC-USDC must be a market")),
  ],
  coinsNeeded: [true, false].map((isMember) =>
    swaps.coinsNeeded({
      asset: present(testMarkets.findAsset("USDC"), "an asset"),
      ...{ free: 12_500_000n, isMember },
    }),
  ),
  badAmount: [native.badAmount(6), native.badAmount(8)],
  refuse: [],
  Refusal: [],
  refused: [],
  orRefusal: [],
  // Klines refuse an unreadable query in plain text, without a code.
  undeserialisedQuery: [],
  hinted: [],
  errorBody: [],
};

function isError(value: unknown): value is SurfaceError {
  return typeof value === "object" && value !== null && "code" in value && "msg" in value;
}

function errorsOf([name, value]: readonly [string, unknown]): readonly SurfaceError[] {
  if (typeof value === "function") {
    const made = samples[name];
    assert.ok(made !== undefined, `test/support/tidy/listed-errors.ts has no sample of ${name}()`);
    return made;
  }
  if (isError(value)) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).filter(isError) : [];
}

/** Requests whose body is refused before any field is read. */
const bodies = [
  "body is not JSON",
  "body must be a JSON object",
  "missing field: …",
  "unknown field: …",
  "wrong type of field: …",
  "numbers of more than 15 digits must be strings",
].map(native.undeserialisable);

/** The refusals of the native surface. */
export const nativeListed: readonly SurfaceError[] = [
  ...Object.entries(native).flatMap(errorsOf),
  ...Object.entries(swaps).flatMap(errorsOf),
  ...bodies,
];

/** The refusals that spot and fapi share, and those of each alone. */
export const listedErrors = [
  { errors: Object.entries(shared).flatMap(errorsOf), surface: "both" },
  { errors: Object.entries(spot).flatMap(errorsOf), surface: "spot" },
  { errors: Object.entries(fapi).flatMap(errorsOf), surface: "FAPI" },
];
