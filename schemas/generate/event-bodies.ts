// Generates the functions that write events as canonical JSON: one function per kind writes the keys in order. The
// constant text between values is prepared once, when the module is loaded.

import { codeSets } from "../records/code-sets.ts";
import type { Field } from "../records/fields.ts";
import type { EventRow, EventRows } from "../records/rows.ts";
import { camel, importOf, opening, pascal, snake } from "./names.ts";

/** A key of a body, and the call of the body writer that writes its value. */
interface Part {
  readonly key: string;
  readonly call: string;
}

function codeCall(name: string, { type }: Field): string {
  if (!Object.hasOwn(codeSets, type))
    throw new Error(`schemas/records: the type of a code must be a code set, not ${type}`);
  return `body.name(${camel(type)}Pieces, event.${name})`;
}

/**
 * Returns the call that writes the value of the field `name`. If the field holds a part of a hash, `parts` has all
 * fields of that hash.
 */
function callOf(name: string, field: Field, parts: readonly string[]): string {
  const value = `event.${name}`;
  switch (field.form) {
    case "amount":
      return `body.amount(event.asset, ${value})`;
    case "basis":
    case "price":
    case "qty":
    case "quoteAmount":
      return `body.${field.form}(event.market, ${value})`;
    case "bits":
      return `body.bits(${parts.map((part) => `event.${part}`).join(", ")})`;
    case "code":
      return codeCall(name, field);
    case "fee": {
      const side = field.only === "maker" ? "opposite(event.takerSide)" : "event.takerSide";
      return `body.fee(event.market, ${side}, ${value})`;
    }
    default:
      return `body.${field.form}(${value})`;
  }
}

/**
 * The keys of these fields, with the calls that write their values. Fields that hold parts of one hash have one key and
 * one call.
 */
function partsOf(fields: readonly (readonly [string, Field])[]): Part[] {
  const parts: Part[] = [];
  for (const [name, field] of fields) {
    const key = field.key ?? snake(name);
    const halves = fields.filter(([, other]) => other.form === "bits" && other.key === key);
    if (field.form === "bits" && halves[0]?.[0] !== name) continue;
    parts.push({
      key,
      call: callOf(
        name,
        field,
        halves.map(([half]) => half),
      ),
    });
  }
  return parts;
}

const header: Readonly<Record<string, Part>> = {
  account: { key: "account", call: "body.whole(event.account)" },
  event: { key: "event", call: "body.name(kindPieces, event.kind)" },
  transactionEnd: { key: "unit_end", call: "body.flag(event.isTransactionEnd)" },
};

function part(name: keyof typeof header): Part {
  return header[name] as Part;
}

/**
 * The keys of each JSON text of an event. `journal` has the keys of the journal entry. `more` is for trades only: it
 * has the keys of the fill and of each of the two sides, under the name of the function that writes the text.
 */
function textsOf(
  name: string,
  row: EventRow,
): { readonly journal: Part[]; readonly more: Map<string, Part[]> } {
  const fields = Object.entries(row.fields) as [string, Field][];
  const both = partsOf(fields.filter(([, { only }]) => only === undefined));
  if (row.hasSides !== true) {
    return { journal: [...both, ...Object.values(header)], more: new Map() };
  }
  const side = (of: "maker" | "taker") => partsOf(fields.filter(([, { only }]) => only === of));
  const hash = (of: string) => ({ key: of, call: `body.hash(sides.${of})` });
  return {
    journal: [...both, part("event"), part("transactionEnd"), hash("maker"), hash("taker")],
    more: new Map([
      [`${name}Fill`, both],
      [`${name}Taker`, [...side("taker"), part("account")]],
      [`${name}Maker`, side("maker")],
    ]),
  };
}

function sorted(parts: readonly Part[]): Part[] {
  return [...parts].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function functionText(name: string, type: string, parts: readonly Part[], sides: string): string {
  const lines = sorted(parts).map(
    ({ key, call }, index) => `  body.piece(${leadName(key, index === 0)});\n  ${call};\n`,
  );
  return (
    `function ${name}(event: ${type}, ${sides}body: BodyWriter): void {\n${lines.join("")}` +
    "  body.piece(end);\n}\n\n"
  );
}

/** The name of the constant that holds the text before a value. */
function leadName(key: string, isFirst: boolean): string {
  const camelKey = key.replace(/_./g, (two) => two.slice(1).toUpperCase());
  return `${camelKey}${isFirst ? "First" : "Next"}`;
}

function leadsText(all: readonly (readonly Part[])[]): string {
  const leads = new Map<string, string>();
  for (const parts of all) {
    for (const [index, { key }] of sorted(parts).entries()) {
      leads.set(leadName(key, index === 0), `${index === 0 ? "{" : ","}"${key}":`);
    }
  }
  const sortedLeads = [...leads].sort(([one], [other]) => (one < other ? -1 : 1));
  return sortedLeads.map(([name, text]) => `const ${name} = pieceOf('${text}');\n`).join("");
}

const journalBody = `/** A side of a trade, visible only to its owner; the trade's body contains its hash. */
export type TradeSide = "maker" | "taker";

/** The hashes of the bodies of a trade's sides, 32 bytes each. */
export type SideHashes = Readonly<Record<TradeSide, Uint8Array>>;

/**
 * Writes the body of a journal entry: canonical JSON, keys sorted. Asserts that markets, assets and
 * codes are known. A trade contains its two sides as hashes of their bodies, because account, fee and profit of
 * a side are private; other kinds ignore the hashes.
 */
export function writeJournalBody(event: VenueEvent, sides: SideHashes, body: BodyWriter): void {
  switch (event.kind) {
`;

const sideBodies = `/** Writes the body of a trade's fill record: what both sides may see. */
export function writeFillBody(event: Traded, body: BodyWriter): void {
  tradedFill(event, body);
}

/** Writes one side of a trade, for its owner only. */
export function writeSideBody(event: Traded, side: TradeSide, body: BodyWriter): void {
  if (side === "maker") tradedMaker(event, body);
  else tradedTaker(event, body);
}
`;

function keysText(texts: readonly (readonly [string, EventRow, readonly Part[]])[]): string {
  const rows = texts.map(([name, { code }, journal]) => {
    const keys = sorted(journal).map(({ key }) => `"${key}"`);
    const kind = snake(name).toUpperCase();
    return `  { kind: ${code}, name: "${kind}", keys: [${keys.join(", ")}] },\n`;
  });
  return (
    "/** The names of kinds and of their keys in bodies. They never change, because sealed leaves contain them. */\n" +
    "export const bodyKeys: readonly { readonly kind: number; readonly name: string; readonly keys: readonly string[] }[] = [\n" +
    `${rows.join("")}];\n\n`
  );
}

/** The text of src/engine/epochs/generated/event-body.ts. */
export function eventBodies(rows: EventRows): string {
  const entries = Object.entries(rows);
  const texts = entries.map(([name, row]) => ({ name, row, ...textsOf(name, row) }));
  const functions = texts.flatMap(({ name, row, journal, more }) => [
    functionText(name, pascal(name), journal, row.hasSides === true ? "sides: SideHashes, " : ""),
    ...[...more].map(([other, parts]) => functionText(other, pascal(name), parts, "")),
  ]);
  const calls = texts.map(
    ({ name, row }) =>
      `    case ${row.code}:\n      return ${name}(event, ${row.hasSides === true ? "sides, " : ""}body);\n`,
  );
  const sets = entries.flatMap(([, { fields }]) =>
    Object.values<Field>(fields).flatMap(({ form, type }) => (form === "code" ? [type] : [])),
  );
  const types = entries.map(([name]) => pascal(name)).sort();
  return [
    opening(
      "Events as canonical JSON: the text that a leaf commits to and that its owner can see.",
    ),
    importOf(["unreachable"], "../../../core/assert.ts"),
    importOf([...types, "VenueEvent"], "../../../core/generated/events.ts", true),
    importOf(["EventKind"], "../../../core/generated/events.ts"),
    importOf(["opposite"], "../../../core/orders.ts"),
    importOf(["codeNames", "namePieces", "namesOf"], "../body-writer.ts"),
    importOf(["BodyWriter"], "../body-writer.ts", true),
    importOf(["pieceOf"], "../text-writer.ts"),
    "\n",
    ...[...new Set(sets)]
      .sort()
      .map((set) => `const ${camel(set)}Pieces = namePieces(codeNames.${camel(set)});\n`),
    "const kindPieces = namePieces(namesOf(EventKind));\n",
    "const end = pieceOf('}');\n",
    leadsText(texts.flatMap(({ journal, more }) => [journal, ...more.values()])),
    "\n",
    keysText(texts.map(({ name, row, journal }) => [name, row, journal] as const)),
    ...functions,
    journalBody,
    ...calls,
    "    default:\n      unreachable(event);\n  }\n}\n\n",
    sideBodies,
  ].join("");
}
