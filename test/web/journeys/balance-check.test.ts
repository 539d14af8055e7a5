// Journeys of a member who checks that his balances are in what the venue states to owe, and of a visitor who checks the
// totals; a venue that lies is found by the page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { present } from "../../../src/core/assert.ts";
import { openBrowser, patienceMs } from "../../support/client/browser.ts";
import type { SampleAsset } from "../../support/epochs/stated-sample.ts";
import { stateLiabilities } from "../../support/epochs/stated-venue.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import { AccountJourney, narrow, openPage } from "./account-journey.ts";

const covered = {
  ...{ holdings: "2000.0000000000", in_flight: "0.0000000000", claims: "0.0000000000" },
  surplus: "749.5000000000",
};
const short = { ...covered, holdings: "1179.0000000000", surplus: "-71.5000000000" };
const usdc: SampleAsset = { asset: "USDC", number: 0, decimals: 6 };
const cc: SampleAsset = { asset: "CC", number: 1, decimals: 10 };
const amounts = { USDC: 1_250_500_000n, CC: 70_000n };

let fixture: VenueFixture;
let browser: Browser;

before(async () => {
  // An entry must be in the epoch after the stated one, so an epoch is longer than a busy venue takes to seal one.
  fixture = await VenueFixture.open({ DEV_TOOLS: "1", EPOCH_SECONDS: "2" });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await fixture?.close();
});

/** Polls the database until a query returns true. */
async function until(query: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { sql } = fixture.venue.database;
    const [row] = await sql<{ is_so: boolean }[]>`select ${sql.raw(query)} as is_so`;
    if (row?.is_so) return;
    assert(performance.now() < deadline, query);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const entryIsSealed =
  "(select max(last_seq) from epochs) >= (select max(entry_seq) from liability_statements)";

/**
 * States amounts of the newest user, and waits until the entry is sealed. States them again if another epoch came between: then
 * nothing links the stated epoch to the entry's, and its time is not proved.
 */
async function state(assets: readonly SampleAsset[]): Promise<void> {
  const { sql } = fixture.venue.database;
  await until(`coalesce((select max(epoch) from epochs) >
    coalesce((select max(epoch) from liability_statements), 0), false)`);
  const [user] = await sql<{ account: number; fingerprint: string }[]>`
    select account, fingerprint from wallet_users order by account desc limit 1`;
  const { account, fingerprint } = present(user, "a member who has logged in");
  const stated = [{ account: Number(account), fingerprint, amounts }];
  const epoch = await stateLiabilities(fixture, assets, stated);
  await until(entryIsSealed);
  const between = await sql`
    select epoch from epochs where epoch > ${epoch}
      and last_seq < (select max(entry_seq) from liability_statements)`;
  if (between.length > 0) await state(assets);
}

test("LIA-40 a visitor checks the totals, and is told before the first statement that there is none", async () => {
  const page = await openPage(browser);
  const visitor = new AccountJourney(page, fixture.address);
  await visitor.open("chain");
  const button = page.getByRole("button", { name: "Check the totals" });
  await button.click();
  await visitor.shows("there is no liabilities statement yet");
  await fixture.trader();
  await until("(select count(*) from epochs) > 1");
  const accounts = [{ account: 1, fingerprint: "00".repeat(32), amounts }];
  await stateLiabilities(fixture, [{ ...usdc, ledger: covered }, cc], accounts, 1);
  await until(entryIsSealed);
  await button.click();
  // Another epoch is between the stated one and the entry's, so nothing proves its time.
  await visitor.shows("Verified. These are the venue's totals of the end of the stated epoch.");
  await visitor.shows(/leaves open what the venue holds of CC/);
  await visitor.assertSound();
  await page.context().close();
});

test("LIA-40 a member checks with one click that his balances are in the totals, and sees when", async () => {
  const page = await openPage(browser);
  const member = new AccountJourney(page, fixture.address);
  await member.logIn();
  await state([{ ...usdc, ledger: covered }, cc]);
  await member.open("chain");
  await page.getByRole("button", { name: "Check my balances" }).click();
  const verdict = page.getByRole("region", { name: /^Verdict: liabilities/ });
  await member.shows(/^Verified\. At .*\d.* the venue owed you, in its totals:/, verdict);
  assert.deepEqual(await verdict.locator("dd").allTextContents(), ["1,250.5", "0.000007"]);
  await member.shows(/computed in this page in \d+ ms/, verdict);
  await member.shows(/bound to the fingerprint of your public key/, verdict);
  assert.equal(await verdict.getByRole("alert").count(), 0);
  await member.assertSound();
  await page.setViewportSize(narrow);
  await member.assertSound();
  await page.context().close();
});

test("LIA-40 a deficit is an alert, and a leaf that was changed on the way fails", async () => {
  const page = await openPage(browser);
  const member = new AccountJourney(page, fixture.address);
  await member.logIn();
  await state([{ ...usdc, ledger: short }]);
  await member.open("chain");
  const check = page.getByRole("button", { name: "Check my balances" });
  await check.click();
  const verdict = page.getByRole("region", { name: /^Verdict: liabilities/ });
  await verdict.getByRole("alert").getByText("states 71.5 USDC less than it owes").waitFor();
  await page.route("**/v1/liabilities/me", async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    await route.fulfill({
      response: answer,
      body: text.replace('"amount":"1250500000"', '"amount":"1250500001"'),
    });
  });
  await check.click();
  await member.shows("Verification failed. Do not trust this statement.", verdict);
  await member.shows(/^leaves: part [01] of USDC has/, verdict);
  assert.equal(await verdict.getByText("owed you").count(), 0);
  await page.context().close();
});
