// Every refusal the Binance-style surfaces can word, read out of the error maps themselves.

import assert from "node:assert/strict";
import * as fapi from "../../src/adapters/gateway/fapi/error-map.ts";
import * as spot from "../../src/adapters/gateway/spot/error-map.ts";
import type { SurfaceError } from "../../src/adapters/gateway/surface-error.ts";
import * as shared from "../../src/adapters/gateway/surface-error.ts";

/** How functions that make errors are asked for one, and exports that make none. */
const samples: Readonly<Record<string, readonly SurfaceError[]>> = {
  missingParameter: [shared.missingParameter("…")],
  illegalParameter: [shared.illegalParameter("…"), shared.illegalParameter("")],
  unneededParameter: [shared.unneededParameter("…")],
  spanTooLong: [shared.spanTooLong(24), shared.spanTooLong(168)],
  badList: [shared.badList("…")],
  tooManyRequests: [
    shared.tooManyRequests(1200, "weight"),
    shared.tooManyRequests(50, "orders10s"),
    shared.tooManyRequests(200, "orders1m"),
  ],
  unknownPath: [shared.unknownPath("…", "…")],
  badLeverage: [fapi.badLeverage("…")],
  refuse: [],
  hinted: [],
  errorBody: [],
};

function isError(value: unknown): value is SurfaceError {
  return typeof value === "object" && value !== null && "code" in value && "msg" in value;
}

function errorsOf([name, value]: readonly [string, unknown]): readonly SurfaceError[] {
  if (typeof value === "function") {
    const made = samples[name];
    assert.ok(made !== undefined, `test/support/listed-errors.ts has no sample of ${name}()`);
    return made;
  }
  if (isError(value)) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).filter(isError) : [];
}

/** The refusals of both surfaces together, and of each. */
export const listedErrors = [
  { errors: Object.entries(shared).flatMap(errorsOf), surface: "both" },
  { errors: Object.entries(spot).flatMap(errorsOf), surface: "spot" },
  { errors: Object.entries(fapi).flatMap(errorsOf), surface: "FAPI" },
];
