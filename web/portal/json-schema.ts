// What the portal reads of JSON Schema, and how it is said in a table.

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

/** A schema in a few words: `string`, `BUY or SELL`, `list of object`. */
export function schemaWords(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(String).join(", ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(schemaWords).join(" or ");
  if (schema.prefixItems !== undefined) {
    return `[${schema.prefixItems.map(schemaWords).join(", ")}]`;
  }
  if (schema.items !== undefined) return `list of ${schemaWords(schema.items)}`;
  const type = [schema.type ?? "any"].flat().join(" or ");
  const { minimum: from, maximum: to } = schema;
  const isBounded = from !== undefined && to !== undefined && to < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${type}, ${from} to ${to}` : type;
}
