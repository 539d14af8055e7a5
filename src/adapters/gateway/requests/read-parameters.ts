// From parameters as text to what a schema makes of them, field by field. The first fault in the schema's
// order is the answer: -1102 for what is missing, -1100 for what cannot mean anything. Only parameters the
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

/** Reads a call's parameters; null after it has refused the call. */
export type ParameterReader<T> = (call: HttpCall, parameters: RequestParameters) => T | null;

/** Texts by name, as a request or an element of a batch has them; an empty one counts as absent. */
interface Texts {
  get(name: string): string | undefined;
}

/** A parameter that is missing, or cannot mean anything. */
export class FieldFault {
  readonly name: string;
  readonly isMissing: boolean;

  constructor(name: string, isMissing: boolean) {
    this.name = name;
    this.isMissing = isMissing;
  }
}

/** Reads what `schema`, an object of texts, lists: what it makes of them, or the first fault in its order. */
export function fieldReader<S extends z.ZodObject>(schema: S) {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, form]) => {
    const absent = form.safeParse(undefined);
    return { name, form, isNeeded: !absent.success, standard: absent.data };
  });
  return (texts: Texts): z.output<S> | FieldFault => {
    const asked: Record<string, unknown> = {};
    for (const { name, form, isNeeded, standard } of fields) {
      const text = texts.get(name);
      const read = text === undefined ? undefined : form.safeParse(text);
      if (read === undefined ? isNeeded : !read.success)
        return new FieldFault(name, text === undefined);
      asked[name] = read === undefined ? standard : read.data;
    }
    return asked as z.output<S>;
  };
}

function errorOf({ name, isMissing }: FieldFault): SurfaceError {
  return isMissing ? missingParameter(name) : illegalParameter(name);
}

/** A reader for `schema`, an object of texts. */
export function parameterReader<S extends z.ZodObject>(schema: S): ParameterReader<z.output<S>> {
  const read = fieldReader(schema);
  return (call, parameters) => {
    const asked = read(parameters);
    if (!(asked instanceof FieldFault)) return asked;
    refuse(call, errorOf(asked));
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

/** As `orderReader`, of the texts of an element of a batch. */
export function elementReader<S extends z.ZodObject>(schema: S) {
  const read = fieldReader(schema);
  return (texts: ReadonlyMap<string, string>): z.output<S> | SurfaceError => {
    for (const name of texts.keys()) if (!(name in schema.shape)) return unknownParameter(name);
    const asked = read(texts);
    return asked instanceof FieldFault ? errorOf(asked) : asked;
  };
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
