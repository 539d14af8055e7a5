// Reads requests by schema. Invalid input is refused by throwing, in the error format of its surface: -1102 for a
// missing parameter and -1100 for an invalid one (pegs have codes of their own), plain text for klines, 400 for a query
// and 422 for a body under /v1. The first fault in the order of the schema is reported. Unknown parameters are ignored,
// except by strict routes (orders and transfers) and in JSON bodies, where they are refused. The schema checks the form of
// a value; the routes check the rest.

import * as z from "zod";
import type { Market, MarketKind, MarketTable } from "../../../core/markets.ts";
import type { RequestParameters } from "../../../services/access/signed-request.ts";
import { badQuery, undeserialisable } from "../native/error-map.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  badPegParameter,
  badPreventionMode,
  illegalParameter,
  missingParameter,
  refused,
  type SurfaceError,
  undeserialisedQuery,
  unknownParameter,
} from "./surface-error.ts";

/** Parameter texts of a request or of a batch element, by name. An empty text counts as absent. */
interface Texts {
  get(name: string): string | undefined;
}

/** Makes the refusal of a parameter that is missing or invalid. `members` are the values of an enumeration. */
type ParameterFault = (
  name: string,
  isMissing: boolean,
  members?: readonly string[],
) => SurfaceError;

/** The refusal on the Binance-style surfaces: -1102 for a missing parameter, -1100 for an invalid one. */
export const compatFault: ParameterFault = (name, isMissing, members = []) => {
  if (isMissing) return missingParameter(name);
  if (name === "selfTradePreventionMode") return badPreventionMode(members);
  return badPegParameter(name) ?? illegalParameter(name);
};

/** The refusal of klines: a plain-text message. */
export const textFault: ParameterFault = (name, isMissing) =>
  undeserialisedQuery(isMissing ? `missing field \`${name}\`` : `${name}: invalid value`);

export const nativeFault: ParameterFault = badQuery;

/** Reads the parameters that `schema` lists, field by field. */
export function parameterReader(
  schema: z.ZodObject,
  fault: ParameterFault,
): (texts: Texts) => object {
  const fields = fieldsOf(schema);
  const absent = absentValues(fields);
  return (texts) => {
    const values = { ...absent };
    for (const field of fields) {
      const text = texts.get(field.name);
      if (text !== undefined) values[field.name] = fieldValue(field, text, fault);
      else if (field.isNeeded) refused(fault(field.name, true));
    }
    return values;
  };
}

function fieldsOf(schema: z.ZodObject): readonly Field[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(fieldOf);
}

/**
 * The values of a request without parameters. The values of each request begin as a copy of it, which is faster than
 * adding every field and gives them all one hidden class.
 */
function absentValues(fields: readonly Field[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map(({ name, standard }) => [name, standard]));
}

type Field = ReturnType<typeof fieldOf>;

function fieldOf([name, form]: readonly [name: string, form: z.ZodType]) {
  const absent = form.safeParse(undefined);
  return { name, form, plain: plainText(form), isNeeded: !absent.success, standard: absent.data };
}

function fieldValue({ name, form, plain }: Field, text: string, fault: ParameterFault): unknown {
  const same = plain?.(text);
  if (same !== undefined) return same;
  const read = form.safeParse(text);
  return read.success ? read.data : refused(fault(name, false, membersOf(form)));
}

/** The values of an enumeration; none for other forms. */
function membersOf(form: z.ZodType): readonly string[] {
  if (form instanceof z.ZodOptional) return membersOf(form.unwrap() as z.ZodType);
  return form instanceof z.ZodEnum ? form.options.map(String) : [];
}

/**
 * Returns a function that recognises texts which `form` accepts unchanged: members of an enumeration, or texts that
 * match its only pattern. It returns such a text, and undefined for any other. Returns undefined for other forms. The
 * function replaces a call of the schema library, which creates several objects for each value and costs more than all
 * other work on an order's parameters. A member is returned as the enumeration's own string, because a lookup by a
 * string that was cut out of a request takes longer.
 */
function plainText(form: z.ZodType): ((text: string) => string | undefined) | undefined {
  if (form instanceof z.ZodOptional) return plainText(form.unwrap() as z.ZodType);
  if (form instanceof z.ZodEnum) {
    const members = new Map(form.options.map((member) => [String(member), String(member)]));
    return (text) => members.get(text);
  }
  if (!(form instanceof z.ZodString)) return undefined;
  const [only, ...others] = form.def.checks ?? [];
  if (only === undefined || others.length > 0) return undefined;
  const { format, pattern } = only._zod.def as { format?: string; pattern?: RegExp };
  // A global or sticky pattern remembers where its last match ended, so it could fail on the next text.
  if (format !== "regex" || pattern === undefined || pattern.global || pattern.sticky)
    return undefined;
  return (text) => (pattern.test(text) ? text : undefined);
}

/** Parameters that any request may have. Only order sessions use the last two. */
const ofRequests = ["timestamp", "recvWindow", "signature", "apiKey", "returnRateLimits"] as const;

/**
 * Reads the parameters of a strict route, which places or changes an order or moves money. A parameter outside the
 * schema is refused by name: ignoring it could do something that the client did not intend. Spec ERR-32.
 *
 * Most orders have only plain texts. These are read in the order of the request, with one lookup for each parameter sent.
 * Other orders are read in the order of the schema, so that the first fault is reported.
 */
export function orderReader(schema: z.ZodObject): (parameters: RequestParameters) => object {
  const readInOrder = parameterReader(schema, compatFault);
  const plain = new PlainReader(schema);
  return (parameters) => plain.read(parameters) ?? readInOrder(parameters);
}

class PlainReader {
  readonly #absent: Readonly<Record<string, unknown>>;
  /** The fields by name; null for the parameters that any request may have. */
  readonly #fields: ReadonlyMap<string, Field | null>;
  readonly #neededCount: number;

  constructor(schema: z.ZodObject) {
    const fields = fieldsOf(schema);
    this.#absent = absentValues(fields);
    this.#fields = new Map<string, Field | null>([
      ...ofRequests.map((name) => [name, null] as const),
      ...fields.map((field) => [field.name, field] as const),
    ]);
    this.#neededCount = fields.filter(({ isNeeded }) => isNeeded).length;
  }

  /** Reads an order whose texts are all plain; returns null for any other. Refuses parameters outside the schema. */
  read(parameters: RequestParameters): object | null {
    const values = { ...this.#absent };
    let leftCount = this.#neededCount;
    let arePlain = true;
    for (let at = 0; at < parameters.count; at++) {
      const text = parameters.valueAt(at);
      if (text === "") continue;
      const name = parameters.nameAt(at);
      const field = this.#fields.get(name);
      if (field === undefined) refused(unknownParameter(name));
      if (field === null) continue;
      const value = field.plain?.(text);
      if (value === undefined) arePlain = false;
      values[name] = value;
      if (field.isNeeded) leftCount--;
    }
    return arePlain && leftCount === 0 ? values : null;
  }
}

/** Like `orderReader`, but for the texts of a batch element. */
export function elementReader<S extends z.ZodObject>(schema: S) {
  const read = parameterReader(schema, compatFault);
  return (texts: ReadonlyMap<string, string>): z.output<S> => {
    for (const name of texts.keys()) if (!(name in schema.shape)) refused(unknownParameter(name));
    return read(texts) as z.output<S>;
  };
}

/** Number of digits up to which a double represents a JSON number exactly. */
const exactDigits = 15;

const stringForm = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const numberForm = /\d[\d.]*/g;

/** Returns whether a number in the JSON text has more digits than a double represents exactly. */
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

/** A field name sent by the client, made safe for a message: cut to a maximum length, only printable characters. */
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

/** The market of `kind` with this symbol or alias. */
export function marketOf(
  table: MarketTable,
  kind: MarketKind,
  symbol: string,
  parameter: "symbol" | "pair" = "symbol",
): Market {
  const market = table.find(symbol);
  return market?.kind === kind ? market : refused(illegalParameter(parameter));
}

/** The market of `kind` with this symbol or alias. Without a symbol: all markets of `kind` that `isShown` accepts. */
export function marketsOf(
  table: MarketTable,
  kind: MarketKind,
  symbol: string | undefined,
  isShown: (market: Market) => boolean = () => true,
): readonly Market[] {
  if (symbol !== undefined) return [marketOf(table, kind, symbol)];
  return table.markets.filter((market) => market.kind === kind && isShown(market));
}

/**
 * Converts times in milliseconds to bounds in microseconds, null if absent. The upper bound is exclusive, so it is one
 * millisecond later than the requested end.
 */
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
