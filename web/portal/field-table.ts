// The fields of a frame or response as a table, from the parts of JSON Schema that the portal reads.

import { escaped, scrolled } from "./portal-page.ts";

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
}

/** Returns a schema in short form: `string`, `BUY, SELL`, `list of object`. */
export function schemaText(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(String).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(schemaText).join(" or ");
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map(schemaText).join(", ")}]`;
  }
  if (schema.items !== undefined) return `list of ${schemaText(schema.items)}`;
  const type = [schema.type ?? "any"].flat().join(" or ");
  const { minimum: from, maximum: to } = schema;
  const isBounded = from !== undefined && to !== undefined && to < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${type}, ${from} to ${to}` : type;
}

/** Returns the fields of an object and of the objects in it; `o.s` is the field `s` of the field `o`. */
function fieldsOf(schema: JsonSchema, above = ""): [name: string, form: string][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const below = fieldsOf(field.items ?? field, `${above}${name}.`);
    return [[above + name, schemaText(field)], ...below] as [string, string][];
  });
}

/** Returns a table of all fields with their types, for a list those of its rows; empty if there are no fields. */
export function fieldTable(schema: JsonSchema): string {
  const rows = fieldsOf(schema.items ?? schema).map(
    ([field, form]) => `<tr><td><code>${escaped(field)}</code></td><td>${escaped(form)}</td></tr>`,
  );
  if (rows.length === 0) return "";
  const head = "<thead><tr><th>Field</th><th>Type</th></tr></thead>";
  return scrolled(`<table>${head}<tbody>${rows.join("")}</tbody></table>`);
}
