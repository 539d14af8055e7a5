// Proves that the markets of a new database equal the specification, figure by figure. The expected figures are read
// from the page of the specification.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { loadMarketTable } from "../../src/adapters/postgres/queries/journal/markets.ts";
import { isPerpetual, type Market, MarketStatus } from "../../src/core/markets.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import { createTestDatabase } from "../support/database/postgres.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const page = readFileSync(join(projectRoot, "docs/spec/accounts.md"), "utf8");
const listed = [...page.matchAll(/^\| ([A-Z]+-(?:USDC|PERP))(.*) \|$/gm)].map(([, symbol, rest]) =>
  [symbol, ...(rest ?? "").split("|").map((cell) => cell.trim())].join("|"),
);

function rowOf(market: Market): string {
  const { symbol, alias, tickDecimals, lotDecimals, makerFeeBps, takerFeeBps } = market;
  const isDelisted = market.initialStatus === MarketStatus.delisted;
  const least = market.minNotional / 10n ** BigInt(market.quote.decimals);
  return [
    symbol,
    isDelisted ? "(delisted)" : "",
    isPerpetual(market) ? alias : "",
    formatScaled(1, tickDecimals),
    formatScaled(1, lotDecimals),
    least === 0n ? "" : String(least),
    isDelisted ? "" : `${makerFeeBps} / ${takerFeeBps} bps`,
  ].join("|");
}

test("ACC-17 a new venue lists exactly these markets with these ticks, lots, minima and fees", async () => {
  const database = await createTestDatabase();
  const sql = openPostgres(database.options, "queries");
  try {
    const { markets } = await loadMarketTable(sql);
    assert.equal(listed.length, 7);
    assert.deepEqual(markets.map(rowOf).sort(), [...listed].sort());
  } finally {
    await sql.end();
    await database.drop();
  }
});

/**
 * Rows of the specification's margin tiers: upper bound in whole USDC or "above", maintenance rate in percent,
 * highest leverage.
 */
const tiers = [...page.matchAll(/^\| (?:up to )?([\d,]+|above) \| ([\d.]+) % \| (\d+) \|$/gm)].map(
  ([, bound = "", percent, leverage]) => [
    bound.replaceAll(",", ""),
    Number(percent),
    Number(leverage),
  ],
);

test("ACC-49 the perpetuals of a new venue have the listed margin tiers, and CC-PERP has higher rates", async () => {
  const database = await createTestDatabase();
  const sql = openPostgres(database.options, "queries");
  try {
    const { markets } = await loadMarketTable(sql);
    assert.equal(tiers.length, 5);
    for (const { symbol, marginTiers, quote } of markets.filter(isPerpetual)) {
      const factor = symbol === "CC-PERP" ? 1.25 : 1;
      const oneQuote = 10n ** BigInt(quote.decimals);
      const rows = marginTiers.map(({ notionalMax, maintenancePpm, leverageMax }) => [
        notionalMax === null ? "above" : String(notionalMax / oneQuote),
        maintenancePpm / 10_000 / factor,
        leverageMax,
      ]);
      assert.deepEqual(rows, tiers, symbol);
    }
  } finally {
    await sql.end();
    await database.drop();
  }
});
