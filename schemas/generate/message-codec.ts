// Messages to bytes and back: requests and replies in reused records, a matcher's answers as the calls that
// deliver them.

import { matcherRecordBytes } from "../../src/core/limits.ts";
import { type MessageRow, matchReplies, matchRequest, reply } from "../records/messages.ts";
import {
  boundsText,
  fieldImports,
  indented,
  readOf,
  readsBefore,
  viewsOf,
  writesOf,
} from "./field-code.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { importOf, opening, pascal } from "./names.ts";
import { argumentsOf, codeImports, parametersOf } from "./record-types.ts";

function layoutFor(name: string, { fields, layout }: MessageRow): Layout {
  return layoutOf(name, fields, {
    ...{ headerSize: 0, hasLengths: false, hasGaps: true },
    order: layout,
  });
}

function written(layout: Layout, record: string): string {
  const writes = writesOf(layout, record);
  return indented([viewsOf(writes), ...writes], "  ");
}

/** The pair of functions of the record `name`, whose size is the constant `bytes`. */
function recordText(name: string, row: MessageRow, bytes: string): string {
  const layout = layoutFor(name, row);
  const reads = [
    ...readsBefore(layout),
    ...Object.entries(row.fields).map(
      ([field, of]) => `into.${field} = ${readOf(layout, field, of)};`,
    ),
  ];
  const type = pascal(name);
  return `/** Writes \`${name}\` into \`${bytes}\` at byte \`offset\` (a multiple of 8). */
export function encode${type}(views: RecordViews, offset: number, ${name}: ${type}): void {
${written(layout, `${name}.`)}}

/** Reads what \`encode${type}\` wrote into \`into\`; asserts the length and all codes. */
export function decode${type}(views: RecordViews, offset: number, length: number, into: ${type}): void {
  assert(length === ${bytes}, "a message has its length");
${indented([viewsOf(reads), ...reads], "  ")}}

`;
}

/** The function that writes the arguments of the call `name`. */
function callText(name: string, row: MessageRow): string {
  return `/** Writes the arguments of \`MatchReplySink.${name}\` into \`matcherRecordBytes\` at \`offset\`. */
export function encode${pascal(name)}(views: RecordViews, offset: number, ${parametersOf(row)}): void {
${written(layoutFor(name, row), "")}}

`;
}

function deliverText(): string {
  const cases = Object.entries(matchReplies).flatMap(([name, row]) => {
    const layout = layoutFor(name, row);
    const values = argumentsOf(row).map(([field, of]) => `  ${readOf(layout, field, of)},`);
    return [
      `case ${row.fields["kind"]?.stored}:`,
      ...[`sink.${name}(`, ...values, ");", "break;"].map((line) => `  ${line}`),
    ];
  });
  return `/** Delivers the answer of \`length\` bytes at \`offset\` to \`sink\`; asserts its kind and codes. */
export function deliverMatchReply(views: RecordViews, offset: number, length: number, sink: MatchReplySink): void {
  ${viewsOf(cases)}
  assert(length === matcherRecordBytes, "a message has its length");
  switch (u8[offset]) {
${indented(cases, "    ")}    default:
      assert(false, "a kind of answer");
  }
}
`;
}

function sourceText(): string {
  const { slots } = layoutFor("reply", reply);
  const at = slots.find(({ name }) => name === "source")?.offset ?? 0;
  return `/** The source of the reply at \`start\` of any memory: forwarding needs nothing else. */
export function replySource(bytes: Uint8Array, start: number): number {
  return (bytes[start + ${at}] as number) | ((bytes[start + ${at + 1}] as number) << 8);
}
`;
}

/** The text of src/wire/generated/message-codec.ts. */
export function messageCodec(): string {
  const rows = Object.entries(matchReplies);
  for (const [name, row] of [["matchRequest", matchRequest] as const, ...rows]) {
    if (layoutFor(name, row).size > matcherRecordBytes)
      throw new Error(`schemas/records: ${name} is longer than a record of a matcher`);
  }
  const fields = [matchRequest, reply, ...Object.values(matchReplies)].flatMap((row) =>
    Object.values(row.fields),
  );
  const functions = [
    recordText("matchRequest", matchRequest, "matcherRecordBytes"),
    ...rows.map(([name, row]) => callText(name, row)),
    deliverText(),
    `\n/** Bytes of every reply. Events and replies share rings and are distinguished by their length. */\n`,
    `export const replyBytes = ${layoutFor("reply", reply).size};\n\n`,
    recordText("reply", reply, "replyBytes"),
    sourceText(),
  ].join("");
  const bounds = boundsText(functions);
  return [
    opening("Messages between threads besides commands and events, to bytes and back."),
    importOf(["assert"], "../../core/assert.ts"),
    importOf(["MatchReplySink", "MatchRequest", "Reply"], "../../core/generated/messages.ts", true),
    importOf(["matcherRecordBytes"], "../../core/limits.ts"),
    codeImports(fields, "../../core", false),
    importOf(fieldImports(functions + bounds), "../records/record-fields.ts"),
    importOf(["RecordViews"], "../records/record-views.ts", true),
    `\n${bounds}\n`,
    functions,
  ].join("");
}
