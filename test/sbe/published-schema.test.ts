// Proves that the encoders, which are generated from the venue's own tables of templates, agree with the published schema
// for every template: a decoder that reads that schema gets every value back, and its encoder makes the same bytes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceSets, codeSets } from "../../schemas/sbe/codes.ts";
import type { Field, Fields } from "../../schemas/sbe/fields.ts";
import { spotSchema, streamSchema } from "../../schemas/sbe/schemas.ts";
import * as spot from "../../src/adapters/gateway/sbe/generated/spot-codec.ts";
import * as stream from "../../src/adapters/gateway/sbe/generated/stream-codec.ts";
import { SbeWriter } from "../../src/adapters/gateway/sbe/sbe-writer.ts";
import {
  isDecoded,
  PublishedSchema,
  type Value,
  type Values,
} from "../support/sbe/published-schema.ts";

const published = {
  spot: new PublishedSchema("spot_3_5.xml"),
  stream: new PublishedSchema("stream_1_0.xml"),
};

/** Numbers from a seed, so that a failure can be repeated. */
class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

const limits: Readonly<Record<string, readonly [low: bigint, high: bigint]>> = Object.fromEntries(
  [8, 16, 32, 64].flatMap((bits) => [
    // The lowest and the highest value mean null.
    [`int${bits}`, [-(2n ** BigInt(bits - 1)) + 1n, 2n ** BigInt(bits - 1) - 1n]],
    [`uint${bits}`, [0n, 2n ** BigInt(bits) - 2n]],
  ]),
);

function wholeOf(draws: Draws, [low, high]: readonly [bigint, bigint]): bigint {
  const value = draws.pick([low, high, 0n, 1n, BigInt(draws.below(2 ** 31)) << 20n]);
  return value < low ? low : value > high ? high : value;
}

const long = limits["int64"] as readonly [bigint, bigint];

/** A random value of a field, as encoders take it. */
function drawn(field: Field, draws: Draws): unknown {
  if (field.isOptional === true && field.kind !== "text" && draws.below(3) === 0) return null;
  switch (field.kind) {
    case "decimal":
    case "time": {
      const value = wholeOf(draws, long);
      return Number.isSafeInteger(Number(value)) && draws.below(2) === 0 ? Number(value) : value;
    }
    case "wide":
      return draws.pick([0n, -1n, 2n ** 100n, -(2n ** 126n), BigInt(draws.below(2 ** 31))]);
    case "code":
      return draws.pick(Object.values(codeSets[field.set].codes));
    case "choices":
      return draws.below(2 ** Object.keys(choiceSets[field.set].bits).length);
    case "text":
      return draws.pick(["", "BTCUSDT", "x".repeat(36), "grüße ✓"]);
    case "embedded":
      return { template: "ServerTimeResponse", message: { serverTime: draws.below(2 ** 31) } };
    case "group":
      return Array.from({ length: draws.below(4) }, () => record(field.fields, draws));
    case "flag":
      return draws.below(2) === 1;
    case "float":
      return draws.pick([0, -1.5, 12.25]);
    default: {
      const value = wholeOf(draws, limits[field.as] ?? long);
      return field.as.endsWith("64") ? value : Number(value);
    }
  }
}

function record(fields: Fields, draws: Draws): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, drawn(field, draws)]),
  );
}

/** Asserts that the decoded values are those that were encoded. */
function assertSame(
  fields: Fields,
  sent: Record<string, unknown>,
  got: Values,
  where: string,
): void {
  assert.deepEqual(Object.keys(got), Object.keys(fields), where);
  for (const [name, field] of Object.entries(fields)) {
    const [value, decoded] = [sent[name], got[name] as Value];
    const at = `${where}.${name}`;
    if (field.kind === "group") {
      const rows = value as Record<string, unknown>[];
      assert.equal((decoded as Values[]).length, rows.length, at);
      rows.forEach((row, index) => {
        assertSame(field.fields, row, (decoded as Values[])[index] as Values, `${at}[${index}]`);
      });
    } else if (field.kind === "code" && value !== null) {
      assert.equal(
        (codeSets[field.set].codes as Record<string, number>)[String(decoded)],
        value,
        at,
      );
    } else if (isDecoded(decoded)) {
      assert.equal(
        decoded.values["serverTime"],
        BigInt((value as { message: { serverTime: number } }).message.serverTime),
      );
    } else if (typeof decoded === "bigint") assert.equal(decoded, BigInt(value as number), at);
    else assert.equal(decoded, value, at);
  }
}

const rounds = 40;

test("SBE-20 every spot template has the bytes of the published schema", () => {
  const writer = new SbeWriter(5);
  for (const [name, { fields }] of Object.entries(spotSchema.templates)) {
    for (let seed = 1; seed <= rounds; seed++) {
      const message = record(fields, new Draws(seed));
      spot.encodeMessage(writer.reset(), name as keyof spot.Messages, message as never);
      const bytes = Buffer.from(writer.bytes);
      const decoded = published.spot.decode(bytes);
      assert.deepEqual([decoded.template, decoded.version], [name, 5]);
      assertSame(fields, message, decoded.values, `${name}, seed ${seed}`);
      assert.ok(published.spot.encode(decoded).equals(bytes), `${name}, seed ${seed}`);
    }
  }
});

test("SBE-20 every stream template has the bytes of the published schema", () => {
  const writer = new SbeWriter(0);
  for (const [name, { fields }] of Object.entries(streamSchema.templates)) {
    for (let seed = 1; seed <= rounds; seed++) {
      const message = record(fields, new Draws(seed));
      stream.encodeMessage(writer.reset(), name as keyof stream.Messages, message as never);
      const bytes = Buffer.from(writer.bytes);
      const decoded = published.stream.decode(bytes);
      assertSame(fields, message, decoded.values, `${name}, seed ${seed}`);
      assert.ok(published.stream.encode(decoded).equals(bytes), `${name}, seed ${seed}`);
    }
  }
});

test("SBE-20 the codes of names are those of the published schema", () => {
  for (const [set, { codes }] of Object.entries(codeSets)) {
    assert.deepEqual({ ...codes }, published.spot.codesOf(set), set);
  }
  for (const [set, { bits }] of Object.entries(choiceSets)) {
    assert.deepEqual({ ...bits }, published.spot.codesOf(set), set);
  }
});
