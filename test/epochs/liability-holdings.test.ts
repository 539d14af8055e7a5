// Beside a ledger a statement has custody's holdings, and a venue that owes more than custody holds says so.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresLiabilities } from "../../src/adapters/postgres/queries/journal/liabilities.ts";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

/** The ledger starts meanwhile, and the machine may be busy. */
const waitMs = 240_000;

let fixture: VenueFixture;

before(async () => {
  const settings = { EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: "1", LEDGER_PROFILE: "devnet" };
  fixture = await VenueFixture.open(settings);
});

after(async () => {
  await fixture.close();
});

interface Asset {
  readonly asset: string;
  readonly liabilities: string;
  readonly holdings: string | null;
  readonly surplus: string | null;
  readonly faucet_debt: string;
}

/** USDC in the newest statement, once `isWanted` of it. */
function untilUsdc(what: string, isWanted: (usdc: Asset) => boolean): Promise<Asset> {
  const reader = new PostgresLiabilities(fixture.venue.database.sql);
  return until(
    what,
    async () => {
      const newest = await reader.newest();
      if (newest === null) return null;
      const { assets } = JSON.parse(newest.text) as { assets: Asset[] };
      const usdc = assets.find(({ asset }) => asset === "USDC");
      return usdc !== undefined && isWanted(usdc) ? usdc : null;
    },
    waitMs,
  );
}

interface Health {
  readonly solvency: string;
  readonly problems?: readonly { readonly kind: string; readonly text: string }[];
}

function untilHealth(solvency: string): Promise<Health> {
  return until(
    `solvency ${solvency}`,
    async () => {
      const answer = await fetch(`${fixture.address}/health`);
      const health = (await answer.json()) as Health;
      // A busy machine may let the journal wait for a moment, which is told by another status.
      return answer.status === 200 && health.solvency === solvency ? health : null;
    },
    waitMs,
  );
}

test("LIA-9 LIA-11 a venue that owes nothing is covered, and one that owes more than custody holds has a deficit", async () => {
  const covered = await untilUsdc("holdings", ({ holdings }) => holdings !== null);
  assert.equal(covered.surplus, covered.holdings);
  await untilHealth("ok");
  // What the faucet grants has no coins behind it, and its debt is stated beside.
  const { account } = await fixture.operator.createAccount("standard");
  await fixture.operator.fund({ account, wallet: "spot", asset: "USDC", amount: "2500" });
  const granted = await untilUsdc("a grant", ({ surplus }) => surplus?.startsWith("-") === true);
  assert.equal(granted.liabilities, "2500000000");
  assert.equal(granted.faucet_debt, "2500000000");
  assert.equal(granted.surplus, "-2500.0000000000");
  await untilHealth("ok");
  // Money that nobody owes and no coin covers.
  const credit = { account, wallet: Wallet.spot, asset: 0, amount: 1n, isFromFaucet: false };
  await fixture.venue.clearing.send({ kind: CommandKind.credit, ...credit });
  const short = await untilUsdc("a deficit", ({ liabilities }) => liabilities === "2500000001");
  assert.equal(short.surplus, "-2500.0000010000");
  const { problems = [] } = await untilHealth("deficit");
  const [told] = problems.filter(({ kind }) => kind === "custody_short");
  assert.equal(told?.text, "custody holds less than the venue owes in USDC");
  const report = await fetch(`${fixture.address}/v1/solvency`);
  const { items } = (await report.json()) as { items: { asset: string; surplus: string }[] };
  assert.equal(items.find(({ asset }) => asset === "USDC")?.surplus, short.surplus);
});
