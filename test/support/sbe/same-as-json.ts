// Compares a decoded SBE answer with the JSON answer of the same state, by what the published schema says about each
// field: its path in JSON, its exponent, and which JSON value means null. It knows nothing of the venue's tables.

import type { Json } from "../client/json.ts";
import {
  type Decoded,
  isDecoded,
  type PublishedSchema,
  type Rows,
  type Value,
  type Values,
} from "./published-schema.ts";

type Node = ReturnType<PublishedSchema["message"]>;

/** Fields that JSON leaves out for ordinary orders; SBE always has them. */
const implied: Readonly<Record<string, Value>> = {
  orderCapacity: "PRINCIPAL",
  workingFloor: "EXCHANGE",
  matchType: "AUTO_MATCH",
};

/** The differences, each as a path with both values; none if the answers are the same. */
export function differences(schema: PublishedSchema, decoded: Decoded, json: Json): string[] {
  const node = schema.message(decoded.template);
  return compared({ schema, node, where: decoded.template }, decoded.values, json, {});
}

interface Place {
  readonly schema: PublishedSchema;
  readonly node: Node;
  readonly where: string;
}

function compared(place: Place, values: Values, json: Json, outer: Values): string[] {
  const scope = { ...outer, ...values };
  let position = 0;
  return place.node.children.flatMap((child) => {
    const name = child.attributes["name"] ?? "";
    if (child.attributes["presence"] === "constant" || name.endsWith("xponent")) return [];
    const path = child.attributes["mbx:jsonPath"] ?? name;
    const expected = path === "[]" ? json[position++] : at(json, path);
    const within = { ...place, node: child, where: `${place.where}.${name}` };
    return difference(within, values[name] ?? null, expected, scope);
  });
}

function at(json: Json, path: string): Json {
  if (path === "..") return json;
  return path.split(".").reduce((value, part) => value?.[part], json);
}

function difference(place: Place, value: Value, expected: Json, scope: Values): string[] {
  const { schema, node, where } = place;
  if (node.tag === "group") {
    const rows = value as Rows;
    const list = (expected ?? []) as Json[];
    if (rows.length !== list.length) return [`${where}: ${rows.length} rows, not ${list.length}`];
    return rows.flatMap((row, index) =>
      compared({ ...place, where: `${where}[${index}]` }, row, list[index], scope),
    );
  }
  if (isDecoded(value)) {
    return expected ? differences(schema, value, expected) : [`${where}: should be null`];
  }
  const [shown, wanted] = [textOf(node, value, scope), wantedText(node, expected)];
  return shown === wanted ? [] : [`${where}: ${shown}, not ${wanted}`];
}

/** A decoded value as JSON would show it. */
function textOf(node: Node, value: Value, scope: Values): string {
  const { type, "mbx:exponent": exponent } = node.attributes;
  if (value === null || value === "") return "null";
  if (exponent !== undefined) return decimalText(value as bigint, Number(scope[exponent]));
  if (type === "utcTimestampUs") return `${(value as bigint) / 1000n}`;
  if (type === "float") return (value as number).toFixed(2);
  return String(value);
}

function wantedText(node: Node, json: Json): string {
  const { type, "mbx:exponent": exponent } = node.attributes;
  if (json === undefined || json === null || json === "" || isAbsent(node, json)) {
    return absentText(node);
  }
  if (Array.isArray(json)) return String(bits(type ?? "", json));
  if (exponent !== undefined) return trimmed(String(json));
  if (type === "float") return Number(json).toFixed(2);
  return String(json);
}

function isOptional({ attributes: { presence, type } }: Node): boolean {
  return presence === "optional" || type?.startsWith("optional") === true;
}

/** Whether the JSON value is one that stands for null. */
function isAbsent(node: Node, json: Json): boolean {
  const absent = node.attributes["mbx:jsonDefaultValue"];
  return isOptional(node) && (absent === "-1" || absent === "NONE") && String(json) === absent;
}

/** What SBE has for a field that JSON does not have. */
function absentText(node: Node): string {
  const { type, name = "", "mbx:exponent": exponent } = node.attributes;
  if (isOptional(node)) return "null";
  if (type === "boolEnum") return "false";
  return String(implied[name] ?? (exponent === undefined ? "null" : "0"));
}

/** Bits of the names of the two sets in the published schema. */
const bitNames: Readonly<Record<string, readonly string[]>> = {
  orderTypes: [
    "MARKET",
    "LIMIT",
    "STOP_LOSS",
    "STOP_LOSS_LIMIT",
    "TAKE_PROFIT",
    "TAKE_PROFIT_LIMIT",
    "LIMIT_MAKER",
  ],
  allowedSelfTradePreventionModes: [
    "NONE",
    "EXPIRE_TAKER",
    "EXPIRE_MAKER",
    "EXPIRE_BOTH",
    "DECREMENT",
    "TRANSFER",
  ],
};

function bits(type: string, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + 2 ** (bitNames[type] ?? []).indexOf(name), 0);
}

/** A decimal without zeros at its end. */
function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export function decimalText(mantissa: bigint, exponent: number): string {
  const sign = mantissa < 0n ? "-" : "";
  const digits = `${mantissa < 0n ? -mantissa : mantissa}`.padStart(1 - Math.min(exponent, 0), "0");
  if (exponent >= 0) return `${sign}${digits}${"0".repeat(exponent)}`;
  return trimmed(`${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`);
}
