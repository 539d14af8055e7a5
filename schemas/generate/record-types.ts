// Generates the types of events, commands and messages, their kinds, and functions that return empty records.

import { codeSets } from "../records/code-sets.ts";
import type { Field, Fields } from "../records/fields.ts";
import {
  busHeader,
  type MessageRow,
  matchReplies,
  matchRequest,
  orderClaim,
  orderUse,
  reply,
} from "../records/messages.ts";
import { type CommandRows, commandHeader, type EventRows, eventHeader } from "../records/rows.ts";
import { emptyText } from "./field-code.ts";
import { comment, importOf, opening, pascal, sentenceOf } from "./names.ts";

/** Imports of the code sets used in `fields`, from src/core at the path `core`. */
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

function fieldsText(fields: Fields): string {
  const lines = Object.entries(fields).map(([name, field]) => {
    const mark = field.isOptional === true ? "?" : "";
    const none = field.isNullable === true ? " | null" : "";
    return `${comment(sentenceOf(field), "  ")}  ${name}${mark}: ${field.type}${none};\n`;
  });
  return lines.join("");
}

function typeText(type: string, description: string, body: string, base = ""): string {
  return `${comment(description)}export interface ${type} ${base}{\n${body}}\n\n`;
}

type Rows = Readonly<Record<string, { code: number; description: string; fields: Fields }>>;

function fieldsOf(rows: Rows): Field[] {
  return Object.values(rows).flatMap(({ fields }) => Object.values(fields));
}

/**
 * The text of the codes and types of all kinds of `rows`, and of their union, which is named `all`. The names of the
 * codes and of the header begin with `one`.
 */
function unionText(one: string, all: string, header: Fields, rows: Rows): string {
  const entries = Object.entries(rows);
  const kinds = entries.map(
    ([name, { code, description }]) => `${comment(description, "  ")}  ${name}: ${code},\n`,
  );
  const types = entries.map(([name, { description, fields }]) => {
    const kind = `  kind: typeof ${one}Kind.${name};\n`;
    return typeText(pascal(name), description, kind + fieldsText(fields), `extends ${one}Header `);
  });
  return [
    `export const ${one}Kind = {\n${kinds.join("")}} as const;\n`,
    `export type ${one}Kind = (typeof ${one}Kind)[keyof typeof ${one}Kind];\n\n`,
    `interface ${one}Header {\n${fieldsText(header)}}\n\n`,
    ...types,
    `export type ${all} =\n${entries.map(([name]) => `  | ${pascal(name)}\n`).join("")};\n\n`,
  ].join("");
}

/** The text of src/core/generated/events.ts. */
export function eventTypes(rows: EventRows): string {
  const empty = Object.entries(rows).map(([name, { fields }]) => {
    const header = Object.entries(eventHeader).map(
      ([of, { type }]) => `${of}: ${type === "boolean" ? "false" : "0"},`,
    );
    return emptyText(pascal(name), fields, [...header, `kind: EventKind.${name},`]);
  });
  return [
    opening(
      "All events: one type for each kind, and their union. Only events are journaled, and only events change state.",
    ),
    codeImports(fieldsOf(rows), "..", true),
    "\n/** Codes are part of the journal's format. */\n",
    unionText("Event", "VenueEvent", eventHeader, rows),
    "// Each function writes its object out in full: a literal that spreads another gets a separate hidden class for\n",
    "// every object, and code that meets many hidden classes is several times slower.\n\n",
    ...empty,
  ].join("");
}

/** The text of src/core/generated/commands.ts. */
export function commandTypes(rows: CommandRows): string {
  return [
    opening(
      "All commands to clearing, and their union. Commands are not journaled, only the events that they cause.",
    ),
    codeImports(fieldsOf(rows), "..", true),
    importOf(["CommandIdentity"], "../command-identity.ts", true),
    importOf(["ListLeg"], "../order-lists.ts", true),
    importOf(["OrderAttachments"], "../orders.ts", true),
    importOf(["RequestKey"], "../request-keys.ts", true),
    "\n",
    unionText("Command", "Command", commandHeader, rows),
  ].join("");
}

/** The fields passed as arguments in the call that delivers the message. */
export function argumentsOf({ fields }: MessageRow): [string, Field][] {
  return Object.entries(fields).filter(([, { stored }]) => stored === undefined);
}

/** The parameters of a function that receives a message. */
export function parametersOf(row: MessageRow): string {
  return argumentsOf(row)
    .map(([name, { type }]) => `${name}: ${type}`)
    .join(", ");
}

/** The text of src/core/generated/messages.ts. */
export function messageTypes(): string {
  const rows = [
    matchRequest,
    reply,
    orderClaim,
    orderUse,
    busHeader,
    ...Object.values(matchReplies),
  ];
  const calls = Object.entries(matchReplies).map(
    ([name, row]) => `${comment(row.description, "  ")}  ${name}(${parametersOf(row)}): void;\n`,
  );
  return [
    opening("Messages between threads besides commands and events."),
    codeImports(
      rows.flatMap(({ fields }) => Object.values(fields)),
      "..",
      true,
    ),
    "\n",
    typeText("MatchRequest", matchRequest.description, fieldsText(matchRequest.fields)),
    comment("Returns a request to fill in or to decode into; every option is off."),
    emptyText("MatchRequest", matchRequest.fields),
    typeText("MatchReplySink", "Where a matcher puts its answers, in order.", calls.join("")),
    typeText("Reply", reply.description, fieldsText(reply.fields)),
    comment("Returns a reply to decode into."),
    emptyText("Reply", reply.fields),
    typeText("OrderClaim", orderClaim.description, fieldsText(orderClaim.fields)),
    comment("Returns a claim to fill in or to decode into."),
    emptyText("OrderClaim", orderClaim.fields),
    typeText("OrderUse", orderUse.description, fieldsText(orderUse.fields)),
    comment("Returns a use to fill in or to decode into."),
    emptyText("OrderUse", orderUse.fields),
    typeText("BusHeader", busHeader.description, fieldsText(busHeader.fields)),
    comment("Returns a header to fill in or to decode into."),
    emptyText("BusHeader", busHeader.fields),
  ].join("");
}
