// From a JSON body, or a query, to what a schema makes of it. A body that does not fit is 422 and
// names the field: missing, unknown, or of the wrong type. Whether values make sense is the route's
// business and 400.

import type * as z from "zod";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { textsOf } from "../requests/read-parameters.ts";
import { refuse, type SurfaceError } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { badQuery, undeserialisable } from "./error-map.ts";

/** Digits beyond these may be lost in a JSON number. */
const exactDigits = 15;

const stringForm = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const numberForm = /\d[\d.]*/g;

/** Whether a number in the JSON text has more digits than a double is sure to keep. */
function hasInexactNumber(text: string): boolean {
  const numbers = text.replace(stringForm, "").match(numberForm) ?? [];
  return numbers.some((digits) => digits.replace(".", "").replace(/^0+/, "").length > exactDigits);
}

function faultOf(error: z.ZodError, body: unknown): SurfaceError {
  const issue = error.issues[0];
  if (issue?.code === "unrecognized_keys") {
    return undeserialisable(`unknown field: ${shown(issue.keys[0] ?? "")}`);
  }
  const name = String(issue?.path[0] ?? "");
  if (name === "") return undeserialisable("body must be a JSON object");
  const isMissing = !Object.hasOwn(body as object, name);
  return undeserialisable(isMissing ? `missing field: ${name}` : `wrong type of field: ${name}`);
}

/** Names that strangers made up, short and in one line. */
function shown(name: string): string {
  return name.slice(0, 64).replace(/[^ -~]/g, "?");
}

/** Reads a call's JSON body; null after it has refused the call. An empty body is an empty object. */
export function bodyReader<S extends z.ZodObject>(schema: S) {
  return (call: HttpCall): z.output<S> | null => {
    let body: unknown;
    try {
      body = call.body === "" ? {} : JSON.parse(call.body);
    } catch {
      refuse(call, undeserialisable("body is not JSON"));
      return null;
    }
    const read = schema.safeParse(body);
    if (!read.success) {
      refuse(call, faultOf(read.error, body));
      return null;
    }
    if (!hasInexactNumber(call.body)) return read.data;
    refuse(call, undeserialisable(`numbers of more than ${exactDigits} digits must be strings`));
    return null;
  };
}

/** Reads a call's query; null after it has refused the call. Parameters the schema lacks are not looked at. */
export function queryReader<S extends z.ZodObject>(schema: S) {
  const names = Object.keys(schema.shape);
  return (call: HttpCall, parameters: RequestParameters): z.output<S> | null => {
    const read = schema.safeParse(textsOf(names, parameters));
    if (read.success) return read.data;
    refuse(call, badQuery(String(read.error.issues[0]?.path[0] ?? "")));
    return null;
  };
}
