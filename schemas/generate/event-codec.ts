// Generates the functions that turn events into bytes and back: a pair for each kind of event, and a pair for all
// kinds, which selects by kind.

import { count8, type Field, type Fields, number16 } from "../records/fields.ts";
import { type EventRow, type EventRows, eventHeader, eventHeaderLayout } from "../records/rows.ts";
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
import { type Layout, layoutOf } from "./layout.ts";
import { importOf, opening, pascal } from "./names.ts";
import { codeImports } from "./record-types.ts";

/** The fields of the header, which precede an event's own fields. */
export const headerFields: Fields = {
  ...eventHeader,
  kind: count8(
    "The event's kind: a code of EventKind, whose name is also the name of the event's struct.",
  ),
  bytes: { ...number16("Length of the whole event, client id included."), stored: "bytes" },
};

const header = layoutOf("the header", headerFields, {
  ...{ headerSize: 0, hasLengths: true, hasGaps: false },
  order: eventHeaderLayout,
});

/** The layout of an event. */
export function eventLayout(name: string, { fields, layout }: EventRow): Layout {
  return layoutOf(name, fields, {
    ...{ headerSize: header.size, hasLengths: true, hasGaps: false },
    order: layout,
  });
}

function at(name: string): number {
  return header.slots.find((slot) => slot.name === name)?.offset ?? 0;
}

/** The slots of the header. */
export const headerSlots = header.slots;

const headerNames = Object.keys(eventHeader);

/** The text of the functions that write and read headers. */
function headerText(): string {
  const writes = writesOf(header, "event.");
  const values = headerNames.map((name) => {
    return `${name}: ${readOf(header, name, headerFields[name] as Field)},`;
  });
  const bytesAt = `u16[(offset + ${at("bytes")}) >> 1]`;
  const check = `assert(${bytesAt} === bytes, "the length stored in an event must match its kind and text");`;
  return `/** Writes the header of \`event\`, which has \`bytes\` bytes with its header and text. */
function writeEventHeader(views: RecordViews, offset: number, event: VenueEvent, bytes: number): void {
${indented([viewsOf(writes), ...writes], "  ")}}

/** Reads the header's fields. Asserts that the stored length is \`bytes\`, the length of this event by its kind. */
function readEventHeader<Kind extends number>(views: RecordViews, offset: number, kind: Kind, bytes: number) {
${indented([viewsOf([...values, bytesAt]), check], "  ")}  return {
${indented([...values, "kind,"], "    ")}  };
}

`;
}

function encodeText(name: string, layout: Layout): string {
  const { size, text } = layout;
  const length = text === null ? `${size}` : "bytes";
  const lines = [
    ...(text === null ? [] : [`const bytes = ${name}Bytes(event);`]),
    `writeEventHeader(views, offset, event, ${length});`,
    ...writesOf(layout, "event."),
    ...(text === null ? [] : [`writeLatin1(u8, offset + ${size}, event.${text});`]),
    `return ${length};`,
  ];
  const sizeFunction =
    text === null
      ? ""
      : `function ${name}Bytes(event: ${pascal(name)}): number {\n` +
        `  assert(event.${text}.length <= clientIdBytesMax, "the text of an event must have at most 36 characters");\n` +
        `  return ${size} + event.${text}.length;\n}\n\n`;
  return (
    `${sizeFunction}function encode${pascal(name)}(views: RecordViews, offset: number, event: ${pascal(name)}): number {\n` +
    `${indented([viewsOf(lines), ...lines], "  ")}}\n\n`
  );
}

function decodeText(name: string, { code, fields }: EventRow, layout: Layout): string {
  const { size, text } = layout;
  const length = text === null ? `${size}` : `${size} + idLength`;
  const before = [
    ...readsBefore(layout),
    `const header = readEventHeader(views, offset, ${code}, ${length});`,
  ];
  const values = [
    ...[...headerNames, "kind"].map((field) => `${field}: header.${field},`),
    ...Object.entries(fields).map(([field, of]) => `${field}: ${readOf(layout, field, of)},`),
  ];
  return (
    `function decode${pascal(name)}(views: RecordViews, offset: number): ${pascal(name)} {\n` +
    `${indented([viewsOf([...before, ...values]), ...before], "  ")}` +
    `  return {\n${indented(values, "    ")}  };\n}\n\n`
  );
}

const encodeEvent = `/**
 * Writes \`event\` at byte \`offset\` (a multiple of 8) of \`views\` and returns how many bytes it wrote. The bytes
 * depend only on the event, and decoding them returns the event. Asserts that the event can be encoded.
 */
export function encodeEvent(views: RecordViews, offset: number, event: VenueEvent): number {
`;

const decodeEvent = `/**
 * The event in the \`length\` bytes at byte \`offset\` (a multiple of 8) of \`views\`, as in a ring record. Asserts
 * that the kind and all codes are known, and that \`length\` is exactly the length stored in the event.
 */
export function decodeEvent(views: RecordViews, offset: number, length: number): VenueEvent {
  assert(length >= ${header.size}, "an event must be at least as long as its header");
  assert(views.u16[(offset + ${at("bytes")}) >> 1] === length, "an event must have the length stored in it");
  const kind = views.u8[offset + ${at("kind")}] as EventKind;
`;

function sizesText(rows: EventRows): string {
  const texts = Object.entries(rows).filter(([name, row]) => eventLayout(name, row).text !== null);
  const sizes = Object.entries(rows).map(([name, row]) => {
    const { size, text } = eventLayout(name, row);
    return { code: row.code, size: text === null ? size : 0, longest: size };
  });
  const byCode: number[] = [];
  for (const { code, size } of sizes) byCode[code] = size;
  const fixed = Array.from(byCode, (size = 0) => size);
  const longest = Math.max(...sizes.map((one) => one.longest));
  const cases = texts.map(
    ([name, { code }]) => `  if (event.kind === ${code}) return ${name}Bytes(event);\n`,
  );
  return (
    `/** Bytes of an event by kind; 0 if a text changes them, and for unknown kinds. */\n` +
    `const fixedBytes: readonly number[] = [${fixed.join(", ")}];\n\n` +
    `assert(fixedBytes.every((bytes) => bytes !== replyBytes), "an event must not be as long as a reply");\n` +
    `assert(${longest} + clientIdBytesMax <= eventBytesMax, "the longest event must fit eventBytesMax");\n\n` +
    `/** How many bytes \`event\` takes when encoded: the size to claim in a ring. */\n` +
    `export function eventBytes(event: VenueEvent): number {\n${cases.join("")}` +
    `  return fixedBytes[event.kind] as number;\n}\n\n`
  );
}

/** The text of src/wire/generated/event-codec.ts. */
export function eventCodec(rows: EventRows): string {
  const entries = Object.entries(rows);
  const fields: Field[] = entries.flatMap(([, row]) => Object.values<Field>(row.fields));
  const kinds = entries.map(([name, row]) => {
    const layout = eventLayout(name, row);
    return encodeText(name, layout) + decodeText(name, row, layout);
  });
  const functions = headerText() + kinds.join("");
  const bounds = boundsText(functions);
  const types = entries.map(([name]) => pascal(name)).sort();
  return [
    opening(
      "Events to bytes and back, by kind: the bytes in the rings are the bytes in the journal.",
    ),
    importOf(["assert", "unreachable"], "../../core/assert.ts"),
    importOf([...types, "EventKind", "VenueEvent"], "../../core/generated/events.ts", true),
    importOf(["clientIdBytesMax", "eventBytesMax"], "../../core/limits.ts"),
    codeImports(fields, "../../core", false),
    importOf(fieldImports(functions + bounds), "../records/record-fields.ts"),
    importOf(["RecordViews"], "../records/record-views.ts", true),
    importOf(["replyBytes"], "./message-codec.ts"),
    `\n${bounds}\n`,
    functions,
    sizesText(rows),
    encodeEvent,
    switchText(rows, "event.kind", (name) => `encode${pascal(name)}(views, offset, event)`),
    "      return unreachable(event);\n  }\n}\n\n",
    decodeEvent,
    switchText(rows, "kind", (name) => `decode${pascal(name)}(views, offset)`),
    "      return unreachable(kind);\n  }\n}\n",
  ].join("");
}

function layoutText(name: string, { slots, size }: Layout): string {
  const offsets = slots.map((slot) => `  ${slot.name}: ${slot.offset},\n`);
  return `export const ${name}Layout = {\n${offsets.join("")}  size: ${size},\n} as const;\n\n`;
}

/** The text of src/wire/generated/event-layout.ts. */
export function eventLayouts(rows: EventRows): string {
  const layouts = Object.entries(rows).map(([name, row]) =>
    layoutText(name, eventLayout(name, row)),
  );
  const title = "Byte offsets in every event: the layout of the structs in event.fbs.";
  return opening(title) + layoutText("eventHeader", header) + layouts.join("");
}
