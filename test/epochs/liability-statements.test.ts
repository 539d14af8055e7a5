// A venue states its liabilities after its epochs: the journal has the digest of each statement, its trees have every
// account, and nothing is told of custody while there is no ledger.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresLiabilities } from "../../src/adapters/postgres/queries/journal/liabilities.ts";
import { SystemAccount } from "../../src/core/accounts.ts";
import { EventKind, type LiabilitiesStated } from "../../src/core/generated/events.ts";
import { digestOf } from "../../src/engine/epochs/statement-digest.ts";
import type { LiabilityStatement } from "../../src/ports/journal/liability-store.ts";
import { sha256Into } from "../../src/services/epochs/leaf-hasher.ts";
import { accountKeyOf, epochKeyOf } from "../../src/services/epochs/liability-keys.ts";
import { digestOfStatement } from "../../src/services/epochs/liability-statement.ts";
import { decodeEventBytes } from "../../src/wire/records/event-bytes.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

/** The machine may be busy. */
const waitMs = 240_000;
const leafBytes = 56;
const million = 1_000_000n;

let fixture: VenueFixture;
let trader: Trader;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: "1" });
  trader = await fixture.trader();
});

after(async () => {
  await fixture.close();
});

function reader(): PostgresLiabilities {
  return new PostgresLiabilities(fixture.venue.database.sql);
}

/** The newest statement about an epoch that began after `seq`. */
function statedAfter(seq: number): Promise<LiabilityStatement> {
  return until(
    "a statement",
    async () => {
      const newest = await reader().newest();
      return newest !== null && newest.statedSeq >= seq ? newest : null;
    },
    waitMs,
  );
}

test("LIA-2 LIA-10 each statement's digest is an entry of the journal, of a later epoch", async () => {
  const stated = await statedAfter(fixture.venue.committedSeq);
  const { sql } = fixture.venue.database;
  const [row] = await sql<{ body: Uint8Array }[]>`
    select body from journal where seq = ${stated.entrySeq}`;
  const { body } = row as { body: Uint8Array };
  const event = decodeEventBytes(body, 0, body.length) as LiabilitiesStated;
  assert.equal(event.kind, EventKind.liabilitiesStated);
  assert.equal(event.epoch, stated.epoch);
  assert.equal(event.statedSeq, stated.statedSeq);
  assert.deepEqual(Buffer.from(digestOf(event)), Buffer.from(stated.digest));
  assert.deepEqual(Buffer.from(digestOfStatement(stated.text)), Buffer.from(stated.digest));
  const [epoch] = await sql<{ last_seq: string }[]>`
    select last_seq from epochs where epoch = ${stated.epoch}`;
  assert.equal(Number(epoch?.last_seq), stated.statedSeq);
  assert(stated.entrySeq > stated.statedSeq);
});

/** The amount in an account's leaves of an asset, found by the tags of its shares. */
async function amountInLeaves(
  { epoch }: LiabilityStatement,
  account: number,
  asset: number,
): Promise<bigint | null> {
  const key = accountKeyOf(epochKeyOf(fixture.venue.keys.nonceKey, epoch), account);
  const tags = [0, 1].map((part) => {
    const share = new Uint8Array(32);
    sha256Into(Uint8Array.of(6, ...key, asset, part), share, 0);
    return Buffer.from(share.subarray(16, 24));
  });
  const tiles = await reader().leafTiles(
    epoch,
    tags.map((tag) => ({ asset, tag })),
  );
  let sum = 0n;
  for (const [part, tile] of tiles.entries()) {
    const nodes = Buffer.from(tile?.nodes ?? []);
    let at = 0;
    while (at < nodes.length && nodes.compare(tags[part] as Buffer, 0, 8, at, at + 8) !== 0)
      at += leafBytes;
    if (at >= nodes.length) return null;
    sum += nodes.readBigUInt64BE(at + 48);
  }
  return sum;
}

/**
 * The trader's USDC in the leaves of the first statement after `seq`. If newer statements have replaced its tree before
 * it was read, those of a later one.
 */
async function statedUsdc(seq: number) {
  for (let from = seq; ; ) {
    const stated = await statedAfter(from);
    const usdc = await amountInLeaves(stated, trader.account, 0);
    const newest = await reader().newest();
    if (usdc !== null || (newest?.epoch ?? 0) < stated.epoch + 2) return { stated, usdc };
    from = stated.entrySeq;
  }
}

test("LIA-3 LIA-12 a member's leaves are found by his key and have his balances; others have none", async () => {
  const { stated, usdc } = await statedUsdc(fixture.venue.committedSeq);
  assert.equal(usdc, 2_000_000n * million);
  assert.equal(await amountInLeaves(stated, trader.account + 1, 0), null);
  assert.equal(await amountInLeaves(stated, SystemAccount.faucet, 0), null);
  const [asset] = JSON.parse(stated.text).assets;
  assert.equal(asset.total, String(2_000_000n * million));
  assert.equal(asset.liabilities, asset.total);
});

test("LIA-9 LIA-11 without a ledger holdings and solvency are unknown", async () => {
  const stated = await statedAfter(fixture.venue.committedSeq);
  const { assets, ledger_offset } = JSON.parse(stated.text);
  assert.equal(ledger_offset, null);
  for (const { holdings, in_flight, claims, surplus } of assets)
    assert.deepEqual([holdings, in_flight, claims, surplus], [null, null, null, null]);
  const told = await until(
    "a healthy venue",
    async () => {
      const health = await fetch(`${fixture.address}/health`);
      const { solvency } = (await health.json()) as { solvency: string };
      return health.status === 200 ? solvency : null;
    },
    waitMs,
  );
  assert.equal(told, "unknown");
});

test("LIA-12 a journaled statement refuses changes, and only the newest trees are stored", async () => {
  const { sql } = fixture.venue.database;
  const first = await statedAfter(fixture.venue.committedSeq);
  const fourMore = async () => {
    const newest = await reader().statements(null, 4);
    return (newest.length === 4 && newest.every(({ epoch }) => epoch > first.epoch)) || null;
  };
  await until("four more statements", fourMore, waitMs);
  assert.notEqual(await reader().statement(first.epoch), null);
  const [tiles] = await sql<{ epochs: number }[]>`
    select count(distinct epoch)::integer as epochs from liability_tiles`;
  assert((tiles?.epochs ?? 0) >= 2 && (tiles?.epochs ?? 0) <= 3, `${tiles?.epochs} epochs`);
  assert.deepEqual(
    await reader().leafTiles(first.epoch, [{ asset: 0, tag: new Uint8Array(8).fill(255) }]),
    [null],
  );
  for (const change of [
    "update liability_statements set statement = ''",
    "delete from liability_statements",
  ])
    await assert.rejects(sql.unsafe(`${change} where epoch = ${first.epoch}`), { code: "RL009" });
  const [newer, older] = await reader().statements(null, 2);
  assert(newer !== undefined && older !== undefined && newer.epoch > older.epoch);
  assert.deepEqual(await reader().statements(newer.epoch, 1), [older]);
});

test("LIA-10 a venue that starts again states its next epochs", async () => {
  const before = await statedAfter(fixture.venue.committedSeq);
  await fixture.restart();
  const { stated: next, usdc } = await statedUsdc(before.entrySeq);
  assert(next.epoch > before.epoch);
  assert.equal(usdc, 2_000_000n * million);
});
