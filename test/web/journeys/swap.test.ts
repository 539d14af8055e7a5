// Journey: swaps whose trader has too little, changes its mind, or settles and sees the right state at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import { QuotingVenue } from "../../support/venue/quoting-venue.ts";
import { AccountJourney, narrow, openPage } from "./account-journey.ts";

let quoting: QuotingVenue;
let browser: Browser;
let user: AccountJourney;

before(async () => {
  quoting = await QuotingVenue.open({ EPOCH_SECONDS: "1" });
  browser = await openBrowser();
  user = new AccountJourney(await openPage(browser), quoting.venue.fixture.address);
  await user.logIn();
});
after(async () => {
  await browser?.close();
  await quoting?.close();
});

function card(): Locator {
  return user.page.getByRole("region", { name: "Swap details" });
}

async function request(amount: string): Promise<void> {
  await user.page.getByLabel("Amount", { exact: true }).fill(amount);
  await user.page.getByRole("button", { name: "Request quotes" }).click();
  await user.shows(new RegExp(`^Buy ${amount}\\.0 CC`), card());
  await card().getByRole("button", { name: "Accept 0.1503" }).waitFor();
}

const accept = () => card().getByRole("button", { name: "Accept 0.1503" }).click();
const newest = () =>
  user.page.getByRole("region", { name: "Your swaps" }).locator("tbody tr").first();

test("WEB-58 a quote that the party on the ledger cannot pay is not accepted, and says what is there", async () => {
  await user.open("swaps");
  await request("100");
  await accept();
  await user.shows("your party has only 0.000000 USDC free on the ledger", card());
  await user.shows("Accept a quote before it expires.", card());
  await card().getByRole("button", { name: "Cancel" }).click();
  await user.shows("You cancelled the request.", card());
});

test("WEB-58 an accepted swap is cancelled while nothing is locked, and the list says so at once", async () => {
  await user.fund("ledger");
  await user.open("swaps");
  await user.shows("Test funds received: 10000 USDC.");
  await request("110");
  await accept();
  await card()
    .getByRole("button", { name: /^Sign and lock/ })
    .waitFor();
  await card().getByRole("button", { name: "Cancel" }).click();
  await user.shows("Cancelled. Nothing was locked or transferred.", card());
  await user.shows("cancelled", newest());
});

test("WEB-58 WEB-104 right after settlement the card and the list agree, and nothing is left to do", async () => {
  await request("120");
  await user.shows(/120\.0 CC/, newest());
  // From now on only the card tells the list what has happened.
  await user.page.route("**/v1/swaps/rfq?limit=50", (route) => route.abort());
  await accept();
  await card()
    .getByRole("button", { name: /^Sign and lock/ })
    .click();
  await user.shows("Settled. Both sides moved in one ledger transaction.", card());
  await user.shows("settled", newest());
  assert.match((await newest().textContent()) ?? "", /120\.0 CC.*0\.1503/);
  assert.equal(
    await card()
      .getByRole("button", { name: /Accept|Cancel|Sign/ })
      .count(),
    0,
  );
  assert.equal(await card().getByText("Time left").count(), 0);
  const held = /as far as this page knows: 9,981\.964 USDC, 120 CC/;
  await user.shows(held);
  assert.equal(await user.page.getByText("Test funds received").count(), 0);
  await user.page.setViewportSize(narrow);
  await user.assertSound();
  await user.page.unrouteAll({ behavior: "wait" });
  await user.open("wallet");
  await user.shows(held);
});
