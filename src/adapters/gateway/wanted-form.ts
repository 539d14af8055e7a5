// Forms of answers that a request to the compat view may ask for in its headers: times in microseconds, which
// spot has, and SBE, which is not offered.

import type { HttpCall } from "./server/http-call.ts";
import { badTimeUnit, type SurfaceError, sbeDisabled } from "./surface-error.ts";
import { compatPrefix } from "./surface-view.ts";

/** The surface that knows units of time (Binance: spot alone). */
const timedSurface = `${compatPrefix}/api/v3/`;

/** Takes the form a call asks for, or answers why it cannot have it. Specs CMP-13, CMP-14. */
export function takeWantedForm(call: HttpCall): SurfaceError | undefined {
  const { wanted } = call;
  if (wanted === null) return undefined;
  const accept = wanted.accept.toLowerCase();
  // Who takes JSON too is answered in it, as Binance does where SBE is off.
  if (accept.includes("application/sbe") && !/application\/json|\*\/\*/.test(accept)) {
    return sbeDisabled;
  }
  const unit = wanted.timeUnit.toUpperCase();
  if (unit === "" || !call.path.startsWith(timedSurface)) return undefined;
  if (unit !== "MICROSECOND" && unit !== "MILLISECOND") return badTimeUnit;
  call.tellsMicroseconds = unit === "MICROSECOND";
  return undefined;
}
