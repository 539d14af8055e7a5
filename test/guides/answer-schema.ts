// Derives a JSON Schema from answers that a venue gave, and lists where another answer does not match the schema.

export interface AnswerSchema {
  readonly type?: string | readonly string[];
  readonly items?: AnswerSchema;
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly required?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function typesOf({ type }: AnswerSchema): string[] {
  return type === undefined ? [] : [type].flat();
}

function schemaOf(value: unknown): AnswerSchema {
  const type = typeOf(value);
  if (type === "array") {
    const items = (value as unknown[]).map(schemaOf);
    return items.length === 0 ? { type } : { type, items: items.reduce(widened) };
  }
  if (type !== "object") return { type };
  const entries = Object.entries(value as Fields).map(([name, inner]) => [name, schemaOf(inner)]);
  return { type, properties: Object.fromEntries(entries), required: Object.keys(value as Fields) };
}

/** Returns a schema that both schemas match. A field that only one of them has is not required. */
function widened(one: AnswerSchema, other: AnswerSchema): AnswerSchema {
  const types = [...new Set([...typesOf(one), ...typesOf(other)])].filter(
    (type, _, all) => type !== "integer" || !all.includes("number"),
  );
  const [items] = [one.items, other.items].filter((each) => each !== undefined);
  const both = one.items !== undefined && other.items !== undefined;
  const objects = [one, other].filter((each) => each.properties !== undefined);
  const [first, second] = objects;
  return {
    type: types.length === 1 ? (types[0] ?? "null") : types,
    ...(items !== undefined && { items: both ? widened(one.items, other.items) : items }),
    ...(first !== undefined && (second === undefined ? fieldsOf(first) : joined(first, second))),
  };
}

function fieldsOf({ properties, required }: AnswerSchema): AnswerSchema {
  return { ...(properties && { properties }), ...(required && { required }) };
}

function joined(one: AnswerSchema, other: AnswerSchema): AnswerSchema {
  const properties = new Map(Object.entries(one.properties ?? {}));
  for (const [name, schema] of Object.entries(other.properties ?? {})) {
    const known = properties.get(name);
    properties.set(name, known === undefined ? schema : widened(known, schema));
  }
  const required = (one.required ?? []).filter((name) => other.required?.includes(name));
  return { properties: Object.fromEntries(properties), required };
}

/** Replaces the type null by no type at all: a field that was always null in the sample may hold anything. */
function honest(schema: AnswerSchema): AnswerSchema {
  if (schema.type === "null") return {};
  const { items, properties } = schema;
  return {
    ...schema,
    ...(items !== undefined && { items: honest(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, honest(each)]),
      ),
    }),
  };
}

/** Returns the schema of one answer. */
export function answerSchemaOf(value: unknown): AnswerSchema {
  return honest(schemaOf(value));
}

/**
 * Returns where `value` does not match the schema: different types, missing fields, and fields that the schema does
 * not have. Null always matches, because a field can be null until its value is known.
 */
export function misfits(value: unknown, schema: AnswerSchema, way = "answer"): string[] {
  const type = typeOf(value);
  const types = typesOf(schema);
  if (type === "null" || types.length === 0) return [];
  const isNumber = type === "integer" || type === "number";
  const fits =
    types.includes(type) || (isNumber && types.some((each) => /integer|number/.test(each)));
  if (!fits) return [`${way} is ${type}, not ${types.join(" or ")}`];
  const { items, properties } = schema;
  if (type === "array" && items !== undefined)
    return (value as unknown[]).flatMap((each, at) => misfits(each, items, `${way}[${at}]`));
  if (type !== "object" || properties === undefined) return [];
  const fields = value as Fields;
  const missing = (schema.required ?? []).filter((name) => !(name in fields));
  const inner = Object.entries(fields).flatMap(([name, each]) => {
    const known = properties[name];
    return known === undefined ? [`${way}.${name} is new`] : misfits(each, known, `${way}.${name}`);
  });
  return [...missing.map((name) => `${way}.${name} is missing`), ...inner];
}
