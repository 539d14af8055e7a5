// Lists that come as JSON in one parameter: the orders of a batch, the ids of a mass cancel
// (binance-compat 2.1, 5.4). Values are texts, numbers or truths; everything else is refused before
// anything is done.

import { batchCancelsMax, batchOrdersMax } from "../../../../core/limits.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { badList, type SurfaceError } from "../../requests/surface-error.ts";
import { tooManyInBatch } from "../error-map.ts";

/** Parameters of one element, by name; absent where the client sent an empty text or null. */
export type ElementTexts = ReadonlyMap<string, string>;

function listOf(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function scalarText(value: unknown): string | undefined {
  const isScalar = typeof value === "string" || typeof value === "boolean";
  if (isScalar || typeof value === "number") return String(value);
  return value === null ? "" : undefined;
}

/** An element's parameters as texts, or undefined where it is not a flat object of scalars. */
function textsOfElement(element: unknown): ElementTexts | undefined {
  if (typeof element !== "object" || element === null || Array.isArray(element)) return undefined;
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(element)) {
    const text = scalarText(value);
    if (text === undefined) return undefined;
    if (text !== "") texts.set(name, text);
  }
  return texts;
}

/** How many orders a batch counts as; one for a list that will be refused. */
export function batchCount(parameters: RequestParameters): number {
  const list = listOf(parameters.get("batchOrders") ?? "");
  return Math.min(Math.max(list?.length ?? 1, 1), batchOrdersMax);
}

/** The orders of `batchOrders`, each as texts, or what is wrong with the list. */
export function batchElements(text: string): ElementTexts[] | SurfaceError {
  const list = listOf(text);
  if (list === undefined) return badList("batchOrders");
  if (list.length > batchOrdersMax) return tooManyInBatch;
  const elements = list.map(textsOfElement);
  const whole = elements.filter((element) => element !== undefined);
  return whole.length === list.length ? whole : badList("batchOrders");
}

/** The entries of a list of ids as texts, or what is wrong with it. */
export function idTexts(text: string, name: string): string[] | SurfaceError {
  const list = listOf(text);
  if (list === undefined) return badList(name);
  if (list.length > batchCancelsMax) return tooManyInBatch;
  const ids = list.map((id) => (typeof id === "number" || typeof id === "string" ? `${id}` : ""));
  return ids.every((id) => id !== "") ? ids : badList(name);
}
