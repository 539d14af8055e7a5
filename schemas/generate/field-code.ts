// Generates the statements that write fields at their offsets and the expressions that read them back. Each one is a
// single store or load through a typed view, without a loop or a table, so that the JavaScript engine inlines it.

import { codeSets } from "../records/code-sets.ts";
import type { Field, Fields } from "../records/fields.ts";
import type { Layout, Slot } from "./layout.ts";
import { camel } from "./names.ts";

/** The codes of the set `type`; undefined if it is not a code set. */
function codesOf(type: string): readonly number[] | undefined {
  if (!Object.hasOwn(codeSets, type)) return undefined;
  return Object.values(codeSets[type as keyof typeof codeSets].codes);
}

/** The lowest code of the set `type`; undefined if it is not a code set. */
export function lowestOf(type: string): number | undefined {
  const codes = codesOf(type);
  return codes && Math.min(...codes);
}

/** Whether the codes of a set have gaps. */
function isList(codes: readonly number[]): boolean {
  return Math.max(...codes) - Math.min(...codes) >= codes.length;
}

/**
 * The name of a constant in generated modules, against which they check codes of a set. The constant holds the highest
 * code or, if the codes have gaps, the list of all codes.
 */
function boundOf(type: string): string {
  return camel(type) + (isList(codesOf(type) ?? []) ? "Listed" : "Highest");
}

/** The declarations of the bounds that `text` uses. */
export function boundsText(text: string): string {
  const sets = Object.keys(codeSets).filter((set) =>
    new RegExp(`\\b${boundOf(set)}\\b`).test(text),
  );
  const lines = sets.map((set) => {
    const made = isList(codesOf(set) ?? []) ? "listedCodes" : "highestCode";
    return `const ${boundOf(set)} = ${made}(${set});\n`;
  });
  return lines.join("");
}

/** The lines that are not empty, each indented by `by`. */
export function indented(lines: readonly string[], by: string): string {
  return lines
    .filter((line) => line !== "")
    .map((line) => `${by}${line}\n`)
    .join("");
}

/**
 * A switch whose cases are the numbers of the kinds, so that the JavaScript engine uses a jump table instead of
 * comparing the number with each case in turn.
 */
export function switchText(
  rows: Readonly<Record<string, { readonly code: number }>>,
  subject: string,
  caseOf: (name: string) => string,
): string {
  const cases = Object.entries(rows).map(
    ([name, { code }]) => `    case ${code}:\n      return ${caseOf(name)};\n`,
  );
  return `  switch (${subject}) {\n${cases.join("")}    default:\n`;
}

/** The expression for the index of the bytes at `offset` in a view whose elements have `1 << shift` bytes. */
function index(offset: number, shift: number): string {
  return shift === 0 ? `offset + ${offset}` : `(offset + ${offset}) >> ${shift}`;
}

/**
 * The expression of a slot's value. If the fields are parameters, `record` is empty; otherwise it is the name of the
 * record's variable and a dot.
 */
function storedText({ value }: Slot, record: string): string {
  return value.replaceAll("$.", record);
}

function wideWrite(slot: Slot, record: string): string {
  const value = storedText(slot, record);
  const { offset } = slot;
  switch (slot.field?.wire) {
    case "u53":
      return `writeUint53(u32, ${index(offset, 2)}, ${value});`;
    case "i64":
      return `writeInt64(i64, ${index(offset, 3)}, ${value});`;
    case "i53":
      return `writeInt64(i64, ${index(offset, 3)}, BigInt(${value}));`;
    case "words":
      return `writeWords(u32, ${index(offset, 2)}, ${value}, ${slot.field.count});`;
    case "f64":
      return `writeSafeInteger(f64, ${index(offset, 3)}, ${value});`;
    default:
      return `writeUint32(u32, ${index(offset, 2)}, ${value});`;
  }
}

/**
 * The statements that write the slots of one 32-bit word: one packed store, or two stores if the slots are two half
 * words.
 */
function wordWrite(word: number, slots: readonly Slot[], record: string): string[] {
  const at = (byte: number) => {
    const slot = slots.find(({ offset }) => offset === word + byte);
    return slot === undefined ? "0" : storedText(slot, record);
  };
  const halves = slots.filter(({ size }) => size === 2);
  const write = (name: string, bytes: readonly number[]) =>
    `${name}(u32, ${index(word, 2)}, ${bytes.map(at).join(", ")});`;
  if (halves.length === 0) return [write("writeBytes", [0, 1, 2, 3])];
  if (halves.length === 1) {
    return halves[0]?.offset === word
      ? [write("writeHalfAndBytes", [0, 2, 3])]
      : [write("writeBytesAndHalf", [0, 1, 2])];
  }
  return halves.map(({ offset }) => `writeUint16(u16, ${index(offset, 1)}, ${at(offset - word)});`);
}

/** The statements that write the fixed part of `record` (such as `event.`), with zeros in the filler. */
export function writesOf({ slots, filler }: Layout, record: string): string[] {
  const wide = slots.filter(({ size }) => size >= 4);
  const small = slots.filter(({ size }) => size < 4);
  const words = new Set(small.map(({ offset }) => offset & ~3));
  return [
    ...wide.map((slot) => wideWrite(slot, record)),
    ...[...words].flatMap((word) =>
      wordWrite(
        word,
        small.filter(({ offset }) => (offset & ~3) === word),
        record,
      ),
    ),
    ...(filler === null ? [] : [`u32[${index(filler, 2)}] = 0;`]),
  ];
}

/** The expression that reads an idempotency key. */
function keyRead({ slots }: Layout, { isNullable, bit }: Field): string {
  const offsetOf = (name: string) => slots.find((slot) => slot.name === name)?.offset ?? 0;
  const parts = ["high", "low", "payload"].map(
    (part) => `${part}: readInt64(i64, ${index(offsetOf(part), 3)})`,
  );
  const key = `{ ${parts.join(", ")} }`;
  if (isNullable !== true) return key;
  const isThere =
    bit === undefined
      ? `readFlag(u8, ${index(offsetOf("isKeyed"), 0)})`
      : `(${bit.byte} & ${bit.mask}) !== 0`;
  return `${isThere} ? ${key} : null`;
}

/** The expression that reads the field `name`. */
export function readOf(layout: Layout, name: string, field: Field): string {
  if (field.wire === "key") return keyRead(layout, field);
  if (field.wire === "text") return `readLatin1(u8, offset + ${layout.size}, idLength)`;
  const slot = layout.slots.find(
    (one) => one.name === name || one.bits.some((bit) => bit.name === name),
  );
  if (slot === undefined)
    throw new Error(`schemas/records: the layout must have a slot for ${name}`);
  const { offset } = slot;
  switch (field.wire) {
    case "bit":
      return bitRead(field, slot);
    case "flag":
      return `readFlag(u8, ${index(offset, 0)})`;
    case "u53":
      return `readUint53(u32, ${index(offset, 2)})`;
    case "i64":
      return `readInt64(i64, ${index(offset, 3)})`;
    case "i53":
      return `Number(readInt64(i64, ${index(offset, 3)}))`;
    case "f64":
      return `readSafeInteger(f64, ${index(offset, 3)})`;
    case "words":
      return `readWords(u32, ${index(offset, 2)}, ${field.count})`;
    case "u32":
      return `u32[${index(offset, 2)}] as number`;
    case "u16":
      return `u16[${index(offset, 1)}] as number`;
    default:
      return byteRead(field, offset);
  }
}

function bitRead({ type, bit }: Field, { name, bits, offset }: Slot): string {
  if (bits.length === 1) return `readFlag(u8, ${index(offset, 0)})`;
  if (type === "boolean") return `(${name} & ${bit?.mask}) !== 0`;
  const how = isList(codesOf(type) ?? []) ? "listedCode" : "checkedCode";
  return `${how}<${type}>(${name} & ${bit?.mask}, ${boundOf(type)})`;
}

function byteRead({ type, isNullable, absent }: Field, offset: number): string {
  const at = index(offset, 0);
  const lowest = lowestOf(type);
  if (lowest === undefined) return `u8[${at}] as number`;
  if (isNullable === true) return `readCodeOrNull<${type}>(u8, ${at}, ${absent})`;
  const how = lowest === 0 ? "readCode" : "readCodeAboveZero";
  return `${how}<${type}>(u8, ${at}, ${boundOf(type)})`;
}

/**
 * Statements before the reads. They store in constants each byte or half word whose bits are shared by several fields,
 * and the length of the text.
 */
export function readsBefore({ slots }: Layout): string[] {
  return slots.flatMap(({ name, offset, size, bits, textOf }) => {
    if (textOf !== null) {
      return [`const idLength = readCode<number>(u8, offset + ${offset}, clientIdBytesMax);`];
    }
    if (bits.length < 2) return [];
    if (size === 2) return [`const ${name} = u16[${index(offset, 1)}] as number;`];
    const highest = bits.reduce((sum, { mask }) => sum + mask, 0);
    return [`const ${name} = readCode<number>(u8, offset + ${offset}, ${highest});`];
  });
}

/** The value of a field in an empty record, as an expression. */
export function emptyValue(type: string): string {
  if (type === "boolean") return "false";
  if (type === "bigint") return "0n";
  return type === "string" ? '""' : String(lowestOf(type) ?? 0);
}

/** The text of a function that returns an empty record of the type `type`; `before` are its first fields. */
export function emptyText(type: string, fields: Fields, before: readonly string[] = []): string {
  const values = Object.entries(fields).map(([name, of]) => `${name}: ${emptyValue(of.type)},`);
  return (
    `export function empty${type}(): ${type} {\n  return {\n` +
    `${indented([...before, ...values], "    ")}  };\n}\n\n`
  );
}

/** The statement that takes the views which `lines` use out of `views`; empty if they use none. */
export function viewsOf(lines: readonly string[]): string {
  const text = lines.join("\n");
  const used = ["u8", "u16", "u32", "f64", "i64"].filter((view) =>
    new RegExp(`\\b${view}[[,]`).test(text),
  );
  return used.length === 0 ? "" : `const { ${used.join(", ")} } = views;`;
}

/** The functions of record-fields.ts that `text` calls. */
export function fieldImports(text: string): string[] {
  const names = text.match(/\b(read|write|checked|listed|highest)[A-Z]\w*(?=[(<])/g) ?? [];
  const known =
    /^(read|write)(Uint53|Uint32|Uint16|Int64|SafeInteger|Flag|Code|CodeAboveZero|CodeOrNull|Latin1|Words|Bytes|HalfAndBytes|BytesAndHalf)$|^(checked|listed|highest)Codes?$/;
  return [...new Set(names)].filter((name) => known.test(name)).sort();
}
