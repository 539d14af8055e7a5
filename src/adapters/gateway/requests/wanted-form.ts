// Answer formats a compat client can request: times in microseconds, which spot supports, and SBE, Binance's binary
// format, which is not offered. HTTP requests select them by headers, stream connections by the query of their URL.

import type { HttpCall, WantedForm } from "../server/http-call.ts";
import { badTimeUnit, type SurfaceError, sbeDisabled } from "./surface-error.ts";
import { compatPrefix } from "./surface-view.ts";

/** Path of the only surface that offers a choice of time units: spot, as on Binance. */
const timedSurface = `${compatPrefix}/api/v3/`;

/** Applies the format a call requests, or returns the error if that format is not available. Specs CMP-13, CMP-14. */
export function takeWantedForm(call: HttpCall, wanted: WantedForm): SurfaceError | undefined {
  const accept = wanted.accept.toLowerCase();
  // A client that also accepts JSON gets JSON, as on Binance where SBE is off.
  if (accept.includes("application/sbe") && !/application\/json|\*\/\*/.test(accept)) {
    return sbeDisabled;
  }
  if (wanted.timeUnit === "" || !call.path.startsWith(timedSurface)) return undefined;
  const isMicro = isMicroseconds(wanted.timeUnit);
  if (isMicro === undefined) return badTimeUnit;
  call.usesMicroseconds = isMicro;
  return undefined;
}

/** The format requested in the query of a connection's URL, or the error if it is not available. Spec CMP-31. */
export function wantedOfConnection(
  query: string,
): { readonly usesMicroseconds: boolean } | { readonly refused: SurfaceError } {
  const params = new URLSearchParams(query);
  if (params.get("responseFormat")?.toLowerCase() === "sbe") return { refused: sbeDisabled };
  const isMicro = isMicroseconds(params.get("timeUnit") || "MILLISECOND");
  return isMicro === undefined ? { refused: badTimeUnit } : { usesMicroseconds: isMicro };
}

/** Returns true for microseconds, false for milliseconds, and undefined for an unknown time unit. */
function isMicroseconds(text: string): boolean | undefined {
  const unit = text.toUpperCase();
  if (unit !== "MICROSECOND" && unit !== "MILLISECOND") return undefined;
  return unit === "MICROSECOND";
}
