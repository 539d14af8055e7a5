// A sample of an answer, made from its schema: what a reader sees beside an endpoint. Values are plausible for their
// names; a test compares the schemas with the answers of a venue.

import type { JsonSchema } from "./field-table.ts";

/** Values by the end of a field's name, the first that fits. */
const values: ReadonlyArray<readonly [name: RegExp, value: string]> = [
  [/symbol$|^pair$|^s$/i, "CC-USDC"],
  [/asset$|^coin$/i, "USDC"],
  [/side$/i, "BUY"],
  [/status$/i, "NEW"],
  [/timeInForce$/i, "GTC"],
  [/type$/i, "LIMIT"],
  [/clientOrderId$/i, "my-order-1"],
  [/price|^p$|open$|high$|low$|close$/i, "0.1500"],
  [/qty|quantity|volume|amount|free|locked|balance/i, "100.00"],
  [/_at$|time$/i, "2026-11-02T09:30:00.000Z"],
  [/rate$/i, "0.0001"],
  [/id$/i, "17"],
];

/** More fields or deeper objects would hide what matters. */
const depthMax = 3;
const fieldsMax = 24;

/** A JSON value of the schema's form. */
export function sampleOf(schema: JsonSchema, name = "", depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return sampleOf(first, name, depth);
  if (schema.prefixItems !== undefined)
    return schema.prefixItems.map((item) => sampleOf(item, name, depth + 1));
  const { items, properties } = schema;
  if (items !== undefined) return depth >= depthMax ? [] : [sampleOf(items, name, depth + 1)];
  if (properties !== undefined) {
    if (depth >= depthMax) return {};
    const fields = Object.entries(properties).slice(0, fieldsMax);
    return Object.fromEntries(
      fields.map(([field, form]) => [field, sampleOf(form, field, depth + 1)]),
    );
  }
  return plainSample([schema.type ?? "string"].flat(), name);
}

function plainSample(types: readonly string[], name: string): unknown {
  if (types.includes("string")) return values.find(([form]) => form.test(name))?.[1] ?? "…";
  if (types.includes("integer") || types.includes("number"))
    return /time|_ms$|^[TE]$/i.test(name) ? 1_793_611_800_000 : 1;
  if (types.includes("boolean")) return true;
  if (types.includes("array")) return [];
  return types.includes("object") ? {} : null;
}
