// The contract that every price source must fulfil, as tests that run for each source.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PriceSource } from "../../src/ports/price-source.ts";

/** A price source with functions that set its prices and make it fail. */
export interface SourceUnderTest {
  readonly source: PriceSource;
  say(prices: Readonly<Record<string, string>>, atMs: number): Promise<void>;
  fail(): Promise<void>;
}

export function judgePriceSource(name: string, subject: () => SourceUnderTest): void {
  test(`${name}: prices are read as given, with their time`, async () => {
    const { source, say } = subject();
    await say({ BTCUSDT: "60000.129", "ETH-PERP": "3000", XYZ: "1" }, 1_700_000_000_123);
    const answer = await source.read();
    assert(answer.kind === "prices");
    assert.deepEqual(answer.readings, [
      { symbol: "BTCUSDT", price: "60000.129", atMs: 1_700_000_000_123 },
      { symbol: "ETH-PERP", price: "3000", atMs: 1_700_000_000_123 },
      { symbol: "XYZ", price: "1", atMs: 1_700_000_000_123 },
    ]);
  });

  test(`${name}: a source without prices returns none`, async () => {
    const { source, say } = subject();
    await say({}, 1_700_000_000_000);
    assert.deepEqual(await source.read(), { kind: "prices", readings: [] });
  });

  test(`${name}: a fault is returned as an answer with a message, and the next answer may be valid`, async () => {
    const { source, say, fail } = subject();
    await fail();
    const failed = await source.read();
    assert(failed.kind === "fault" && failed.message.length > 0);
    await say({ BTCUSDT: "1" }, 1_700_000_000_000);
    assert.equal((await source.read()).kind, "prices");
  });

  test(`${name}: the source's name contains no secret`, () => {
    const { source } = subject();
    assert.match(source.name, /^[\w.:-]+$/);
  });
}
