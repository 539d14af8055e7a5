// Generates the codec of messages. Requests and replies are decoded into records that the reader reuses. A matcher's
// answers are not records: the codec encodes and decodes the calls that deliver them.

import { matcherRecordBytes } from "../../src/core/limits.ts";
import {
  busHeader,
  type MessageRow,
  matchReplies,
  matchRequest,
  orderClaim,
  orderUse,
  reply,
} from "../records/messages.ts";
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

/** The functions that write and read the record `name`; `bytes` is the name of the constant with its size. */
function recordText(name: string, row: MessageRow, bytes: string): string {
  const layout = layoutFor(name, row);
  const reads = [
    ...readsBefore(layout),
    ...Object.entries(row.fields).map(
      ([field, of]) => `into.${field} = ${readOf(layout, field, of)};`,
    ),
  ];
  const type = pascal(name);
  return `/** Writes \`${name}\` at byte \`offset\` (a multiple of 8) of \`views\`; it takes \`${bytes}\`. */
export function encode${type}(views: RecordViews, offset: number, ${name}: ${type}): void {
${written(layout, `${name}.`)}}

/** Reads into \`into\` what \`encode${type}\` wrote. Asserts the length and that all codes are known. */
export function decode${type}(views: RecordViews, offset: number, length: number, into: ${type}): void {
  assert(length === ${bytes}, "the length of \`${name}\` must be \`${bytes}\`");
${indented([viewsOf(reads), ...reads], "  ")}}

`;
}

/** The text of the function that writes the arguments of the call `name`. */
function callText(name: string, row: MessageRow): string {
  return `/** Writes the arguments of \`MatchReplySink.${name}\` at \`offset\`; they take \`matcherRecordBytes\`. */
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
  return `/** Delivers the answer of \`length\` bytes at \`offset\` to \`sink\`. Asserts that its kind and codes are known. */
export function deliverMatchReply(views: RecordViews, offset: number, length: number, sink: MatchReplySink): void {
  ${viewsOf(cases)}
  assert(length === matcherRecordBytes, "the length of an answer must be matcherRecordBytes");
  switch (u8[offset]) {
${indented(cases, "    ")}    default:
      assert(false, "the kind of an answer must be known");
  }
}
`;
}

function sourceText(): string {
  const { slots } = layoutFor("reply", reply);
  const offsetOf = (field: string) => slots.find(({ name }) => name === field)?.offset ?? 0;
  const byte = (at: number) => `(bytes[start + ${at}] as number)`;
  const at = offsetOf("source");
  const from = offsetOf("correlation");
  const rest = [1, 2, 3].map((index) => `(${byte(from + index)} << ${8 * index})`).join(" | ");
  return `/** The source of the reply that begins at \`start\`, at any alignment, for a thread that forwards it. */
export function replySource(bytes: Uint8Array, start: number): number {
  return ${byte(at)} | (${byte(at + 1)} << 8);
}

/** The correlation of the reply that begins at \`start\`, as \`replySource\`. */
export function replyCorrelation(bytes: Uint8Array, start: number): number {
  return (${byte(from)} | ${rest}) >>> 0;
}
`;
}

/** The text of src/wire/generated/message-codec.ts. */
export function messageCodec(): string {
  const rows = Object.entries(matchReplies);
  for (const [name, row] of [["matchRequest", matchRequest] as const, ...rows]) {
    if (layoutFor(name, row).size > matcherRecordBytes)
      throw new Error(`schemas/records: ${name} must fit matcherRecordBytes`);
  }
  const messages = [matchRequest, reply, orderClaim, orderUse, busHeader];
  const fields = [...messages, ...Object.values(matchReplies)].flatMap((row) =>
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
    `\n/** Bytes before each command in a message of a gateway. */\n`,
    `export const orderClaimBytes = ${layoutFor("orderClaim", orderClaim).size};\n\n`,
    recordText("orderClaim", orderClaim, "orderClaimBytes"),
    `/** Bytes after each reply in a message to a gateway. */\n`,
    `export const orderUseBytes = ${layoutFor("orderUse", orderUse).size};\n\n`,
    recordText("orderUse", orderUse, "orderUseBytes"),
    `\n/** Bytes of the header of every message between gateways and the leader. */\n`,
    `export const busHeaderBytes = ${layoutFor("busHeader", busHeader).size};\n\n`,
    recordText("busHeader", busHeader, "busHeaderBytes"),
  ].join("");
  const bounds = boundsText(functions);
  return [
    opening("Messages between threads besides commands and events, to bytes and back."),
    importOf(["assert"], "../../core/assert.ts"),
    importOf(
      ["BusHeader", "MatchReplySink", "MatchRequest", "OrderClaim", "OrderUse", "Reply"],
      "../../core/generated/messages.ts",
      true,
    ),
    importOf(["matcherRecordBytes"], "../../core/limits.ts"),
    codeImports(fields, "../../core", false),
    importOf(fieldImports(functions + bounds), "../records/record-fields.ts"),
    importOf(["RecordViews"], "../records/record-views.ts", true),
    `\n${bounds}\n`,
    functions,
  ].join("");
}
