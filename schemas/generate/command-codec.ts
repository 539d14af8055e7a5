// Generates the functions that turn commands into bytes and back: a pair for each kind of command, and a pair for all
// kinds, which selects by kind.

import { clientIdBytesMax, commandBytesMax } from "../../src/core/limits.ts";
import { count8, type Field, type Fields } from "../records/fields.ts";
import {
  type CommandRow,
  type CommandRows,
  commandHeader,
  commandHeaderLayout,
} from "../records/rows.ts";
import {
  bitsOfParts,
  type Part,
  partReads,
  partsOf,
  partsText,
  partWrites,
} from "./command-parts.ts";
import {
  boundsText,
  fieldImports,
  indented,
  readOf,
  readsBefore,
  switchText,
  viewsOf,
  writesOf,
} from "./field-code.ts";
import { type Layout, layoutOf, type Slot } from "./layout.ts";
import { importOf, opening, pascal } from "./names.ts";
import { codeImports } from "./record-types.ts";

const headerFields: Fields = {
  ...commandHeader,
  kind: count8(),
  idLength: { ...count8(), stored: "idLength" },
};

const header = layoutOf("the header", headerFields, {
  ...{ headerSize: 0, hasLengths: false, hasGaps: false },
  order: commandHeaderLayout,
});

const headerNames = Object.keys(commandHeader).filter((name) => name !== "identity");

/** The layout of the identity, which follows the record of a command that has one. */
const identity = layoutOf("the identity", commandHeader.identity.fields ?? {}, {
  ...{ headerSize: 0, hasLengths: false, hasGaps: false },
  order: undefined,
});

/** The text of the functions that write and read the identity. */
function identityText(): string {
  const fields = commandHeader.identity.fields ?? {};
  const writes = writesOf(identity, "identity.");
  const values = Object.entries(fields).map(
    ([name, of]) => `${name}: ${readOf(identity, name, of)},`,
  );
  return `function writeIdentity(views: RecordViews, offset: number, identity: CommandIdentity): void {
${indented([viewsOf(writes), ...writes], "  ")}}

function readIdentity(views: RecordViews, offset: number): CommandIdentity {
${indented([viewsOf(values)], "  ")}  return {
${indented(values, "    ")}  };
}

/** How many bytes precede the identity of a command whose record has \`bytes\` bytes. */
function beforeIdentity(bytes: number): number {
  return (bytes + 7) & ~7;
}

`;
}

/** The text of the functions that write and read headers. */
function headerText(): string {
  const writes = writesOf(header, "command.");
  const values = headerNames.map(
    (name) => `${name}: ${readOf(header, name, headerFields[name] as Field)},`,
  );
  return `/** Writes the header of \`command\`, whose record is followed by \`idLength\` characters. */
function writeCommandHeader(views: RecordViews, offset: number, command: Command, idLength: number): void {
${indented([viewsOf(writes), ...writes], "  ")}}

/** Reads the fields of the header, except the kind, which the caller already knows. */
function readCommandHeader<Kind extends number>(views: RecordViews, offset: number, kind: Kind) {
${indented([viewsOf(values)], "  ")}  return {
${indented(["kind,", ...values], "    ")}  };
}

`;
}

/** The data from which the functions of one command are generated. */
interface Plan {
  readonly name: string;
  readonly row: CommandRow;
  /** The layout of the fixed part, without optional parts and text. */
  readonly layout: Layout;
  readonly parts: readonly Part[];
  /** The byte whose bits mark the parts that are present, if the command has parts. */
  readonly bits: Slot | undefined;
}

/** The largest number of characters of the command's text. */
function charactersMaxOf({ fields }: CommandRow): number {
  const text = Object.values(fields).find(({ wire }) => wire === "text");
  return text?.charactersMax ?? clientIdBytesMax;
}

function planOf(name: string, row: CommandRow): Plan {
  const parts = partsOf(name, row);
  const fixed = Object.entries(row.fields).filter(([, { part }]) => part === undefined);
  const { slots, ...layout } = layoutOf(
    name,
    { ...Object.fromEntries(fixed), ...bitsOfParts(parts) },
    { headerSize: header.size, hasLengths: false, hasGaps: true, order: row.layout },
  );
  const longest = parts.reduce((sum, part) => sum + part.layout.size, layout.size);
  if (Math.ceil((longest + charactersMaxOf(row)) / 8) * 8 + identity.size > commandBytesMax)
    throw new Error(
      `schemas/records: ${name} with all its parts, its text and an identity must fit commandBytesMax`,
    );
  const bits = slots.find((slot) => slot.name === parts[0]?.byte);
  const stored = slots.map((slot) => (slot === bits ? { ...slot, value: slot.name } : slot));
  return { name, row, layout: { ...layout, slots: stored }, parts, bits };
}

function encodeText({ name, layout, parts, bits }: Plan): string {
  const { size, text } = layout;
  const end = bits === undefined ? `${size}` : "size";
  const lines = [
    ...(bits === undefined ? [] : [`const ${bits.name} = ${name}Parts(command);`]),
    `writeCommandHeader(views, offset, command, ${text === null ? "0" : `command.${text}.length`});`,
    ...writesOf(layout, "command."),
    ...partWrites(parts, size),
    ...(bits === undefined ? [] : [`const size = ${name}Size(${bits.name});`]),
    ...(text === null ? [] : [`writeLatin1(u8, offset + ${end}, command.${text});`]),
    `return ${end}${text === null ? "" : ` + command.${text}.length`};`,
  ];
  return (
    `function encode${pascal(name)}(views: RecordViews, offset: number, command: ${pascal(name)}): number {\n` +
    `${indented([viewsOf(lines), ...lines], "  ")}}\n\n`
  );
}

/** The expression that reads a field of a command. */
function readText(field: string, of: Field, { name, layout, bits }: Plan): string {
  if (of.part !== undefined) return `${of.part}.${field}`;
  if (of.wire === "record") return field;
  const read = readOf(layout, field, of);
  if (of.wire !== "text" || bits === undefined) return read;
  return read.replace(`offset + ${layout.size}`, `offset + ${name}Size(${bits.name})`);
}

function decodeText(plan: Plan): string {
  const { name, row, layout, parts } = plan;
  const before = [
    `const header = readCommandHeader(views, offset, ${row.code});`,
    ...(layout.text === null ? [] : ["const idLength = u8[offset + 1] as number;"]),
    ...readsBefore(layout),
    ...partReads(parts, layout.size),
  ];
  const values = [
    ...["kind", ...headerNames].map((field) => `${field}: header.${field},`),
    "identity: null,",
    ...Object.entries(row.fields).map(([field, of]) => `${field}: ${readText(field, of, plan)},`),
  ];
  return (
    `function decode${pascal(name)}(views: RecordViews, offset: number): ${pascal(name)} {\n` +
    `${indented([viewsOf([...before, ...values]), ...before], "  ")}` +
    `  return {\n${indented(values, "    ")}  };\n}\n\n`
  );
}

/** Byte sizes by kind, and the function that returns them. */
function sizesText(plans: readonly Plan[]): string {
  const byCode: number[] = [];
  for (const { row, layout, bits } of plans)
    byCode[row.code] = bits === undefined ? layout.size : 0;
  const sizes = Array.from(byCode, (size = 0) => size);
  const cases = plans.flatMap(({ name, row, layout, bits }) => {
    if (layout.text === null && bits === undefined) return [];
    const fixed = bits === undefined ? `${layout.size}` : `${name}Size(${name}Parts(command))`;
    const text =
      layout.text === null ? "" : ` + textBytes(command.${layout.text}, ${charactersMaxOf(row)})`;
    return [`    case ${row.code}:\n      return ${fixed}${text};\n`];
  });
  return `/** Bytes of a command by kind, without its text; 0 if optional parts change them, and for unknown kinds. */
const fixedBytes: readonly number[] = [${sizes.join(", ")}];

function textBytes(text: string, charactersMax: number): number {
  assert(text.length <= charactersMax, "the text of a command must not be longer than its kind allows");
  return text.length;
}

/** How many bytes \`command\` takes when encoded: the size to claim in a ring. */
export function commandBytes(command: Command): number {
  const bytes = recordBytes(command);
  return (command.identity ?? null) === null ? bytes : beforeIdentity(bytes) + ${identity.size};
}

/** How many bytes the record of \`command\` takes, without its identity. */
function recordBytes(command: Command): number {
  switch (command.kind) {
${cases.join("")}    default:
      return fixedBytes[command.kind] as number;
  }
}

`;
}

/** The text of the decode function's first statements, which are the checks common to all commands. */
function decodeHead(plans: readonly Plan[]): string {
  const withText = plans.filter(({ layout }) => layout.text !== null);
  const mark = commandHeader.identity.bit?.mask ?? 0;
  const longest: number[] = [];
  for (const { row } of withText) longest[row.code] = charactersMaxOf(row);
  const limits = Array.from(longest, (limit = 0) => limit);
  const placed = plans.map(({ name, row, bits }) =>
    bits === undefined
      ? ""
      : `kind === ${row.code} ? ${name}Size(views.u8[offset + ${bits.offset}] as number) : `,
  );
  return `/** The largest number of characters of a command's text by kind; 0 if the kind has none. */
const charactersMax: readonly number[] = [${limits.join(", ")}];

/**
 * The command in the \`length\` bytes at byte \`offset\` (a multiple of 8) of \`views\`. Asserts that the kind and all
 * codes are known, and that \`length\` is exactly the length of such a command with its text and its identity.
 */
export function decodeCommand(views: RecordViews, offset: number, length: number): Command {
  assert(length >= ${header.size}, "a command must be at least as long as its header");
  const marked = views.u8[offset] as number;
  const kind = (marked & ${mark - 1}) as CommandKind;
  const idLength = views.u8[offset + 1] as number;
  assert(idLength <= (charactersMax[kind] ?? 0), "the text of a command must not be longer than its kind allows");
  const fixed = ${placed.join("")}(fixedBytes[kind] as number);
  const bytes = fixed + idLength;
  const identityAt = beforeIdentity(bytes);
  const expected = marked === kind ? bytes : identityAt + ${identity.size};
  assert(expected === length, "the length of a command must match its kind, parts, text and identity");
  const command = decodeRecord(views, offset, kind);
  if (marked !== kind) command.identity = readIdentity(views, offset + identityAt);
  return command;
}

function decodeRecord(views: RecordViews, offset: number, kind: CommandKind): Command {
`;
}

const encodeHead = `/** Writes \`command\` at byte \`offset\` (a multiple of 8) of \`views\`; returns how many bytes it wrote. */
export function encodeCommand(views: RecordViews, offset: number, command: Command): number {
  const bytes = encodeRecord(views, offset, command);
  const { identity = null } = command;
  if (identity === null) return bytes;
  const at = beforeIdentity(bytes);
  views.u8.fill(0, offset + bytes, offset + at);
  views.u8[offset] = command.kind | ${commandHeader.identity.bit?.mask};
  writeIdentity(views, offset + at, identity);
  return at + ${identity.size};
}

function encodeRecord(views: RecordViews, offset: number, command: Command): number {
`;

function functionsOf(plan: Plan): string {
  const { name, layout, parts, bits } = plan;
  const more = bits === undefined ? "" : partsText(name, parts, layout.size, bits.value);
  return more + encodeText(plan) + decodeText(plan);
}

/** The text of src/wire/generated/command-codec.ts. */
export function commandCodec(rows: CommandRows): string {
  const entries = Object.entries(rows);
  const plans = entries.map(([name, row]) => planOf(name, row));
  const functions = headerText() + identityText() + plans.map(functionsOf).join("");
  const bounds = boundsText(functions);
  const fields = [commandHeader.identity.fields ?? {}, ...entries.map(([, row]) => row.fields)]
    .flatMap(Object.values<Field>)
    .flatMap((of) => [of, ...Object.values(of.fields ?? {})]);
  const named = fields.filter(({ type }) => functions.includes(`<${type}>`));
  const types = entries.map(([name]) => pascal(name)).sort();
  return [
    opening("Commands to bytes and back, by kind: from a front or the main thread to clearing."),
    importOf(["assert", "unreachable"], "../../core/assert.ts"),
    importOf([...types, "Command", "CommandKind"], "../../core/generated/commands.ts", true),
    importOf(["CommandIdentity"], "../../core/command-identity.ts", true),
    codeImports(named, "../../core", false),
    importOf(["ListLeg"], "../../core/order-lists.ts", true),
    importOf(["OrderAttachments"], "../../core/orders.ts", true),
    importOf(fieldImports(functions + bounds), "../records/record-fields.ts"),
    importOf(["RecordViews"], "../records/record-views.ts", true),
    `\n${bounds}\n`,
    functions,
    sizesText(plans),
    encodeHead,
    switchText(rows, "command.kind", (name) => `encode${pascal(name)}(views, offset, command)`),
    "      return unreachable(command);\n  }\n}\n\n",
    decodeHead(plans),
    switchText(rows, "kind", (name) => `decode${pascal(name)}(views, offset)`),
    "      return unreachable(kind);\n  }\n}\n",
  ].join("");
}
