// Proves that a trader can make a swap in the browser: the real page of a real venue, the reference provider behind its
// own sockets, and the development ledger between them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { until } from "../epochs/epoch-waits.ts";
import { assertAccessible } from "../support/client/accessibility.ts";
import { openBrowser } from "../support/client/browser.ts";
import { QuotingVenue } from "../support/venue/quoting-venue.ts";

let quoting: QuotingVenue;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

before(async () => {
  quoting = await QuotingVenue.open({ EPOCH_SECONDS: "1" });
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on("pageerror", (error) => complaints.push(String(error)));
});
after(async () => {
  await browser?.close();
  await quoting?.close();
});

function open(place: string): Promise<unknown> {
  return page.goto(`${quoting.venue.fixture.address}/#/${place}`);
}

function card(): Locator {
  return page.getByRole("region", { name: "Swap details" });
}

/** Resolves when a part of the card shows the text; throws with what the card shows instead. */
async function shows(part: Locator, text: string): Promise<void> {
  await part
    .getByText(text)
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`"${text}" is missing in: ${await card().textContent()}`, { cause });
    });
}

async function send(side: string, amount: string, unit: string): Promise<void> {
  await page.getByRole("button", { name: side, exact: true }).click();
  await page.getByLabel("Amount", { exact: true }).fill(amount);
  await page.getByRole("combobox", { name: "Amount in" }).selectOption(unit);
  await page.getByRole("button", { name: "Request quotes" }).click();
}

test("WEB-17 a swap first needs a key, and an account shows where its coins are", async () => {
  await open("swaps");
  await page.getByText("Log in to swap with liquidity providers.").waitFor();
  await page.getByRole("button", { name: "Create a key and log in" }).click();
  await page.getByText("You have not requested a quote yet.").waitFor();
  await page.getByText("Swaps are paid from your own party on the ledger").waitFor();
  await open("wallet");
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("ledger");
  await page.getByRole("button", { name: "Get test funds" }).click();
  await page.getByText("10000 USDC sent to your party on the ledger.").waitFor();
  await open("swaps");
  await page.getByText("Test funds received: 10000 USDC.").waitFor();
});

test("WEB-17 WEB-25 a swap runs from its request to the ledger, signed with the browser's key", async () => {
  await open("swaps");
  await send("Buy CC", "100", "CC");
  await card().getByRole("heading", { name: "Buy 100.0 CC with USDC" }).waitFor();
  const quotes = card().getByRole("region", { name: "Quotes" });
  await quotes.getByText("0.1503").waitFor();
  await quotes.getByText(/^15\.030000 USDC\s*100\.0 CC$/).waitFor();
  await quotes.getByText(/^\d+ s$/).waitFor();
  await quotes.getByRole("button", { name: "Accept 0.1503" }).click();
  const signing = card().getByRole("region", { name: "Transaction to sign" });
  for (const message of [
    "is the hash of this transaction.",
    "It acts for you only.",
    "It proposes the swap, locks your payment and does nothing else.",
    "You receive 100.0 CC from maker::",
    "You lock 15.030000 USDC",
    "Your funds are locked until",
    "New to this wallet",
    "It contains nothing else.",
  ]) {
    await shows(signing, message);
  }
  await assertAccessible(page, { what: "a transaction to sign" });
  await signing.getByRole("button", { name: "Sign and lock 15.030000 USDC" }).click();
  await card().getByText("Settled. Both sides moved in one ledger transaction.").waitFor();
  assert.match((await card().locator(".terms dd code").last().textContent()) ?? "", /^1220/);
  await page.getByRole("region", { name: "Your swaps" }).getByText("settled").waitFor();
  assert.deepEqual(complaints, []);
});

test("WEB-17 a step of the swap is verified in the page", async () => {
  const entries = card().getByRole("region", { name: "Steps" }).getByRole("link");
  const seq = (await entries.last().textContent()) ?? "";
  // By its number: another step may have become the last one meanwhile.
  await entries.getByText(seq, { exact: true }).click();
  const requested = page.getByLabel("Journal entry (57), order (o-12) or trade (t-3)");
  await until("the entry in the form", async () =>
    (await requested.inputValue()) === seq ? true : null,
  );
  const verdict = page.getByRole("region", { name: "Verdict" }).first();
  const verify = page.getByRole("button", { name: "Verify" });
  // The swap's epoch ends within a second or two; until then the page waits by itself.
  await verify.click();
  await verdict.getByText("Verified.").waitFor();
});

test("WEB-17 a request without quotes ends with a message, and a request can be cancelled", async () => {
  await open("swaps");
  await send("Sell CC", "200000", "CC");
  await card().getByText("No provider quoted this amount.").waitFor();
  await send("Buy CC", "100", "USDC");
  await card().getByRole("heading", { name: "Buy CC with 100.000000 USDC" }).waitFor();
  await card().getByRole("button", { name: "Accept" }).first().waitFor();
  await card().getByRole("button", { name: "Cancel" }).click();
  await card().getByText("You cancelled the request.").waitFor();
  await page.getByLabel("Amount", { exact: true }).fill("0.01");
  await page.getByRole("combobox", { name: "Amount in" }).selectOption("CC");
  await page.getByRole("button", { name: "Request quotes" }).click();
  await page.getByText("qty must be a positive multiple of the lot size").waitFor();
});

test("WEB-17 WEB-104 an account becomes wallet-funded after a question, gets coins on the ledger and swaps them", async () => {
  await open("wallet");
  await page.getByRole("button", { name: "Trade from my own party" }).click();
  const question = page.getByRole("dialog", { name: "Trade from your own party?" });
  await question.getByText("This cannot be undone.").waitFor();
  assert.equal(await page.getByText("The venue holds your spot balances.").count(), 1);
  await question.getByRole("button", { name: "Trade from it for good" }).click();
  await page.getByText("Your spot wallet is your own party on the ledger").waitFor();
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("spot");
  await page.getByRole("button", { name: "Get test funds" }).click();
  await page.getByText("10000 USDC added to your spot wallet.").waitFor();
  await open("swaps");
  await page.getByText(/^Available on the ledger: .* USDC$/).waitFor();
  await send("Buy CC", "100", "CC");
  // Make the browser believe that its earlier signatures were for another operator.
  await page.evaluate(`localStorage.setItem("rialto-known-network", localStorage
    .getItem("rialto-known-network").replace(/"operator":"[a-z]+/, '"operator":"other'))`);
  await card().getByRole("button", { name: "Accept 0.1503" }).click();
  await card()
    .getByText(/^It names the venue's operator .*, but this wallet knows other::/)
    .waitFor();
  assert.equal(await card().getByRole("button", { name: /^Sign/ }).count(), 0);
  await card().getByRole("button", { name: "Reset the saved network details" }).click();
  await card().getByText("New to this wallet").waitFor();
  await card().getByRole("button", { name: "Sign and lock 15.030000 USDC" }).click();
  await card().getByText("Settled. Both sides moved in one ledger transaction.").waitFor();
});

test("WEB-17 WEB-25 a transaction that the page cannot read is shown, and not signed", async () => {
  const prepares = "**/v1/swaps/rfq/*/prepare";
  await page.route(prepares, async (route) => {
    const response = await route.fetch();
    const prepared = await response.json();
    await route.fulfill({ response, json: { ...prepared, prepared_transaction: "CgQI" } });
  });
  await open("swaps");
  await send("Buy CC", "100", "CC");
  await card().getByRole("button", { name: "Accept 0.1503" }).click();
  const signing = card().getByRole("region", { name: "Transaction to sign" });
  await signing.getByText("This page cannot read the transaction and does not sign it.").waitFor();
  await signing.getByText("Full transaction").click();
  await signing.getByText("CgQI").waitFor();
  assert.equal(await signing.getByRole("button").count(), 0);
  assert.equal(await signing.getByRole("checkbox").count(), 0);
  await page.unrouteAll({ behavior: "wait" });
});

test("WEB-18 the traffic page shows everybody what settlement costs", async () => {
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("contentinfo").getByRole("link", { name: "Traffic" }).click();
  await page.getByText("Free traffic left:").waitFor();
  await page.getByRole("region", { name: "Lanes" }).getByRole("row", { name: /rfq/ }).waitFor();
  await page.getByText("This venue runs no market makers.").waitFor();
  assert.deepEqual(complaints, []);
});
