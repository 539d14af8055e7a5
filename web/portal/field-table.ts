// The fields of a frame or an answer as a table.

import { escaped, scrolled } from "./html-text.ts";
import { type JsonSchema, schemaWords } from "./json-schema.ts";

/** The fields of an object and of objects in it, `o.s` for the field `s` of the field `o`. */
function fieldsOf(schema: JsonSchema, above = ""): [name: string, form: string][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const below = fieldsOf(field.items ?? field, `${above}${name}.`);
    return [[above + name, schemaWords(field)], ...below] as [string, string][];
  });
}

/** Every field with its form; of a list those of its rows. Empty where there are none. */
export function fieldTable(schema: JsonSchema): string {
  const rows = fieldsOf(schema.items ?? schema).map(
    ([field, form]) => `<tr><td><code>${escaped(field)}</code></td><td>${escaped(form)}</td></tr>`,
  );
  if (rows.length === 0) return "";
  const head = "<thead><tr><th>Field</th><th>Form</th></tr></thead>";
  return scrolled(`<table>${head}<tbody>${rows.join("")}</tbody></table>`);
}
