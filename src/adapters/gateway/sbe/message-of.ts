// Turns a JSON answer of the compat view into the message of an SBE template, by the table of templates. The answers
// that matter for speed are not made this way (order-messages.ts, sbe-feed.ts).

import { choiceSets, codeSets, nonRepresentable } from "../../../../schemas/sbe/codes.ts";
import type { Field, Fields } from "../../../../schemas/sbe/fields.ts";
import { spotSchema } from "../../../../schemas/sbe/schemas.ts";
import { embeddedTemplate } from "./answer-templates.ts";
import { answerExponent, mantissaOf } from "./decimals.ts";
import type { Embedded, Messages } from "./generated/spot-codec.ts";
import type { Json, JsonObject } from "./json-value.ts";
import { isLong, type Long } from "./sbe-writer.ts";

/** The message of the template `name` with the values of `json`. Fields that the JSON answer lacks are null or zero. */
export function messageOf<T extends keyof Messages>(name: T, json: Json): Messages[T] {
  return recordOf(spotSchema.templates[name].fields, json) as unknown as Messages[T];
}

function recordOf(fields: Fields, json: Json): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  let position = 0;
  for (const [name, field] of Object.entries(fields)) {
    const found = field.path === "[]" ? elementOf(json, position++) : namedValue(json, field, name);
    record[name] = fieldValue(field, name, found === field.absent ? null : found);
  }
  fitExponents(fields, record);
  return record;
}

/** The message with larger exponents where a mantissa does not fit 64 bits; the one passed in is kept. */
export function fitted<T extends keyof Messages>(name: T, message: Messages[T]): Messages[T] {
  const copy = structuredClone(message);
  fitExponents(spotSchema.templates[name].fields, copy as unknown as Record<string, unknown>);
  return copy;
}

/** A mantissa: the block or row that has it, and the name of its field. */
type Mantissa = readonly [record: Record<string, unknown>, name: string, isWide: boolean];

/**
 * Makes exponents of a block larger while a mantissa does not fit 64 bits and all mantissas with the exponent end in
 * zero, as those of the largest value of an order do. Rows of groups may have the exponent of their block.
 */
function fitExponents(fields: Fields, record: Record<string, unknown>): void {
  for (const [exponent, field] of Object.entries(fields)) {
    if (field.kind !== "exponent") continue;
    const mantissas = mantissasOf(fields, record, exponent);
    while (mantissas.some(([of, name, isWide]) => !isWide && !isLong(of[name] as Long))) {
      if (mantissas.some(([of, name]) => BigInt(of[name] as Long) % 10n !== 0n)) break;
      for (const [of, name] of mantissas) of[name] = BigInt(of[name] as Long) / 10n;
      record[exponent] = (record[exponent] as number) + 1;
    }
  }
}

function mantissasOf(
  fields: Fields,
  record: Record<string, unknown>,
  exponent: string,
): readonly Mantissa[] {
  return Object.entries(fields).flatMap(([name, field]): readonly Mantissa[] => {
    if (field.kind === "group") {
      if (Object.hasOwn(field.fields, exponent)) return [];
      const rows = record[name] as readonly Record<string, unknown>[];
      return rows.flatMap((row) => mantissasOf(field.fields, row, exponent));
    }
    const isMantissa = field.kind === "decimal" || field.kind === "wide";
    if (!isMantissa || field.exponent !== exponent || record[name] === null) return [];
    return [[record, name, field.kind === "wide"]];
  });
}

function elementOf(json: Json, position: number): Json {
  return Array.isArray(json) ? (json[position] ?? null) : null;
}

/** The value of a field in the JSON answer; null if the answer does not have it. */
function namedValue(json: Json, { path }: Field, name: string): Json {
  if (path === "..") return json;
  let value: Json | undefined = json;
  for (const part of (path ?? name).split(".")) {
    if (value === null || value === undefined || typeof value !== "object") return null;
    value = (value as JsonObject)[part];
  }
  return value ?? null;
}

function fieldValue(field: Field, name: string, json: Json): unknown {
  switch (field.kind) {
    case "exponent":
      return answerExponent;
    case "choices":
      return bitsOf(field.set, Array.isArray(json) ? json : []);
    case "text":
      return json === null ? "" : String(json);
    case "embedded":
      return json === null ? null : embeddedOf(name, json);
    case "group":
      return Array.isArray(json) ? json.map((row: Json) => recordOf(field.fields, row)) : [];
    default:
      return json === null && field.isOptional === true ? null : plainValue(field, json);
  }
}

/** The value of a field that is in the block of its message. */
function plainValue(field: Field, json: Json): unknown {
  switch (field.kind) {
    case "decimal":
    case "wide":
      return mantissaOf(json === null ? "0" : String(json));
    case "time":
      return Number(json) * 1000;
    case "flag":
      return json === true;
    case "code":
      return codeOf(field.set, json);
    default:
      return Number(json);
  }
}

function codeOf(set: keyof typeof codeSets, json: Json): number {
  const { codes, otherwise }: { codes: Readonly<Record<string, number>>; otherwise?: string } =
    codeSets[set];
  const name = json === null ? otherwise : String(json);
  return codes[name ?? ""] ?? nonRepresentable;
}

function bitsOf(set: keyof typeof choiceSets, names: readonly Json[]): number {
  const bits: Readonly<Record<string, number>> = choiceSets[set].bits;
  let value = 0;
  for (const name of names) {
    const bit = bits[String(name)];
    if (bit !== undefined) value |= 1 << bit;
  }
  return value;
}

function embeddedOf(name: string, json: Json): Embedded {
  const template = embeddedTemplate(name, json);
  return { template, message: messageOf(template, json) } as Embedded;
}
