// Proves that the formats of records are unchanged: compares 20,000 records of each kind, drawn from a seed, with
// recorded digests of their bytes and leaf bodies. UPDATE_REFERENCE=1 records new digests; use it only after an
// intended change of a format. SHOW_RECORDS=events/traded/3500 prints that record in each form, to compare two versions
// of the venue where a block differs.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../support/tidy/tree.ts";
import { commandFields } from "./command-fields.ts";
import { DigestSeries, differences } from "./digest-series.ts";
import { Draw, drawn, type Field, type FieldTable } from "./drawn-values.ts";
import {
  codesOfToday,
  commandBytes,
  controlBytes,
  type Drawn,
  eventBytes,
  eventLeaf,
  matchAnswerBytes,
  matchRequestBytes,
  replyRecord,
} from "./entry-points.ts";
import { eventFields } from "./event-fields.ts";
import {
  controlFields,
  matchAnswerFields,
  matchRequestFields,
  replyFields,
} from "./message-fields.ts";

const recordsOfEach = 20_000;

/** A sort of record, with the forms in which its bytes are compared. */
interface Sort {
  readonly fields: FieldTable;
  readonly forms: Readonly<Record<string, (record: Drawn, kind: string) => Uint8Array | string>>;
}

const sorts: Readonly<Record<string, Sort>> = {
  events: { fields: eventFields, forms: { bytes: eventBytes, leaf: eventLeaf } },
  commands: { fields: commandFields, forms: { bytes: commandBytes } },
  matchRequests: { fields: matchRequestFields, forms: { bytes: matchRequestBytes } },
  matchAnswers: { fields: matchAnswerFields, forms: { bytes: matchAnswerBytes } },
  replies: { fields: replyFields, forms: { bytes: replyRecord } },
  control: { fields: controlFields, forms: { bytes: controlBytes } },
};

/** What is stored of one form of a kind: two records in full, and the digests of all. */
interface Recorded {
  readonly first: string;
  readonly second: string;
  readonly digests: string;
}

type Vectors = Readonly<Record<string, Recorded>>;

const page = join(projectRoot, "test/vectors/records.json");
const isUpdate = process.env["UPDATE_REFERENCE"] === "1";
const shown = process.env["SHOW_RECORDS"] ?? "";

function shownText(made: Uint8Array | string): string {
  return typeof made === "string" ? made : Buffer.from(made).toString("hex");
}

/** Draws all records of a kind and digests them, by form. */
function recordedOf(name: string, kind: string, { fields, forms }: Sort): Record<string, Recorded> {
  const draw = new Draw(`${name}/${kind}`);
  const table = fields[kind] as Readonly<Record<string, Field>>;
  const made = Object.entries(forms).map(([form, make]) => ({
    form,
    make,
    series: new DigestSeries(),
    examples: [] as string[],
  }));
  for (let at = 0; at < recordsOfEach; at++) {
    const record = drawn(draw, table);
    const isShown = shown === `${name}/${kind}/${at}`;
    for (const { form, make, series, examples } of made) {
      const bytes = make(record, kind);
      series.add(bytes);
      if (at < 2) examples.push(shownText(bytes));
      if (isShown) process.stdout.write(`${form}: ${shownText(bytes)}\n`);
    }
    if (isShown) process.stdout.write(`${String(Object.entries(record).join(" "))}\n`);
  }
  return Object.fromEntries(
    made.map(({ form, series, examples: [first = "", second = ""] }) => [
      form,
      { first, second, digests: series.digits },
    ]),
  );
}

const known: Vectors = isUpdate ? {} : (JSON.parse(readFileSync(page, "utf8")) as Vectors);
const fresh: Record<string, Recorded> = {};

for (const [name, sort] of Object.entries(sorts)) {
  for (const kind of Object.keys(sort.fields)) {
    test(`${recordsOfEach} ${name} of kind ${kind} are unchanged`, () => {
      const made = Object.entries(recordedOf(name, kind, sort)).map(
        ([form, kept]) => [`${name}/${kind}/${form}`, kept] as const,
      );
      for (const [key, kept] of made) fresh[key] = kept;
      for (const [key, kept] of isUpdate ? [] : made) {
        const before = known[key];
        assert.ok(before !== undefined, `${key} must have recorded vectors`);
        assert.equal(kept.first, before.first, `${key}: the first record must be unchanged`);
        assert.equal(kept.second, before.second, `${key}: the second record must be unchanged`);
        assert.equal(differences(before.digests, kept.digests), "", key);
      }
    });
  }
}

test("every kind of record that existed when the vectors were made has vectors", () => {
  for (const [name, codes] of Object.entries(codesOfToday)) {
    const tables = Object.values(sorts[name]?.fields ?? {});
    const covered = new Set(tables.map((fields) => fields["kind"]?.(new Draw("kind"))));
    const last = Math.max(...([...covered] as number[]));
    const missing = codes.filter((code) => code <= last && !covered.has(code));
    assert.deepEqual(missing, [], name);
    const gone = [...covered].filter((code) => !codes.includes(code as number));
    assert.deepEqual(gone, [], `${name}: no code may be removed`);
  }
});

test("the vectors have exactly the kinds of records in the tables", () => {
  if (isUpdate) writeFileSync(page, `${JSON.stringify(fresh, null, 2)}\n`);
  const vectors = JSON.parse(readFileSync(page, "utf8")) as Vectors;
  assert.deepEqual(Object.keys(vectors).sort(), Object.keys(fresh).sort());
});

test("a record that differs is located", () => {
  const [one, other] = [new DigestSeries(), new DigestSeries()];
  for (let at = 0; at < 2_000; at++) {
    one.add(String(at));
    other.add(at === 3 || at === 1_234 ? "else" : String(at));
  }
  assert.equal(differences(one.digits, other.digits), "records 2-3, 1000-1499");
  assert.equal(differences(one.digits, one.digits), "");
});
