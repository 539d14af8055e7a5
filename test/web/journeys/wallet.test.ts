// Journey: the wallet's values, a transfer with its preview, a withdrawal and a deposit with their stages, and a referral.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import { LedgerVenue } from "../../support/venue/ledger-venue.ts";
import { AccountJourney, narrow, openPage, sendAsUser, wide } from "./account-journey.ts";

const payer = `payer::1220${"ab".repeat(32)}`;

let venue: LedgerVenue;
let browser: Browser;
let user: AccountJourney;

before(async () => {
  // A busy ledger may take longer than a user would wait.
  venue = await LedgerVenue.open({ WITHDRAWAL_TIMEOUT_MS: "50000" });
  const { fixture } = venue;
  const [maker, taker] = [await fixture.trader(), await fixture.trader()];
  for (const [who, side] of [
    [maker, "SELL"],
    [taker, "BUY"],
  ] as const) {
    const order = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC" };
    const placed = { ...order, quantity: "100", price: "0.1500" };
    assert.equal((await fixture.signed(who, "POST", "/api/v3/order", placed)).status, 200);
  }
  browser = await openBrowser();
  user = new AccountJourney(await openPage(browser), fixture.address);
  await user.logIn();
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

const balances = () => user.page.getByRole("region", { name: "Balances" });

test("WEB-55 balances have a value in USDC, and the wallet their total", async () => {
  await user.fund("spot");
  await user.fund("spot", "CC");
  await user.shows("1,500.00", balances().getByRole("row", { name: /CC/ }).last());
  await user.shows("11,500.00 USDC");
});

test("WEB-138 the question before trading from the own party refuses while the spot wallet is not empty", async () => {
  const { page } = user;
  await page.getByRole("button", { name: "Trade from my own party" }).click();
  const question = page.getByRole("dialog", { name: "Trade from your own party?" });
  await question.getByText(/^Your spot wallet must be empty\./).waitFor();
  await question.getByText(/^Your spot wallet still holds .*10,000\.\d+ CC/).waitFor();
  assert(await question.getByRole("button", { name: "Trade from it for good" }).isDisabled());
  await question.getByRole("button", { name: "Keep" }).click();
});

test("WEB-55 a transfer shows what both wallets will have, and Max moves everything", async () => {
  const { page } = user;
  await page.getByRole("combobox", { name: "From", exact: true }).selectOption("spot");
  const amount = page.getByRole("textbox", { name: "Amount", exact: true }).first();
  const preview = page.getByLabel("After the transfer");
  await amount.fill("25.5");
  await user.shows("10,000.000000 → 9,974.500000 USDC", preview);
  await user.shows("0.000000 → 25.500000 USDC", preview);
  await amount.fill("10000.000001");
  await user.shows("Only 10,000.000000 USDC available in your spot wallet.");
  await page.getByRole("button", { name: "Max: 10,000.000000" }).first().click();
  assert.equal(await amount.inputValue(), "10000.000000");
  const asset = page.getByRole("combobox", { name: "Asset", exact: true }).first();
  assert.equal(await asset.inputValue(), "USDC");
  await page.getByRole("button", { name: "Transfer", exact: true }).click();
  await user.shows("Transferred 10000.000000 USDC from spot to perp.");
  await user.shows("perp", balances());
});

test("WEB-89 a transfer that the venue would refuse is explained before it is sent", async () => {
  const { page } = user;
  const [from, to] = ["From", "To"].map((name) =>
    page.getByRole("combobox", { name, exact: true }),
  );
  const amount = page.getByRole("textbox", { name: "Amount", exact: true }).first();
  await from?.selectOption("perp");
  await to?.selectOption("perp");
  await user.shows("Choose two different wallets.");
  await to?.selectOption("funding");
  await amount.fill("1.0000001");
  await user.shows("USDC has at most 6 decimal places.");
  await page.getByRole("button", { name: "Transfer", exact: true }).click();
  await page.locator(".answer").getByText("USDC has at most 6 decimal places.").waitFor();
  await from?.selectOption("spot");
  assert(await page.getByRole("button", { name: "Max: 0.000000" }).first().isDisabled());
});

test("WEB-55 WEB-140 the deposit address has copy buttons, a deposit shows its stages, and balances and total follow it", async () => {
  const { page } = user;
  await page.getByRole("button", { name: "Show deposit address" }).click();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const reference = await user.copied(page.getByRole("button", { name: "Copy reference" }));
  await user.shows(reference);
  const { custody } = await venue.place();
  const control = await venue.control();
  await control.host(payer);
  await control.tap(payer, "USDC", "100");
  await control.spend(payer, custody, "USDC", "40", reference);
  const list = page.getByRole("region", { name: "Deposits and withdrawals" });
  await user.shows("40.000000", list);
  await user.shows("Credited to your funding wallet", list);
  await user.shows("40.000000", balances().getByRole("row", { name: /funding/ }));
  await user.shows("11,540.00 USDC");
});

test("WEB-129 test funds sent as a deposit take the way of any deposit", async () => {
  const { page } = user;
  await user.fund("deposit");
  const list = page.getByRole("region", { name: "Deposits and withdrawals" });
  const item = list.getByRole("listitem").filter({ hasText: /10.?000\.000000/ });
  await user.shows("Credited to your funding wallet", item.first());
});

test("WEB-75 a withdrawal says its minimum, its fee and what arrives, and asks before it is sent", async () => {
  const { page } = user;
  await user.fund("spot");
  await (await venue.control()).preapproval(payer, "POST");
  const withdraw = page.getByRole("button", { name: "Withdraw", exact: true });
  const amount = page.getByLabel("Amount to withdraw");
  const costs = page.getByRole("region", { name: "Costs of the withdrawal" });
  await page.getByLabel("Destination party").fill(payer);
  await amount.fill("1.9");
  await costs.getByText("The minimum is 2.000000.").waitFor();
  assert(await withdraw.isDisabled());
  assert.equal(await page.getByText("The minimum is 2.000000.").count(), 1);
  await amount.fill("30");
  await page.getByLabel("Destination party").fill("nonsense");
  await user.shows("This is no party id, such as alice::1220…");
  assert(await withdraw.isDisabled());
  await page.getByLabel("Destination party").fill(payer);
  // The balances are read at most once a second.
  await costs.getByText("29.500000 USDC").waitFor();
  const [minimum, fee, arrives] = await costs.getByRole("definition").allTextContents();
  assert.deepEqual([minimum, fee, arrives], ["2.000000 USDC", "0.500000 USDC", "29.500000 USDC"]);
  await withdraw.click();
  const question = page.getByRole("dialog", { name: "Withdraw?" });
  await question
    .getByText(/^30 USDC leave your spot wallet and 29\.500000 USDC arrive at payer/)
    .waitFor();
  await question.getByRole("button", { name: "Keep" }).click();
  const { text } = await sendAsUser(page, "GET", "/v1/withdrawals");
  assert.deepEqual(JSON.parse(text).items, []);
});

test("WEB-55 a withdrawal is shown from its request to its payment", async () => {
  const { page } = user;
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await page.getByRole("button", { name: "Withdraw now" }).click();
  const list = page.getByRole("region", { name: "Deposits and withdrawals" });
  const item = list.getByRole("listitem").filter({ hasText: "Withdrawal of 30.000000 USDC" });
  await item.getByText("Paid, done").first().waitFor({ state: "attached" });
  await item.getByRole("button", { name: "Copy ledger transaction" }).waitFor();
});

test("WEB-76 what is known to have reached the user's party on the ledger stands beside it, apart from the total", async () => {
  const { page } = user;
  const { text } = await sendAsUser(page, "GET", "/v1/wallet/enrollment");
  const own: string = JSON.parse(text).party_id;
  await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption("ledger");
  await page.getByRole("button", { name: "Get test funds" }).click();
  const party = page.getByRole("region", { name: "Your party on the ledger" });
  await party.getByText("Test funds sent to it: 10000 USDC").waitFor();
  await party.getByText(/not in the balances and the total above/).waitFor();
  await party.getByText(/send it to the deposit address above with its reference/).waitFor();
  await (await venue.control()).preapproval(own, "POST");
  await page.getByLabel("Amount to withdraw").fill("12");
  await page.getByLabel("Destination party").fill(own);
  await page.getByRole("button", { name: "Withdraw", exact: true }).click();
  await page.getByRole("button", { name: "Withdraw now" }).click();
  await party.getByText("Withdrawn to it: 11.500000 USDC").waitFor();
});

test("WEB-77 a request that the venue does not answer at once says that it waits", async () => {
  const { page } = user;
  const { pid } = await venue.place();
  await page.getByLabel("Amount to withdraw").fill("5");
  await page.getByLabel("Destination party").fill(payer);
  const withdraw = page.getByRole("button", { name: "Withdraw", exact: true });
  process.kill(pid, "SIGSTOP");
  try {
    await withdraw.click();
    await page.getByRole("button", { name: "Withdraw now" }).click();
    await page.getByText("Waiting for the venue…").waitFor();
    assert(await withdraw.isDisabled());
  } finally {
    process.kill(pid, "SIGCONT");
  }
  // Its text may have become another one: that the ledger is silent.
  await withdraw.and(page.locator(":enabled")).waitFor();
  assert.equal(await page.getByText("Waiting for the venue…").count(), 0);
});

test("WEB-55 the wallet is sound at every size, with no number broken over lines", async () => {
  for (const size of [wide, narrow]) {
    await user.page.setViewportSize(size);
    await user.assertSound();
    const broken = await user.page.evaluate(`[...document.querySelectorAll(".number, .figure, dd")]
      .filter((cell) => /^[\\d.,]+$/.test(cell.textContent))
      .filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      }).length`);
    assert.equal(broken, 0, String(size.width));
  }
});

test("WEB-56 WEB-112 a referral has a link that fills in the code, units, and nothing to claim at zero", async () => {
  const { page } = user;
  await user.open("referral");
  await user.shows(/^0(\.0+)? USDC$/);
  assert(await page.getByRole("button", { name: "Claim commission" }).isDisabled());
  const region = page.getByRole("region", { name: "Your link" });
  const [link = "", code = ""] = await region.getByRole("definition").allTextContents();
  assert.equal(link, `${venue.fixture.address}/?ref=${code}`);
  assert.equal(await user.copied(region.getByRole("button", { name: "Copy link" })), link);
  await user.assertSound();
  const friend = await openPage(browser);
  await friend.goto(link);
  await friend.getByRole("link", { name: "Log in" }).click();
  assert.equal(await friend.getByLabel("Referral code (optional)").first().inputValue(), code);
  await friend.getByRole("button", { name: "Create a key and log in" }).first().click();
  await friend.getByRole("button", { name: "Log out" }).first().waitFor();
  // The open page follows.
  await page.getByRole("definition").filter({ hasText: /^1$/ }).first().waitFor();
});

test("WEB-49 on a phone every control of wallet, history, swaps and proofs is at least 44 pixels high", async () => {
  await user.page.setViewportSize(narrow);
  for (const view of ["wallet", "history", "swaps", "chain"]) {
    await user.open(view);
    await user.page.locator(".page :is(button, input)").first().waitFor();
    const small = await user.page.evaluate(`[...document.querySelectorAll(
      '.page :is(button, select, summary, td a, input:not([type="checkbox"]))')]
      .map((one) => [one.textContent || one.name || one.type, one.getBoundingClientRect().height])
      .filter(([, height]) => height > 0 && height < 44)`);
    assert.deepEqual(small, [], view);
  }
});
