// Reads the frames of an order session: a JSON object with method and parameters, whose parameters become a query. So the
// same code reads and checks them as over HTTP. Spec STR-29.

import type * as z from "zod";
import { sessionBounds, sessionRequest } from "../../../../../schemas/streams/requests.ts";

/** Request ids that an answer can repeat. */
export type SessionId = string | number | null;

/** A parameter as it may arrive in JSON. */
export type SessionValue = string | number | boolean | readonly unknown[];

/** A parameter as text; a list as JSON, because objects in it may have no text of their own. */
export function valueText(value: SessionValue): string {
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Characters that a query holds unescaped. Almost every parameter consists of them. */
const plain = /^[\w.-]*$/;

/** Text in escaped form, or null for a text with unpaired surrogates, which JSON can hold but a query cannot. */
function escaped(text: string): string | null {
  if (plain.test(text)) return text;
  try {
    return encodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * The parameters as a query; with a signature, they are sorted by name, because that is what was signed, and the signature
 * is last. If a parameter is illegal, the result is its name instead.
 */
export function queryOf(
  parameters: Readonly<Record<string, SessionValue>>,
): { readonly query: string } | { readonly illegal: string } {
  let names = Object.keys(parameters);
  if (parameters["signature"] !== undefined)
    names = [...names.filter((name) => name !== "signature").sort(), "signature"];
  let query = "";
  for (const name of names) {
    const [left, right] = [escaped(name), escaped(valueText(parameters[name] ?? ""))];
    if (left === null || right === null) return { illegal: name };
    query += query === "" ? `${left}=${right}` : `&${left}=${right}`;
  }
  return { query };
}

export type SessionRequest = z.infer<typeof sessionRequest>;

/** Why a frame is not a request: the field that is illegal, empty for the whole frame, and the id to answer with. */
export interface IllegalFrame {
  readonly illegal: string;
  readonly id: SessionId;
}

/** Reads a frame as a request, whose parameters are not checked any further. */
export function readFrame(text: string): SessionRequest | IllegalFrame {
  const value = parsed(text);
  if (isPlainRequest(value)) {
    const { id, method, params } = value;
    return { id, method, params };
  }
  const read = sessionRequest.safeParse(value);
  if (read.success) return read.data;
  return { illegal: String(read.error.issues[0]?.path[0] ?? ""), id: idOf(value) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function idOf(value: unknown): SessionId {
  const id = isRecord(value) ? value["id"] : null;
  return typeof id === "number" || isText(id) ? id : null;
}

/**
 * Whether the schema accepts the value because it consists of short texts, numbers and flags only, as almost every request
 * does. The schema needs ten times as long to find that out.
 */
function isPlainRequest(value: unknown): value is SessionRequest {
  if (!isRecord(value)) return false;
  const { id, method, params } = value;
  const hasId = id === undefined || Number.isSafeInteger(id) || isText(id);
  if (!hasId || !isText(method)) return false;
  if (params === undefined) return true;
  if (!isRecord(params)) return false;
  for (const name of Object.keys(params)) {
    if (name.length > sessionBounds.text || !isPlainValue(params[name])) return false;
  }
  return true;
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === "string") return value.length <= sessionBounds.value;
  return typeof value === "boolean" || Number.isFinite(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= sessionBounds.text;
}
