// From parameters as text to what a schema makes of them. The first fault in the schema's order is
// the answer: -1102 for what is missing, -1100 for what cannot mean anything. Only parameters the
// schema lists are looked at.

import type * as z from "zod";
import type { Market, MarketKind, MarketTable } from "../../../core/markets.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  illegalParameter,
  missingParameter,
  refuse,
  type SurfaceError,
  unknownParameter,
} from "./surface-error.ts";

/** Reads a call's parameters; null after it has refused the call. */
export type ParameterReader<T> = (call: HttpCall, parameters: RequestParameters) => T | null;

/** The listed parameters that are present, by name. */
export function textsOf(
  names: readonly string[],
  parameters: RequestParameters,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const text = parameters.get(name);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

/** -1102 for what is missing, -1100 for what cannot mean anything. */
function faultOf(error: z.ZodError, texts: Readonly<Record<string, string>>): SurfaceError {
  const name = String(error.issues[0]?.path[0] ?? "");
  return name in texts ? illegalParameter(name) : missingParameter(name);
}

/** What `schema` makes of texts, or the first fault in the schema's order. */
function readTexts<S extends z.ZodObject>(
  schema: S,
  texts: Readonly<Record<string, string>>,
): z.output<S> | SurfaceError {
  const read = schema.safeParse(texts);
  return read.success ? read.data : faultOf(read.error, texts);
}

/** A reader for `schema`, an object of texts. */
export function parameterReader<S extends z.ZodObject>(schema: S): ParameterReader<z.output<S>> {
  const names = Object.keys(schema.shape);
  return (call, parameters) => {
    const texts = textsOf(names, parameters);
    const read = schema.safeParse(texts);
    if (read.success) return read.data;
    refuse(call, faultOf(read.error, texts));
    return null;
  };
}

/** Parameters of a request, whatever it asks for; the last two are those of an order session. */
const ofRequests = ["timestamp", "recvWindow", "signature", "apiKey", "returnRateLimits"] as const;

/**
 * A reader of parameters that place or change an order. One that is not in the schema is refused by name: it
 * could mean another order than the one this venue would make of the rest. Spec ERR-32.
 */
export function orderReader<S extends z.ZodObject>(schema: S): ParameterReader<z.output<S>> {
  const known = new Set([...Object.keys(schema.shape), ...ofRequests]);
  const read = parameterReader(schema);
  return (call, parameters) => {
    const stray = parameters.strayName(known);
    if (stray === undefined) return read(call, parameters);
    refuse(call, unknownParameter(stray));
    return null;
  };
}

/** As `orderReader`, of texts: the elements of a batch. */
export function readOrderTexts<S extends z.ZodObject>(
  schema: S,
  texts: Readonly<Record<string, string>>,
): z.output<S> | SurfaceError {
  const stray = Object.keys(texts).find((name) => !(name in schema.shape));
  return stray === undefined ? readTexts(schema, texts) : unknownParameter(stray);
}

/** The market of `kind` that a parameter names, in any of its forms; null after it has refused the call. */
export function marketOf(
  call: HttpCall,
  table: MarketTable,
  { symbol, kind, name = "symbol" }: { symbol: string; kind: MarketKind; name?: "symbol" | "pair" },
): Market | null {
  const market = table.find(symbol);
  if (market?.kind === kind) return market;
  refuse(call, illegalParameter(name));
  return null;
}
