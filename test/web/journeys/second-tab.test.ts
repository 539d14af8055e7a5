// Journey: a user with several tabs logs in and out once.

import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import { AccountJourney, openPage } from "./account-journey.ts";

let venue: VenueFixture;
let browser: Browser;
let first: AccountJourney;
let second: AccountJourney;

before(async () => {
  venue = await VenueFixture.open({ DEV_TOOLS: "1" });
  browser = await openBrowser();
  first = new AccountJourney(await openPage(browser), venue.address);
  await first.logIn();
  await first.fund("perp");
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

async function tabBeside(page: Page): Promise<AccountJourney> {
  const beside = await page.context().newPage();
  return new AccountJourney(beside, venue.address);
}

const logOut = ({ page }: AccountJourney) => page.getByRole("button", { name: "Log out" }).first();
const logIn = ({ page }: AccountJourney) =>
  page.locator("main").getByRole("button", { name: "Log in", exact: true }).first();

test("WEB-95 a second tab of the browser uses the log-in without a press, and signs with its key", async () => {
  second = await tabBeside(first.page);
  await second.open("trade/BTC-PERP");
  await logOut(second).waitFor();
  // The equity is read with a signed request.
  const equity = second.page.getByLabel("Perpetual account").locator("dd").first();
  await equity.getByText("10,000.00").waitFor();
});

test("WEB-95 a log-out ends the log-in in every tab, and a log-in begins it in those that are open", async () => {
  await second.open("wallet");
  await logOut(first).click();
  await second.shows("You have logged out in another tab.");
  await logIn(second).click();
  await logOut(second).waitFor();
  await logOut(first).waitFor();
});

test("WEB-93 the list of test funds ends with the log-in", async () => {
  await first.open("history");
  await first.page.getByRole("tab", { name: "Transfers", exact: true }).click();
  await first.shows("Nothing matches.");
  await first.fund("spot");
  await first.open("history");
  await first.page.getByRole("tab", { name: "Transfers", exact: true }).click();
  await first.shows("faucet");
});

test("WEB-95 once all tabs were closed, nothing is signed before another press", async () => {
  const context = first.page.context();
  for (const page of context.pages()) await page.close();
  const page = await context.newPage();
  const later = new AccountJourney(page, venue.address);
  const signed: string[] = [];
  page.on("request", (request) => {
    if (/signature=|\/wallet\//.test(request.url())) signed.push(request.url());
  });
  await later.open("wallet");
  await logIn(later).waitFor();
  await later.shows("Your key is stored in this browser.");
  if (signed.length > 0) throw new Error(signed.join());
  await logIn(later).click();
  await logOut(later).waitFor();
});

test("WEB-95 another browser profile does not get the log-in", async () => {
  const stranger = new AccountJourney(await openPage(browser), venue.address);
  await stranger.open("wallet");
  await stranger.page.getByRole("button", { name: "Create a key and log in" }).waitFor();
});
