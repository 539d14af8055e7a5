// Types of the events, their kinds, and empty records to fill in.

import { codeSets } from "../records/code-sets.ts";
import { type EventRow, type EventRows, eventHeader } from "../records/event-rows.ts";
import type { Field } from "../records/fields.ts";
import { comment, importOf, opening, pascal, sentenceOf } from "./names.ts";

const headerTypes = { seq: "number", tsUs: "number", account: "number", isUnitEnd: "boolean" };

/** The fields of the header in the order in which an event's object has them. */
export const headerFields = Object.keys(headerTypes) as (keyof typeof headerTypes)[];

/** Imports of the code sets that `fields` name, from src/core seen from `core`. */
export function codeImports(fields: readonly Field[], core: string, typesOnly: boolean): string {
  const byModule = new Map<string, Set<string>>();
  for (const { type } of fields) {
    if (!Object.hasOwn(codeSets, type)) continue;
    const { module } = codeSets[type as keyof typeof codeSets];
    byModule.set(module, (byModule.get(module) ?? new Set()).add(type));
  }
  const lines = [...byModule]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([module, sets]) => {
      return importOf([...sets].sort(), `${core}/${module}.ts`, typesOnly);
    });
  return lines.join("");
}

const emptyValues: Readonly<Record<string, string>> = {
  boolean: "false",
  bigint: "0n",
  string: '""',
};

function typeText(name: string, { says, fields }: EventRow): string {
  const lines = Object.entries(fields).map(
    ([field, of]) => `${comment(sentenceOf(of), "  ")}  ${field}: ${of.type};\n`,
  );
  const head = `export interface ${pascal(name)} extends EventHeader {\n`;
  return `${comment(says)}${head}  kind: typeof EventKind.${name};\n${lines.join("")}}\n\n`;
}

function emptyText(name: string, { fields }: EventRow): string {
  const type = pascal(name);
  const values = [
    ...headerFields.map((field) => `${field}: ${field === "isUnitEnd" ? "false" : "0"},`),
    `kind: EventKind.${name},`,
    ...Object.entries(fields).map(([field, { type }]) => `${field}: ${emptyValues[type] ?? "0"},`),
  ];
  return (
    `export function empty${type}(): ${type} {\n  return {\n` +
    `${values.map((value) => `    ${value}\n`).join("")}  };\n}\n\n`
  );
}

/** The text of src/core/generated/events.ts. */
export function eventTypes(rows: EventRows): string {
  const entries = Object.entries(rows);
  const kinds = entries.map(
    ([name, { code, says }]) => `${comment(says, "  ")}  ${name}: ${code},\n`,
  );
  const header = headerFields.map(
    (field) => `${comment(eventHeader[field], "  ")}  ${field}: ${headerTypes[field]};\n`,
  );
  return [
    opening(
      "What happened, as a closed union: the only thing that is journaled, and the only thing that changes state.",
    ),
    codeImports(
      entries.flatMap(([, { fields }]) => Object.values(fields)),
      "..",
      true,
    ),
    `\n/** Codes are part of the journal's format. */\nexport const EventKind = {\n${kinds.join("")}} as const;\n`,
    "export type EventKind = (typeof EventKind)[keyof typeof EventKind];\n\n",
    `interface EventHeader {\n${header.join("")}}\n\n`,
    ...entries.map(([name, row]) => typeText(name, row)),
    `export type VenueEvent =\n${entries.map(([name]) => `  | ${pascal(name)}\n`).join("")};\n\n`,
    "// Each is written out in full. A literal that spreads another gets a hidden class of its own for every\n",
    "// object it makes, and code that meets many of those is several times slower.\n\n",
    ...entries.map(([name, row]) => emptyText(name, row)),
  ].join("");
}
