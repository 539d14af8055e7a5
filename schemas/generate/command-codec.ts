// Commands to bytes and back: a pair of functions for each kind, and the two that choose among them.

import { codeSets } from "../records/code-sets.ts";
import type { CommandRow, CommandRows } from "../records/commands.ts";
import type { Field } from "../records/fields.ts";
import { commandHeaderFields } from "./command-types.ts";
import { codeImports } from "./event-types.ts";
import { fieldImports, highestOf, readOf, viewsOf, writesOf } from "./field-code.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { importOf, opening, pascal } from "./names.ts";

/** Bytes of the header: see src/wire/records/command-header.ts. */
const headerSize = 32;

function layoutFor(name: string, { fields, layout }: CommandRow): Layout {
  return layoutOf(name, fields, { headerSize, hasLengths: false, hasGaps: true, order: layout });
}

function indented(lines: readonly string[], by: string): string {
  return lines
    .filter((line) => line !== "")
    .map((line) => `${by}${line}\n`)
    .join("");
}

function encodeText(name: string, layout: Layout): string {
  const { size, text } = layout;
  const idLength = text === null ? "0" : `command.${text}.length`;
  const lines = [
    `writeCommandHeader(views, offset, command, ${idLength});`,
    ...writesOf(layout, "command"),
    ...(text === null ? [] : [`writeLatin1(u8, offset + ${size}, command.${text});`]),
    `return ${size}${text === null ? "" : ` + command.${text}.length`};`,
  ];
  return (
    `function encode${pascal(name)}(views: RecordViews, offset: number, command: ${pascal(name)}): number {\n` +
    `${indented([viewsOf(lines), ...lines], "  ")}}\n\n`
  );
}

function decodeText(name: string, { code, fields }: CommandRow, layout: Layout): string {
  const before = [
    `const header = readCommandHeader(views, offset, ${code});`,
    ...(layout.text === null ? [] : ["const idLength = u8[offset + 1] as number;"]),
  ];
  const values = [
    ...["kind", ...commandHeaderFields].map((field) => `${field}: header.${field},`),
    ...Object.entries(fields).map(([field, of]) => `${field}: ${readOf(layout, field, of)},`),
  ];
  return (
    `function decode${pascal(name)}(views: RecordViews, offset: number): ${pascal(name)} {\n` +
    `${indented([viewsOf([...before, ...values]), ...before], "  ")}` +
    `  return {\n${indented(values, "    ")}  };\n}\n\n`
  );
}

function switchText(rows: CommandRows, subject: string, caseOf: (name: string) => string): string {
  const cases = Object.entries(rows).map(
    ([name, { code }]) => `    case ${code}:\n      return ${caseOf(name)};\n`,
  );
  return `  switch (${subject}) {\n${cases.join("")}    default:\n`;
}

/** Bytes by kind, and the function that says them. */
function sizesText(rows: CommandRows): string {
  const entries = Object.entries(rows);
  const written = entries.filter(([, { hasOwnCodec }]) => hasOwnCodec === true);
  const byCode: number[] = [];
  for (const [name, row] of entries) {
    byCode[row.code] = row.hasOwnCodec === true ? 0 : layoutFor(name, row).size;
  }
  const sizes = Array.from(byCode, (size = 0) => size);
  const ownBytes = written.map(
    ([name, { code }]) =>
      `  if (command.kind === ${code}) return ${name}Bytes(command) + idLength;\n`,
  );
  return `/** Bytes by kind, without a text; 0 where they depend on more, and where there is no kind. */
const fixedBytes: readonly number[] = [${sizes.join(", ")}];

/** Bytes that \`command\` takes when encoded: what to claim in a ring. */
export function commandBytes(command: Command): number {
  if (!("clientId" in command)) return fixedBytes[command.kind] as number;
  const idLength = command.clientId.length;
  assert(idLength <= clientIdBytesMax, "a client id of at most 36 characters");
${ownBytes.join("")}  return (fixedBytes[command.kind] as number) + idLength;
}

`;
}

/** The head of the function that decodes: all that can be checked of every command. */
function decodeHead(rows: CommandRows): string {
  const withText = Object.values(rows).filter(({ fields }) =>
    Object.values(fields).some(({ wire }) => wire === "text"),
  );
  const isText = withText.map(({ code }) => `kind === ${code}`).join(" || ");
  const placed = Object.entries(rows).map(([name, { code, hasOwnCodec }]) =>
    hasOwnCodec === true ? `kind === ${code} ? ${name}BytesAt(views, offset) : ` : "",
  );
  return `/**
 * The command in the \`length\` bytes at byte \`offset\` (a multiple of 8) of \`views\`. Asserts a known
 * kind, codes of their sets and exactly the length of its kind and client id.
 */
export function decodeCommand(views: RecordViews, offset: number, length: number): Command {
  assert(length >= ${headerSize}, "a command has a header");
  const kind = views.u8[offset] as CommandKind;
  const idLength = views.u8[offset + 1] as number;
  assert(idLength <= clientIdBytesMax, "a client id of at most 36 characters");
  assert(idLength === 0 || ${isText}, "a client id only where there can be one");
  const fixed = ${placed.join("")}(fixedBytes[kind] as number);
  assert(fixed + idLength === length, "a command has the length of its kind");
`;
}

const encodeCommand = `/** Writes \`command\` at byte \`offset\` (a multiple of 8) of \`views\`; returns its bytes. */
export function encodeCommand(views: RecordViews, offset: number, command: Command): number {
`;

function functionsOf(name: string, row: CommandRow): string {
  const layout = layoutFor(name, row);
  return encodeText(name, layout) + decodeText(name, row, layout);
}

/** The text of src/wire/generated/command-codec.ts. */
export function commandCodec(rows: CommandRows): string {
  const made = Object.entries(rows).filter(([, { hasOwnCodec }]) => hasOwnCodec !== true);
  const own = Object.keys(rows).filter((name) => rows[name]?.hasOwnCodec === true);
  const fields: Field[] = made.flatMap(([, row]) => Object.values(row.fields));
  const functions = made.map(([name, row]) => functionsOf(name, row)).join("");
  const sets = [...new Set(fields.map(({ type }) => type))].filter(
    (type) => Object.hasOwn(codeSets, type) && functions.includes(highestOf(type)),
  );
  const named = fields.filter(({ type }) => functions.includes(`<${type}>`));
  const ownImports = own.map((name) => [
    `decode${pascal(name)}`,
    `encode${pascal(name)}`,
    `${name}Bytes`,
    `${name}BytesAt`,
  ]);
  return [
    opening("Commands to bytes and back, by kind: from a front or the main thread to clearing."),
    importOf(["assert", "unreachable"], "../../core/assert.ts"),
    importOf(
      [...made.map(([name]) => pascal(name)).sort(), "Command", "CommandKind"],
      "../../core/generated/commands.ts",
      true,
    ),
    importOf(["clientIdBytesMax"], "../../core/limits.ts"),
    codeImports(named, "../../core", false),
    importOf(["readCommandHeader", "writeCommandHeader"], "../records/command-header.ts"),
    importOf(ownImports.flat(), "../records/order-command-codec.ts"),
    importOf(["highestCode", ...fieldImports(functions)], "../records/record-fields.ts"),
    importOf(["RecordViews"], "../records/record-views.ts", true),
    "\n",
    ...sets.sort().map((set) => `const ${highestOf(set)} = highestCode(${set});\n`),
    "\n",
    functions,
    sizesText(rows),
    encodeCommand,
    switchText(rows, "command.kind", (name) => `encode${pascal(name)}(views, offset, command)`),
    "      return unreachable(command);\n  }\n}\n\n",
    decodeHead(rows),
    switchText(rows, "kind", (name) => `decode${pascal(name)}(views, offset)`),
    "      return unreachable(kind);\n  }\n}\n",
  ].join("");
}
