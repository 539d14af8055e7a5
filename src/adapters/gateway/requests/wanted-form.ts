// Forms of answers that a client of the compat view may ask for: times in microseconds, which spot has, and
// SBE, which is not offered. Requests ask in their headers, connections in their address.

import type { HttpCall, WantedForm } from "../server/http-call.ts";
import { badTimeUnit, type SurfaceError, sbeDisabled } from "./surface-error.ts";
import { compatPrefix } from "./surface-view.ts";

/** The surface that knows units of time (Binance: spot alone). */
const timedSurface = `${compatPrefix}/api/v3/`;

/** Takes the form a call asks for, or answers why it cannot have it. Specs CMP-13, CMP-14. */
export function takeWantedForm(call: HttpCall, wanted: WantedForm): SurfaceError | undefined {
  const accept = wanted.accept.toLowerCase();
  // Who takes JSON too is answered in it, as Binance does where SBE is off.
  if (accept.includes("application/sbe") && !/application\/json|\*\/\*/.test(accept)) {
    return sbeDisabled;
  }
  if (wanted.timeUnit === "" || !call.path.startsWith(timedSurface)) return undefined;
  const isMicro = isMicroseconds(wanted.timeUnit);
  if (isMicro === undefined) return badTimeUnit;
  call.usesMicroseconds = isMicro;
  return undefined;
}

/** What the query of a connection's address asks for, or why it cannot have it. Spec CMP-31. */
export function wantedOfConnection(
  query: string,
): { readonly usesMicroseconds: boolean } | { readonly refused: SurfaceError } {
  const params = new URLSearchParams(query);
  if (params.get("responseFormat")?.toLowerCase() === "sbe") return { refused: sbeDisabled };
  const isMicro = isMicroseconds(params.get("timeUnit") || "MILLISECOND");
  return isMicro === undefined ? { refused: badTimeUnit } : { usesMicroseconds: isMicro };
}

/** Whether a unit of time is microseconds; undefined for what is none. */
function isMicroseconds(text: string): boolean | undefined {
  const unit = text.toUpperCase();
  if (unit !== "MICROSECOND" && unit !== "MILLISECOND") return undefined;
  return unit === "MICROSECOND";
}
