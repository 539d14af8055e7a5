// From what a stranger sent to what a schema makes of it. What does not fit is refused by throwing, in the words of
// the surface: -1102 for a parameter that is missing and -1100 for one that cannot mean anything, plain text for
// klines, 400 for a query and 422 for a body under /v1. The first fault in the schema's order is told; what values mean
// is the route's business. Only parameters that the schema lists are looked at.

import type * as z from "zod";
import type { Market, MarketKind, MarketTable } from "../../../core/markets.ts";
import type { RequestParameters } from "../../../services/access/signed-request.ts";
import { badQuery, undeserialisable } from "../native/error-map.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  illegalParameter,
  missingParameter,
  refused,
  type SurfaceError,
  undeserialisedQuery,
  unknownParameter,
} from "./surface-error.ts";

/** Texts by name, as a request or an element of a batch has them; an empty one counts as absent. */
interface Texts {
  get(name: string): string | undefined;
}

/** What is said of a parameter that is missing, or does not fit. */
type ParameterFault = (name: string, isMissing: boolean) => SurfaceError;

/** -1102 for what is missing, -1100 for what cannot mean anything. */
export const compatFault: ParameterFault = (name, isMissing) =>
  isMissing ? missingParameter(name) : illegalParameter(name);

/** The words of the specification's klines. */
export const textFault: ParameterFault = (name, isMissing) =>
  undeserialisedQuery(isMissing ? `missing field \`${name}\`` : `${name}: invalid value`);

export const nativeFault: ParameterFault = badQuery;

/** Reads the parameters that `schema` lists, field by field. */
export function parameterReader(
  schema: z.ZodObject,
  fault: ParameterFault,
): (texts: Texts) => object {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, form]) => {
    const absent = form.safeParse(undefined);
    return { name, form, isNeeded: !absent.success, standard: absent.data };
  });
  return (texts) => {
    const values: Record<string, unknown> = {};
    for (const { name, form, isNeeded, standard } of fields) {
      const text = texts.get(name);
      const read = text === undefined ? undefined : form.safeParse(text);
      if (read === undefined ? isNeeded : !read.success) refused(fault(name, text === undefined));
      values[name] = read === undefined ? standard : read.data;
    }
    return values;
  };
}

/** Parameters of a request, whatever it asks for; the last two are those of an order session. */
const ofRequests = ["timestamp", "recvWindow", "signature", "apiKey", "returnRateLimits"] as const;

/**
 * Reads parameters that place or change an order. One that is not in the schema is refused by name: it could mean
 * another order than the one this venue would make of the rest. Spec ERR-32.
 */
export function orderReader(schema: z.ZodObject): (parameters: RequestParameters) => object {
  const known = new Set([...Object.keys(schema.shape), ...ofRequests]);
  const read = parameterReader(schema, compatFault);
  return (parameters) => {
    const stray = parameters.strayName(known);
    return stray === undefined ? read(parameters) : refused(unknownParameter(stray));
  };
}

/** As `orderReader`, of the texts of an element of a batch. */
export function elementReader<S extends z.ZodObject>(schema: S) {
  const read = parameterReader(schema, compatFault);
  return (texts: ReadonlyMap<string, string>): z.output<S> => {
    for (const name of texts.keys()) if (!(name in schema.shape)) refused(unknownParameter(name));
    return read(texts) as z.output<S>;
  };
}

/** Digits beyond these may be lost in a JSON number. */
const exactDigits = 15;

const stringForm = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const numberForm = /\d[\d.]*/g;

/** Whether a number in the JSON text has more digits than a double is sure to keep. */
function hasInexactNumber(text: string): boolean {
  const numbers = text.replace(stringForm, "").match(numberForm) ?? [];
  return numbers.some((digits) => digits.replace(".", "").replace(/^0+/, "").length > exactDigits);
}

function bodyFault(error: z.ZodError, body: unknown): string {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys") return `unknown field: ${shown(issue.keys[0] ?? "")}`;
  const name = String(issue?.path[0] ?? "");
  if (name === "") return "body must be a JSON object";
  return Object.hasOwn(body as object, name)
    ? `wrong type of field: ${name}`
    : `missing field: ${name}`;
}

/** Names that strangers made up, short and in one line. */
function shown(name: string): string {
  return name.slice(0, 64).replace(/[^ -~]/g, "?");
}

/** Reads a call's JSON body. An empty body is an empty object. */
export function readBody<S extends z.ZodObject>(schema: S, { body: text }: HttpCall): z.output<S> {
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    refused(undeserialisable("body is not JSON"));
  }
  const read = schema.safeParse(body);
  if (!read.success) return refused(undeserialisable(bodyFault(read.error, body)));
  if (!hasInexactNumber(text)) return read.data;
  return refused(undeserialisable(`numbers of more than ${exactDigits} digits must be strings`));
}

/** The market of `kind` that a parameter names, in any of its forms. */
export function marketOf(
  table: MarketTable,
  kind: MarketKind,
  symbol: string,
  parameter: "symbol" | "pair" = "symbol",
): Market {
  const market = table.find(symbol);
  return market?.kind === kind ? market : refused(illegalParameter(parameter));
}

/** The market of `kind` that is named, or all that `isShown` where none is. */
export function marketsOf(
  table: MarketTable,
  kind: MarketKind,
  symbol: string | undefined,
  isShown: (market: Market) => boolean = () => true,
): readonly Market[] {
  if (symbol !== undefined) return [marketOf(table, kind, symbol)];
  return table.markets.filter((market) => market.kind === kind && isShown(market));
}

/** Times in milliseconds as bounds in microseconds, null where there is none. The last millisecond counts whole: the bound itself is outside. */
export function boundsOf({
  startTime,
  endTime,
}: {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
}): { readonly startUs: number | null; readonly endUs: number | null } {
  return {
    startUs: startTime === undefined ? null : startTime * 1000,
    endUs: endTime === undefined ? null : (endTime + 1) * 1000,
  };
}
