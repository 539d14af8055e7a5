// Proves that docs/reference/journal.md equals the table of events: each event with its code, and the offset, type,
// unit and meaning of each field. UPDATE_REFERENCE=1 writes the page.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventLayout, headerFields, headerSlots } from "../../schemas/generate/event-codec.ts";
import { nameOf, typeOf } from "../../schemas/generate/event-schema.ts";
import type { Slot } from "../../schemas/generate/layout.ts";
import { pascal, snake } from "../../schemas/generate/names.ts";
import { codeSets } from "../../schemas/records/code-sets.ts";
import type { BodyForm, Fields } from "../../schemas/records/fields.ts";
import type { EventRow } from "../../schemas/records/rows.ts";
import { events } from "../../schemas/records/tables.ts";
import { bodyKeys } from "../../src/engine/epochs/generated/event-body.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const page = join(projectRoot, "docs/reference/journal.md");

const head = `# The journal's events

An event begins with the fields of the first table, then has the fields of its own table. Each field begins at the byte stated,
is little-endian and aligned to its size; the bytes between fields are zero. Fields have the names of
[event.fbs](../guides/journal-export.md#the-schema); a \`ulong\` is less than 2^53. Prices are in ticks of their
market, quantities in lots, money in minor units of the asset. If an event has a text, its characters follow the fields, one byte
each. Below each table are the keys of the event's body, the JSON that [epochs commit to](../guides/proofs.md), each with the
[form of its value](#forms-of-values-in-bodies) and, if it has another name, the field. This page is
generated from the table of records (\`UPDATE_REFERENCE=1 make test ONLY=reference\`).

## At the start of every event

`;

const formsMore = `| hash | text: 64 lower-case hexadecimal digits; see [the encodings](../guides/proofs.md#verify-without-the-venues-code) |

\`event\` is the name of the kind as a code: ORDER_ACCEPTED. A negative number has its sign in front, and a number
without decimals has no point. The bodies of a trade's two sides have the keys \`account\` (whole), \`fee\` (fee) and
\`pnl\` (quoteAmount), and the body of its fill has the keys of its entry without \`event\`, \`maker\`, \`taker\` and
\`unit_end\`.

`;

const columns = "| Byte | Field | Type | Unit | What it says |\n|---|---|---|---|---|\n";

/** Units that the page omits, because the field's type already names them. */
const plainUnits = /^(|number|yes or no|code of .*)$/;

/** Returns the description of the field at a byte offset. */
function saysOf({ field, bits, textOf }: Slot, fields: Fields): string {
  if (textOf !== null) return `How many bytes of \`${snake(textOf)}\` follow.`;
  if (field !== null) return pascal(field.description);
  const said = bits.map(({ name, mask }) => {
    const message = `${mask}: ${snake(name).replaceAll("_", " ")}.`;
    return `${message} ${pascal(fields[name]?.description ?? "")}`.trim();
  });
  return said.join(" ");
}

function rowOf(slot: Slot, fields: Fields): string {
  const { name, field, offset } = slot;
  const unit = plainUnits.test(field?.unit ?? "") ? "" : field?.unit;
  const description = saysOf(slot, fields).replaceAll("|", "\\|");
  return `| ${offset} | \`${nameOf(name, field)}\` | ${typeOf(field)} | ${unit} | ${description} |\n`;
}

/** What each form of a value in a body says. */
const forms: Readonly<Record<BodyForm, string>> = {
  amount: "text: the amount in units of the event's `asset`, with all decimals of the asset",
  asset: "text: the asset's code",
  basis: "text: the price in units of the quote asset, with `tick_decimals` + 3 decimals",
  bits: "text: each field as 16 lower-case hexadecimal digits of its 64 bits, one after the other",
  code: "text: the name of the code in upper case with underscores, such as STOP_MARKET for 4 stopMarket",
  fee: "text: as `quoteAmount`; the fee of a spot buyer in the base asset",
  flag: "true or false",
  json: "text: the characters of the event's text",
  margin: "text: as `amount`, of the margin asset",
  order: "text: `o-` and the number",
  price: "text: the price in units of the quote asset, with all `tick_decimals` of the market",
  qty: "text: the quantity in units of the base asset, with all `lot_decimals` of the market",
  quoteAmount: "text: as `amount`, of the market's quote asset (perpetuals: the margin asset)",
  quoted: "text: the number",
  rate: "text: the number × 10^-8, with 8 decimals",
  symbol: "text: the market's symbol",
  trade: "text: `t-` and the number",
  wallet: "text: `funding`, `spot` or `perp`",
  whole: "number",
};

/** Forms of the keys that are not fields; the one that is missing here is a flag. */
const headerForms: Readonly<Record<string, string>> = {
  account: "whole",
  event: "code",
  maker: "hash",
  taker: "hash",
};

/** The keys of a body with the forms of their values; fields that form one hash are joined by +. */
function bodyText(keys: readonly string[], fields: Fields): string {
  const told = keys.map((key) => {
    const named = Object.entries(fields).filter(
      ([name, { key: other, only }]) => only === undefined && (other ?? snake(name)) === key,
    );
    const [, first] = named[0] ?? [];
    const form = first?.form ?? headerForms[key] ?? "flag";
    const from = named.map(([name, field]) => nameOf(name, field)).join(" + ");
    return `\`${key}\` ${form}${from === key || from === "" ? "" : ` of \`${from}\``}`;
  });
  return told.join(", ");
}

function section(name: string, row: EventRow): string {
  const { slots } = eventLayout(name, row);
  const rows = slots.map((slot) => rowOf(slot, row.fields));
  const keys = bodyKeys.find(({ kind }) => kind === row.code)?.keys ?? [];
  const body = bodyText(keys, row.fields);
  const table = rows.length === 0 ? "" : `${columns}${rows.join("")}\n`;
  return `### ${row.code} ${pascal(name)}\n\n${row.description}\n\n${table}Body: ${body}\n\n`;
}

/** Returns the table row with the codes of an enumeration that events use. */
function setText(name: string, codes: Readonly<Record<string, number>>): string {
  const values = Object.entries(codes).sort(([, one], [, other]) => one - other);
  return `| ${name} | ${values.map(([value, code]) => `${code} ${value}`).join(", ")} |\n`;
}

function text(): string {
  const entries = Object.entries(events);
  const used = new Set(
    entries.flatMap(([, row]) => Object.values(row.fields).map((of) => of.type)),
  );
  const sets = Object.entries(codeSets).filter(([name]) => used.has(name));
  return [
    head,
    columns,
    ...headerSlots.map((slot) => rowOf(slot, headerFields)),
    "\n## Events, by code\n\n",
    ...entries.map(([name, row]) => section(name, row)),
    "## Forms of values in bodies\n\n| Form | JSON value |\n|---|---|\n",
    ...Object.entries(forms).map(([form, says]) => `| ${form} | ${says} |\n`),
    formsMore,
    "## Codes\n\n| Type | Codes |\n|---|---|\n",
    ...sets.map(([name, { codes }]) => setText(name, codes)),
  ].join("");
}

test("JRN-20 docs/reference/journal.md lists every event with its fields, and no other", () => {
  const fresh = text();
  if (process.env["UPDATE_REFERENCE"] === "1") writeFileSync(page, fresh);
  const isFresh = readFileSync(page, "utf8") === fresh;
  assert.ok(isFresh, "the page is stale: run UPDATE_REFERENCE=1 make test ONLY=reference");
});
