// Generates the types and the encoders of SBE messages. An encoder writes a block of fields at their offsets, then the
// groups, then texts and embedded messages.

import { choiceSets } from "../sbe/codes.ts";
import type { Field, Fields, Template } from "../sbe/fields.ts";
import { importOf } from "./names.ts";

interface Schema {
  readonly id: number;
  readonly templates: Readonly<Record<string, Template>>;
}

const sizes = {
  ...{ int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8 },
  float: 4,
} as const;

/** Bytes of a field in its block; 0 for groups, texts and embedded messages, which follow the block. */
function blockBytes(field: Field): number {
  switch (field.kind) {
    case "decimal":
      return 8;
    case "wide":
      return 16;
    case "code":
      return 1;
    case "choices":
      return choiceSets[field.set].bytes;
    case "text":
    case "embedded":
    case "group":
      return 0;
    default:
      return sizes[field.as];
  }
}

function sizeOf(fields: Fields): number {
  return Object.values(fields).reduce((sum, field) => sum + blockBytes(field), 0);
}

function typeOf(field: Field, type: string): string {
  const orNull = field.isOptional === true ? " | null" : "";
  switch (field.kind) {
    case "decimal":
    case "wide":
    case "time":
      return `Long${orNull}`;
    case "flag":
      return `boolean${orNull}`;
    case "text":
      return "string";
    case "embedded":
      return `Embedded${orNull}`;
    case "group":
      return `readonly ${type}[]`;
    case "whole":
      return (field.as.endsWith("64") ? "Long" : "number") + orNull;
    default:
      return `number${orNull}`;
  }
}

function pascal(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** The types of a message and of the rows of its groups. */
function typesText(name: string, fields: Fields): string {
  const rows = Object.entries(fields).map(([field, of]) => {
    const row = name + pascal(field);
    return {
      line: `  readonly ${field}: ${typeOf(of, row)};\n`,
      types: of.kind === "group" ? typesText(row, of.fields) : "",
    };
  });
  const lines = rows.map(({ line }) => line).join("");
  const types = rows.map((row) => row.types).join("");
  return lines === ""
    ? `export type ${name} = Readonly<Record<never, never>>;\n`
    : `${types}export interface ${name} {\n${lines}}\n`;
}

/** The statement that writes `value` at the offset `at`. */
function storeText(field: Field, at: string, value: string): string {
  const isOptional = field.isOptional === true;
  switch (field.kind) {
    case "decimal":
    case "time":
      return isOptional ? `to.longOrNull(${at}, ${value});` : `to.long(${at}, ${value});`;
    case "wide":
      return `to.wide(${at}, ${value});`;
    case "flag":
      return isOptional
        ? `view.setUint8(${at}, ${value} === null ? nulls.uint8 : Number(${value}));`
        : `view.setUint8(${at}, ${value} ? 1 : 0);`;
    case "code":
      return `view.setUint8(${at}, ${value}${isOptional ? " ?? nulls.uint8" : ""});`;
    case "choices":
      return choiceSets[field.set].bytes === 1
        ? `view.setUint8(${at}, ${value});`
        : `view.setUint16(${at}, ${value}, true);`;
    case "float":
      return `view.setFloat32(${at}, ${value}${isOptional ? " ?? nulls.float" : ""}, true);`;
    case "whole":
    case "exponent":
      return wholeText(field.as, at, isOptional ? `${value} ?? nulls.${field.as}` : value);
    default:
      return "";
  }
}

function wholeText(as: keyof typeof sizes, at: string, value: string): string {
  if (sizes[as] === 8) return `to.${as === "uint64" ? "unsignedLong" : "long"}(${at}, ${value});`;
  const order = sizes[as] === 1 ? "" : ", true";
  return `view.set${pascal(as)}(${at}, ${value}${order});`;
}

/** The statements that write a message or a row whose block begins at `start`. */
function bodyLines(fields: Fields, start: string, record: string, depth: number): string[] {
  const stores: string[] = [];
  const rest: string[] = [];
  let offset = 0;
  for (const [name, field] of Object.entries(fields)) {
    const value = `${record}.${name}`;
    if (field.kind === "group") rest.push(...groupLines(field, value, depth));
    else if (field.kind === "text") rest.push(`to.text(${field.lengthBits / 8}, ${value});`);
    else if (field.kind === "embedded") rest.push(`embed(to, ${field.lengthBits / 8}, ${value});`);
    else stores.push(storeText(field, offset === 0 ? start : `${start} + ${offset}`, value));
    offset += blockBytes(field);
  }
  const view = stores.some((line) => line.startsWith("view.")) ? ["const view = to.view;"] : [];
  return [...view, ...stores, ...rest];
}

function groupLines(
  field: Extract<Field, { kind: "group" }>,
  value: string,
  depth: number,
): string[] {
  const bytes = sizeOf(field.fields);
  const [row, at] = [`row${depth}`, `at${depth}`];
  const body = bodyLines(field.fields, at, row, depth + 1);
  const reserve = bytes === 0 ? [] : [`const ${at} = to.reserve(${bytes});`];
  return [
    `to.group${field.countBits}(${bytes}, ${value}.length);`,
    `for (const ${row} of ${value}) {`,
    ...[...reserve, ...body].map((line) => `  ${line}`),
    "}",
  ];
}

function encoderText(name: string, { id, fields }: Template, schemaId: number): string {
  const lines = bodyLines(fields, "at", "message", 1);
  const usesAt = lines.some((line) => /\bat\b/.test(line));
  const begin = `to.begin(${sizeOf(fields)}, ${id}, ${schemaId});`;
  const all = [usesAt ? `const at = ${begin}` : begin, ...lines];
  const parameter = lines.length === 0 ? "_" : "message";
  return `export function encode${name}(to: SbeWriter, ${parameter}: ${name}): void {
${all.map((line) => `  ${line}\n`).join("")}}
`;
}

function embedText(text: string): string {
  if (!text.includes("Embedded")) return "";
  return `
/** A message inside another one, or the bytes of one. */
export type Embedded =
  | { [T in keyof Messages]: { readonly template: T; readonly message: Messages[T] } }[keyof Messages]
  | Uint8Array;

function embed(to: SbeWriter, lengthBytes: 1 | 2 | 4, embedded: Embedded | null): void {
  const from = to.open(lengthBytes);
  if (embedded instanceof Uint8Array) to.append(embedded);
  else if (embedded !== null) encodeMessage(to, embedded.template, embedded.message);
  to.close(from, lengthBytes);
}
`;
}

/** The text of the module with the encoders of one schema. */
export function sbeCodec({ id, templates }: Schema): string {
  const rows = Object.entries(templates);
  const types = rows.map(([name, { fields }]) => typesText(name, fields)).join("\n");
  const encoders = rows.map(([name, row]) => encoderText(name, row, id)).join("\n");
  const values = [
    ...(encoders.includes("nulls.") ? ["nulls"] : []),
    ...(types.includes("Long") ? ["type Long"] : []),
    "type SbeWriter",
  ];
  return [
    `// SBE messages of schema ${id}: types and encoders.\n`,
    "// Generated by schemas/generate from schemas/sbe: change it there.\n\n",
    importOf(values, "../sbe-writer.ts"),
    `\n${types}\n/** The messages by the names of their templates. */\nexport interface Messages {\n`,
    ...rows.map(([name]) => `  readonly ${name}: ${name};\n`),
    `}\n${embedText(types)}\n${encoders}\n`,
    "const encoders: { readonly [T in keyof Messages]: (to: SbeWriter, message: Messages[T]) => void } = {\n",
    ...rows.map(([name]) => `  ${name}: encode${name},\n`),
    "};\n\n/** Appends a message of the template `name`. */\n",
    "export function encodeMessage<T extends keyof Messages>(to: SbeWriter, name: T, message: Messages[T]): void {\n",
    "  encoders[name](to, message);\n}\n",
  ].join("");
}
