// Proves on a whole venue with a development ledger that the coin audit finds and corrects recorded coins that differ
// from the ledger after somebody changed the tables.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { NativeClient } from "../support/client/native-client.ts";
import { freeOf, LedgerVenue, until } from "../support/venue/ledger-venue.ts";

let venue: LedgerVenue;
let custody: string;
let wallet: NativeClient;

before(async () => {
  venue = await LedgerVenue.open({ LEDGER_AUDIT_MS: "2000" });
  ({ custody } = await venue.place());
  wallet = await venue.member();
});
after(() => venue.close());

/** Returns what a party has of an asset according to the tables. */
async function onRecord(party: string, asset: string): Promise<number> {
  const { sql } = venue.fixture.venue.database;
  const [row] = await sql<{ sum: string | null }[]>`
    select (sum(h.amount) / power(10::numeric, 10))::text as sum
    from settlement_holdings h join assets a on a.asset = h.asset
    where h.party = ${party} and a.code = ${asset}`;
  return Number(row?.sum ?? 0);
}

async function isRight(party: string, asset: string): Promise<boolean> {
  return (await onRecord(party, asset)) === (await venue.held(party, asset));
}

async function coinsAstray(): Promise<number> {
  const text = await (await fetch(`${venue.fixture.address}/metrics`)).text();
  return Number(/^rialto_settlement_coins_astray (\d+)$/m.exec(text)?.[1]);
}

test("SET-18 SET-29 recorded coins that are missing, invented or changed are found, reported and corrected", async () => {
  const { sql } = venue.fixture.venue.database;
  await until(
    async () => (await isRight(custody, "CC")) && (await isRight(wallet.partyId, "USDC")),
  );
  assert.equal(await coinsAstray(), 0);
  const forget = () => sql`delete from settlement_holdings where party = ${custody} and asset = 1`;
  assert.ok((await forget()).count > 0);
  // The figure is that of the last audit, and each audit corrects what it finds, so every audit must find something.
  await until(async () => {
    await forget();
    return (await coinsAstray()) > 0;
  });
  await until(() => isRight(custody, "CC"));
  await sql`
    insert into settlement_holdings (contract_id, party, asset, amount, is_locked)
    values ('invented', ${wallet.partyId}, 0, 50000000000, false)`;
  await until(() => isRight(wallet.partyId, "USDC"));
  await sql`
    update settlement_holdings set amount = amount + 1, is_locked = true
    where party = ${wallet.partyId}`;
  await until(() => isRight(wallet.partyId, "USDC"));
  await until(async () => (await coinsAstray()) === 0);
  await until(async () => (await freeOf(wallet, "spot", "USDC")) === 1000);
});
