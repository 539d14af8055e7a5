// Generates the control messages: their types, and the assertions on a received one.

import { type ControlRow, controlMessages } from "../records/control-messages.ts";
import { comment, importOf, opening, pascal } from "./names.ts";

function typeName(kind: string): string {
  return `${kind.split("-").map(pascal).join("")}Message`;
}

function typeText([kind, { description, fields }]: readonly [string, ControlRow]): string {
  const lines = Object.entries(fields).map(([name, { type }]) => `  readonly ${name}: ${type};\n`);
  return `${comment(description)}export interface ${typeName(kind)} {\n  readonly kind: "${kind}";\n${lines.join("")}}\n\n`;
}

function caseText([kind, { fields }]: readonly [string, ControlRow]): string {
  const checks = Object.entries(fields).map(([name, { holds }]) =>
    holds.replaceAll("$", `value["${name}"]`),
  );
  return `    case "${kind}":\n      return ${checks.length === 0 ? "true" : checks.join(" && ")};\n`;
}

const head = `/** The bytes of \`message\` in a buffer of its own, which can be transferred to another thread. */
export function encodeControlMessage(message: ControlMessage): Uint8Array<ArrayBuffer> {
  // Return a copy, because the packer returns slices of one shared buffer, which a transfer to another thread would
  // detach.
  return new Uint8Array(pack(message));
}

/** The message in \`bytes\`. Asserts that its kind is known and that its fields have the right types. */
export function decodeControlMessage(bytes: Uint8Array): ControlMessage {
  const value: unknown = unpack(bytes);
  assert(isControlMessage(value), "a control message must have a known kind and the fields of that kind");
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isKey(value: unknown): boolean {
  return (
    isObject(value) && Number.isSafeInteger(value["version"]) && value["key"] instanceof Uint8Array
  );
}

function isControlMessage(value: unknown): value is ControlMessage {
  if (!isObject(value)) return false;
  switch (value["kind"]) {
`;

/** The text of src/wire/generated/control-messages.ts. */
export function controlText(): string {
  const rows = Object.entries(controlMessages);
  return [
    opening(
      "Messages between the main thread and its workers: one type for each kind, and their union.",
    ),
    importOf(["pack", "unpack"], "msgpackr"),
    importOf(["assert"], "../../core/assert.ts"),
    importOf(["LedgerEndpoint"], "../../ports/ledger/ledger-endpoint.ts", true),
    importOf(["PriceSourceState"], "../../ports/price-source.ts", true),
    "\n",
    ...rows.map(typeText),
    `export type ControlMessage =\n${rows.map(([kind]) => `  | ${typeName(kind)}\n`).join("")};\n\n`,
    head,
    ...rows.map(caseText),
    "    default:\n      return false;\n  }\n}\n",
  ].join("");
}
