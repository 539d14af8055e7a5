// Events to bytes and back: a pair of functions for each kind, and the two that choose among them.

import { codeSets } from "../records/code-sets.ts";
import type { EventRow, EventRows } from "../records/event-rows.ts";
import type { Field } from "../records/fields.ts";
import { codeImports, headerFields } from "./event-types.ts";
import { fieldImports, highestOf, readOf, readsBefore, viewsOf, writesOf } from "./field-code.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { importOf, opening, pascal } from "./names.ts";

/** Bytes of the header: see src/wire/records/event-header.ts. */
const eventHeaderSize = 24;

/** The layout of an event. */
export function eventLayout(name: string, { fields, layout }: EventRow): Layout {
  return layoutOf(name, fields, {
    ...{ headerSize: eventHeaderSize, hasLengths: true, hasGaps: false },
    order: layout,
  });
}

function indented(lines: readonly string[], by: string): string {
  return lines
    .filter((line) => line !== "")
    .map((line) => `${by}${line}\n`)
    .join("");
}

function encodeText(name: string, layout: Layout): string {
  const { size, text } = layout;
  const length = text === null ? `${size}` : "bytes";
  const lines = [
    ...(text === null ? [] : [`const bytes = ${name}Bytes(event);`]),
    `writeEventHeader(views, offset, event, ${length});`,
    ...writesOf(layout, "event"),
    ...(text === null ? [] : [`writeLatin1(u8, offset + ${size}, event.${text});`]),
    `return ${length};`,
  ];
  const sizeFunction =
    text === null
      ? ""
      : `function ${name}Bytes(event: ${pascal(name)}): number {\n` +
        `  assert(event.${text}.length <= clientIdBytesMax, "a client id of at most 36 characters");\n` +
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
    ...[...headerFields, "kind"].map((field) => `${field}: header.${field},`),
    ...Object.entries(fields).map(([field, of]) => `${field}: ${readOf(layout, field, of)},`),
  ];
  return (
    `function decode${pascal(name)}(views: RecordViews, offset: number): ${pascal(name)} {\n` +
    `${indented([viewsOf([...before, ...values]), ...before], "  ")}` +
    `  return {\n${indented(values, "    ")}  };\n}\n\n`
  );
}

/** One case a kind, by number: the engine then jumps instead of comparing. */
function switchText(rows: EventRows, subject: string, caseOf: (name: string) => string): string {
  const cases = Object.entries(rows).map(
    ([name, { code }]) => `    case ${code}:\n      return ${caseOf(name)};\n`,
  );
  return `  switch (${subject}) {\n${cases.join("")}    default:\n`;
}

const encodeEvent = `/**
 * Writes \`event\` at byte \`offset\` (a multiple of 8) of \`views\`; returns its bytes. They depend on the event
 * alone, and decoding them gives it back. What cannot be encoded is an assertion.
 */
export function encodeEvent(views: RecordViews, offset: number, event: VenueEvent): number {
`;

const decodeEvent = `/**
 * The event in the \`length\` bytes at byte \`offset\` (a multiple of 8) of \`views\`, as in a ring record.
 * Asserts a known kind, codes of their sets and exactly the length that the event itself says.
 */
export function decodeEvent(views: RecordViews, offset: number, length: number): VenueEvent {
  const kind = eventKindAt(views, offset, length);
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
    `/** Bytes by kind; 0 where they depend on a text, and where there is no kind. */\n` +
    `const fixedBytes: readonly number[] = [${fixed.join(", ")}];\n\n` +
    `assert(fixedBytes.every((bytes) => !isReplyLength(bytes)), "no event is as long as a reply");\n` +
    `assert(${longest} + clientIdBytesMax <= eventBytesMax, "the longest event has room");\n\n` +
    `/** Bytes that \`event\` takes when encoded: what to claim in a ring. */\n` +
    `export function eventBytes(event: VenueEvent): number {\n${cases.join("")}` +
    `  return fixedBytes[event.kind] as number;\n}\n\n`
  );
}

/** The text of src/wire/generated/event-codec.ts. */
export function eventCodec(rows: EventRows): string {
  const entries = Object.entries(rows);
  const fields: Field[] = entries.flatMap(([, row]) => Object.values<Field>(row.fields));
  const sets = [...new Set(fields.map(({ type }) => type))].filter((type) =>
    Object.hasOwn(codeSets, type),
  );
  const functions = entries
    .map(([name, row]) => {
      const layout = eventLayout(name, row);
      return encodeText(name, layout) + decodeText(name, row, layout);
    })
    .join("");
  const types = entries.map(([name]) => pascal(name)).sort();
  return [
    opening(
      "Events to bytes and back, by kind: the bytes in the rings are the bytes in the journal.",
    ),
    importOf(["assert", "unreachable"], "../../core/assert.ts"),
    importOf([...types, "VenueEvent"], "../../core/generated/events.ts", true),
    importOf(["clientIdBytesMax", "eventBytesMax"], "../../core/limits.ts"),
    codeImports(fields, "../../core", false),
    importOf(["eventKindAt", "readEventHeader", "writeEventHeader"], "../records/event-header.ts"),
    importOf(["highestCode", ...fieldImports(functions)], "../records/record-fields.ts"),
    importOf(["RecordViews"], "../records/record-views.ts", true),
    importOf(["isReplyLength"], "../records/reply-codec.ts"),
    "\n",
    ...sets.sort().map((set) => `const ${highestOf(set)} = highestCode(${set});\n`),
    "\n",
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

/** The text of src/wire/generated/event-layout.ts. */
export function eventLayouts(rows: EventRows): string {
  const layouts = Object.entries(rows).map(([name, row]) => {
    const { slots, size } = eventLayout(name, row);
    const places = slots.map((slot) => `  ${slot.name}: ${slot.offset},\n`);
    return `export const ${name}Layout = {\n${places.join("")}  size: ${size},\n} as const;\n\n`;
  });
  const words =
    "Byte offsets of every event behind its header: the layout of the structs in event.fbs.";
  return opening(words) + layouts.join("");
}
