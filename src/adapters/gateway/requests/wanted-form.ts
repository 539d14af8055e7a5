// Answer formats a compat client can request on spot: times in microseconds, and SBE, Binance's binary format. HTTP
// requests select them by headers, connections by the query of their URL.

import { hasTemplate } from "../sbe/answer-templates.ts";
import { formOf, latestForm, type SbeForm } from "../sbe/sbe-answer.ts";
import type { HttpCall, WantedForm } from "../server/http-call.ts";
import {
  badSbeHeader,
  badSbeParameters,
  badTimeUnit,
  type SurfaceError,
  sbeDisabled,
  sbeWithoutTemplate,
  unknownSbeSchema,
} from "./surface-error.ts";
import { compatPrefix } from "./surface-view.ts";

/** The route of a call, as its template is found. */
interface RouteOfCall {
  readonly method: string;
  readonly path: string;
}

/** Beginning of the paths of the only surface that offers a choice: spot, as on Binance. */
const chosenSurface = `${compatPrefix}/api/`;

/**
 * Applies the format a call requests, or returns the error if that format is not available. `route` is the call's route,
 * if there is one. Specs CMP-13, SBE-1 to SBE-5.
 */
export function takeWantedForm(
  call: HttpCall,
  wanted: WantedForm,
  route: RouteOfCall | undefined,
): SurfaceError | undefined {
  // On other surfaces Binance knows nothing of SBE, and clients of spot send its headers with every request.
  if (!call.path.startsWith(chosenSurface)) return undefined;
  const accept = wanted.accept.toLowerCase();
  if (accept.includes("application/sbe")) {
    const fault = takeSbe(call, wanted.sbe, route);
    if (fault === undefined) return undefined;
    // A client that also accepts JSON gets JSON if SBE cannot be had.
    const takesJson = /application\/json|\*\/\*/.test(accept);
    if (!takesJson) return fault;
    call.sbe = null;
  }
  if (wanted.timeUnit === "" || !call.path.startsWith(`${chosenSurface}v3/`)) return undefined;
  const isMicro = isMicroseconds(wanted.timeUnit);
  if (isMicro === undefined) return badTimeUnit;
  call.usesMicroseconds = isMicro;
  return undefined;
}

/** Makes the call's answers SBE, refusals too, or returns the error. */
function takeSbe(
  call: HttpCall,
  header: string,
  route: RouteOfCall | undefined,
): SurfaceError | undefined {
  const named = /^(\d{1,5}):(\d{1,5})$/.exec(header.trim());
  const form = named === null ? undefined : formOf(Number(named[1]), Number(named[2]));
  call.sbe = form ?? latestForm;
  if (named === null) return badSbeHeader;
  if (form === undefined) return unknownSbeSchema;
  return route === undefined || hasTemplate(`${route.method} ${route.path}`)
    ? undefined
    : sbeWithoutTemplate;
}

/** The formats that the URL of a connection can request. */
export interface ConnectionForm {
  readonly usesMicroseconds: boolean;
  /** The form of SBE answers in an order session; null for JSON. */
  readonly sbe: SbeForm | null;
}

/**
 * The format requested in the query of a connection's URL, or the error if it is not available. Only order sessions offer
 * SBE there: market data in SBE has paths of its own. Specs CMP-31, CMP-37, SBE-24.
 */
export function wantedOfConnection(
  query: string,
  offersSbe: boolean,
): ConnectionForm | { readonly refused: SurfaceError } {
  const params = new URLSearchParams(query);
  const formats = params.getAll("responseFormat").map((format) => format.toLowerCase());
  if (formats.includes("sbe")) {
    if (!offersSbe) return { refused: sbeDisabled };
    const form = sbeOfConnection(params);
    if (formats.length > 1 || form === undefined) return { refused: badSbeParameters };
    return { usesMicroseconds: false, sbe: form };
  }
  const isMicro = isMicroseconds(params.get("timeUnit") || "MILLISECOND");
  return isMicro === undefined
    ? { refused: badTimeUnit }
    : { usesMicroseconds: isMicro, sbe: null };
}

function sbeOfConnection(params: URLSearchParams): SbeForm | undefined {
  // A parameter that is sent twice is none.
  const [id = "", version = ""] = ["sbeSchemaId", "sbeSchemaVersion"].map((name) => {
    const values = params.getAll(name);
    return values.length === 1 ? values[0] : "";
  });
  if (!/^\d{1,5}$/.test(id) || !/^\d{1,5}$/.test(version)) return undefined;
  return formOf(Number(id), Number(version));
}

/** Returns true for microseconds, false for milliseconds, and undefined for an unknown time unit. */
function isMicroseconds(text: string): boolean | undefined {
  const unit = text.toUpperCase();
  if (unit !== "MICROSECOND" && unit !== "MILLISECOND") return undefined;
  return unit === "MICROSECOND";
}
