// Types of the commands and their kinds.

import { type CommandRow, type CommandRows, commandHeader } from "../records/commands.ts";
import type { Field } from "../records/fields.ts";
import { codeImports } from "./event-types.ts";
import { comment, importOf, opening, pascal, sentenceOf } from "./names.ts";

/** The fields of the header behind `kind`, in the order in which a command's object has them. */
export const commandHeaderFields = Object.keys(commandHeader) as (keyof typeof commandHeader)[];

function fieldText(name: string, field: Field): string {
  const { type, wire, isNullable, isOptional } = field;
  const mark = isOptional === true ? "?" : "";
  const none = isNullable === true && wire !== "own" ? " | null" : "";
  return `${comment(sentenceOf(field), "  ")}  ${name}${mark}: ${type}${none};\n`;
}

function typeText(name: string, { says, fields }: CommandRow): string {
  const lines = Object.entries(fields).map(([field, of]) => fieldText(field, of));
  const head = `export interface ${pascal(name)} extends CommandHeader {\n`;
  return `${comment(says)}${head}  kind: typeof CommandKind.${name};\n${lines.join("")}}\n\n`;
}

/** The text of src/core/generated/commands.ts. */
export function commandTypes(rows: CommandRows): string {
  const entries = Object.entries(rows);
  const kinds = entries.map(
    ([name, { code, says }]) => `${comment(says, "  ")}  ${name}: ${code},\n`,
  );
  const header = commandHeaderFields.map(
    (field) => `${comment(commandHeader[field], "  ")}  ${field}: number;\n`,
  );
  return [
    opening(
      "Everything that can be asked of clearing, as a closed union. What they cause is journaled.",
    ),
    codeImports(
      entries.flatMap(([, { fields }]) => Object.values(fields)),
      "..",
      true,
    ),
    importOf(["OrderAttachments"], "../orders.ts", true),
    importOf(["RequestKey"], "../request-keys.ts", true),
    `\nexport const CommandKind = {\n${kinds.join("")}} as const;\n`,
    "export type CommandKind = (typeof CommandKind)[keyof typeof CommandKind];\n\n",
    `interface CommandHeader {\n${header.join("")}}\n\n`,
    ...entries.map(([name, row]) => typeText(name, row)),
    `export type Command =\n${entries.map(([name]) => `  | ${pascal(name)}\n`).join("")};\n`,
  ].join("");
}
