// Generates the code that writes and reads the optional parts of a command. A part is present if its bit is set; an
// absent part takes no bytes. The parts follow the fixed part, in their order. The text of the command comes last.

import type { Field, Fields } from "../records/fields.ts";
import type { CommandRow } from "../records/rows.ts";
import { emptyValue, indented, readOf, viewsOf, writesOf } from "./field-code.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { pascal } from "./names.ts";

/** An optional part: either some fields of a command, or one record inside the command. */
export interface Part {
  readonly name: string;
  /** The ending of the names of the part's functions, after `write` and `read`. */
  readonly title: string;
  readonly isRecord: boolean;
  readonly fields: Fields;
  readonly layout: Layout;
  readonly byte: string;
  readonly mask: number;
  /** The expression that is true if the part is present; `$.` precedes fields of the command. */
  readonly isThere: string;
  /** The part's type in the command object. */
  readonly type: string;
}

function partOf(command: string, name: string, part: Pick<Part, "fields" | "byte" | "mask">) {
  const layout = layoutOf(`${command}.${name}`, part.fields, {
    ...{ headerSize: 0, hasLengths: false, hasGaps: false },
    order: undefined,
  });
  return { ...part, name, title: pascal(command) + pascal(name), layout };
}

function isZero([name, { type }]: readonly [string, Field]): string {
  return `$.${name} !== ${emptyValue(type)}`;
}

/** The parts of the command `command`, in their order. */
export function partsOf(command: string, { fields, parts = {} }: CommandRow): Part[] {
  const some = Object.entries(parts).map(([name, bit]): Part => {
    const held = Object.entries(fields).filter(([, { part }]) => part === name);
    const names = held.map(([field]) => JSON.stringify(field)).join(" | ");
    return {
      ...partOf(command, name, { fields: Object.fromEntries(held), ...bit }),
      isRecord: false,
      isThere: held.map(isZero).join(" || "),
      type: `Pick<${pascal(command)}, ${names}>`,
    };
  });
  const records = Object.entries(fields).flatMap(([name, { wire, type, bit, fields: held }]) => {
    if (wire !== "record" || bit === undefined || held === undefined) return [];
    const part = partOf(command, name, { fields: held, byte: bit.byte, mask: bit.mask });
    return [{ ...part, isRecord: true, isThere: `$.${name} !== null`, type }];
  });
  return [...some, ...records];
}

/** Whether bits outside the part say which of its fields are not null. */
function hasBits(fields: Fields): boolean {
  return Object.values(fields).some(({ bit }) => bit !== undefined);
}

/** The bits that mark which parts are present, and which fields of an inner record are not null. */
export function bitsOfParts(parts: readonly Part[]): Fields {
  const bit = (byte: string, mask: number, stored: string): Field => ({
    ...{ wire: "bit", type: "boolean", unit: "", description: "", form: "flag" },
    ...{ bit: { byte, mask }, stored },
  });
  const all = parts.flatMap(({ name, byte, mask, isThere, fields }) => [
    [`${name}Part`, bit(byte, mask, isThere)] as const,
    ...Object.entries(fields).flatMap(([field, of]) =>
      of.bit === undefined
        ? []
        : [
            [
              `${name}${pascal(field)}`,
              bit(byte, of.bit.mask, `$.${name}?.${field} != null`),
            ] as const,
          ],
    ),
  ]);
  return Object.fromEntries(all);
}

/** The expression for the number of bytes before the part at `index`, if the fixed part has `size` bytes. */
export function startOf(parts: readonly Part[], index: number, size: number): string {
  const before = parts
    .slice(0, index)
    .map(({ byte, mask, layout }) => ` + ((${byte} & ${mask}) === 0 ? 0 : ${layout.size})`);
  return size + before.join("");
}

/** The statements that write the parts. */
export function partWrites(parts: readonly Part[], size: number): string[] {
  return parts.map(({ name, title, byte, mask, isRecord, isThere }, index) => {
    const [when, what] = isRecord
      ? [isThere.replaceAll("$.", "command."), `command.${name}`]
      : [`(${byte} & ${mask}) !== 0`, "command"];
    return `if (${when}) write${title}(views, offset + ${startOf(parts, index, size)}, ${what});`;
  });
}

/** The statements that read the parts into constants of the same names. */
export function partReads(parts: readonly Part[], size: number): string[] {
  return parts.map(({ name, title, byte, mask, isRecord, fields }, index) => {
    const at = `views, offset + ${startOf(parts, index, size)}`;
    const none = isRecord ? "null" : `no${title}`;
    const read = hasBits(fields) ? `read${title}(${at}, ${byte})` : `read${title}(${at})`;
    return `const ${name} = (${byte} & ${mask}) === 0 ? ${none} : ${read};`;
  });
}

/** The functions that write and read a part. */
function partText({ name, title, isRecord, type, byte, layout, fields }: Part): string {
  const subject = isRecord ? name : "command";
  const entries = Object.entries(fields);
  const writes = writesOf(layout, `${subject}.`);
  const values = entries.map(([field, of]) => `${field}: ${readOf(layout, field, of)},`);
  const empty = entries.map(([field, of]) => `${field}: ${emptyValue(of.type)}`).join(", ");
  return (
    (isRecord ? "" : `const no${title}: ${type} = { ${empty} };\n\n`) +
    `function write${title}(views: RecordViews, offset: number, ${subject}: ${type}): void {\n` +
    `${indented([viewsOf(writes), ...writes], "  ")}}\n\n` +
    `function read${title}(views: RecordViews, offset: number${hasBits(fields) ? `, ${byte}: number` : ""}): ${type} {\n` +
    `${indented([viewsOf(values)], "  ")}  return {\n${indented(values, "    ")}  };\n}\n\n`
  );
}

/** The functions of a command with parts; `bits` is the expression of the byte that marks which parts are present. */
export function partsText(command: string, parts: readonly Part[], size: number, bits: string) {
  const byte = parts[0]?.byte ?? "";
  return (
    `function ${command}Parts(command: ${pascal(command)}): number {\n` +
    `  return ${bits.replaceAll("$.", "command.")};\n}\n\n` +
    `/** How many bytes precede the text. */\n` +
    `function ${command}Size(${byte}: number): number {\n` +
    `  return ${startOf(parts, parts.length, size)};\n}\n\n` +
    parts.map(partText).join("")
  );
}
