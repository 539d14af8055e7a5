// The statements that write fields at their places and the expressions that read them back: one store or load
// each through a typed view, no loop and no table, so that the engine's compiler takes them as one piece.

import { codeSets } from "../records/code-sets.ts";
import type { Field } from "../records/fields.ts";
import type { Layout, Slot } from "./layout.ts";
import { camel } from "./names.ts";

/** The highest code of a set, as generated modules name it. */
export function highestOf(type: string): string {
  return `${camel(type)}Highest`;
}

/** Index of the bytes at `offset` in the view of elements of `1 << shift` bytes. */
function index(offset: number, shift: number): string {
  return shift === 0 ? `offset + ${offset}` : `(offset + ${offset}) >> ${shift}`;
}

/** The value of a slot of at most two bytes. */
function smallValue({ bits, value }: Slot, record: string): string {
  if (bits.length === 0) return `${record}.${value}`;
  return bits.map((bit) => `(${record}.${bit.name} ? ${bit.mask} : 0)`).join(" | ");
}

function wideWrite(slot: Slot, record: string): string {
  const value = `${record}.${slot.value}`;
  const { offset } = slot;
  switch (slot.field?.wire) {
    case "u53":
      return `writeUint53(u32, ${index(offset, 2)}, ${value});`;
    case "i64":
      return `writeInt64(i64, ${index(offset, 3)}, ${value});`;
    case "i53":
      return `writeInt64(i64, ${index(offset, 3)}, BigInt(${value}));`;
    case "f64":
      return `writeSafeInteger(f64, ${index(offset, 3)}, ${value});`;
    default:
      return `writeUint32(u32, ${index(offset, 2)}, ${value});`;
  }
}

/** Writes the slots of one word, which are packed and stored at once. */
function wordWrite(word: number, slots: readonly Slot[], record: string): string[] {
  const at = (place: number) => {
    const slot = slots.find(({ offset }) => offset === word + place);
    return slot === undefined ? "0" : smallValue(slot, record);
  };
  const halves = slots.filter(({ size }) => size === 2);
  if (halves.length === 0) {
    return [`writeBytes(u32, ${index(word, 2)}, ${[0, 1, 2, 3].map(at).join(", ")});`];
  }
  if (halves.length === 1 && halves[0]?.offset === word) {
    return [`writeHalfAndBytes(u32, ${index(word, 2)}, ${[0, 2, 3].map(at).join(", ")});`];
  }
  return halves.map(({ offset }) => `writeUint16(u16, ${index(offset, 1)}, ${at(offset - word)});`);
}

/** The statements that write the fixed part of `record`, its filler as zeros. */
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
function keyRead({ slots }: Layout, isNullable: boolean): string {
  const place = (name: string) => slots.find((slot) => slot.name === name)?.offset ?? 0;
  const words = ["high", "low", "payload"].map(
    (part) => `${part}: readInt64(i64, ${index(place(part), 3)})`,
  );
  const key = `{ ${words.join(", ")} }`;
  return isNullable ? `readFlag(u8, ${index(place("isKeyed"), 0)}) ? ${key} : null` : key;
}

/** The expression that reads the field `name`. */
export function readOf(layout: Layout, name: string, field: Field): string {
  if (field.wire === "key") return keyRead(layout, field.isNullable === true);
  if (field.wire === "text") return `readLatin1(u8, offset + ${layout.size}, idLength)`;
  const slot = layout.slots.find(
    (one) => one.name === name || one.bits.some((bit) => bit.name === name),
  );
  if (slot === undefined) throw new Error(`schemas/records: ${name} lies nowhere`);
  const { offset, bits } = slot;
  switch (field.wire) {
    case "bit":
      return bits.length === 1
        ? `readFlag(u8, ${index(offset, 0)})`
        : `(${slot.name} & ${field.bit?.mask}) !== 0`;
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
    case "u32":
      return `u32[${index(offset, 2)}] as number`;
    case "u16":
      return `u16[${index(offset, 1)}] as number`;
    default:
      return byteRead(field, offset);
  }
}

function byteRead({ type, isNullable, absent }: Field, offset: number): string {
  const at = index(offset, 0);
  if (!Object.hasOwn(codeSets, type)) return `u8[${at}] as number`;
  return isNullable === true
    ? `readCodeOrNull<${type}>(u8, ${at}, ${absent})`
    : `readCode<${type}>(u8, ${at}, ${highestOf(type)})`;
}

/** Statements in front of the reads: bytes that several fields share, and the length of the text. */
export function readsBefore({ slots }: Layout): string[] {
  return slots.flatMap((slot) => {
    if (slot.textOf !== null) {
      return [`const idLength = readCode<number>(u8, offset + ${slot.offset}, clientIdBytesMax);`];
    }
    if (slot.bits.length < 2) return [];
    const highest = slot.bits.reduce((sum, { mask }) => sum + mask, 0);
    return [`const ${slot.name} = readCode<number>(u8, offset + ${slot.offset}, ${highest});`];
  });
}

/** The views that `lines` name, taken out of `views`. */
export function viewsOf(lines: readonly string[]): string {
  const text = lines.join("\n");
  const used = ["u8", "u16", "u32", "f64", "i64"].filter((view) =>
    new RegExp(`\\b${view}[[,]`).test(text),
  );
  return used.length === 0 ? "" : `const { ${used.join(", ")} } = views;`;
}

/** Of the functions of record-fields.ts those that `text` calls. */
export function fieldImports(text: string): string[] {
  const names = text.match(/\b(read|write)[A-Z]\w*(?=[(<])/g) ?? [];
  const known =
    /^(read|write)(Uint53|Uint32|Uint16|Uint8|Int64|SafeInteger|Flag|Code|CodeOrNull|Latin1|Bytes|HalfAndBytes)$/;
  return [...new Set(names)].filter((name) => known.test(name)).sort();
}
