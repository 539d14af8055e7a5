// Journey: the user is told what happened to the account, in every view.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import { type Trader, VenueFixture } from "../../support/venue/venue-fixture.ts";
import {
  AccountJourney,
  narrow,
  offer,
  openPage,
  secondsOfFunding,
  settleFunding,
} from "./account-journey.ts";
import { noticed, writeDownNotices } from "./told-notices.ts";

let venue: VenueFixture;
let browser: Browser;
let maker: Trader;
let user: AccountJourney;

const perp = { symbol: "BTC-PERP", side: "BUY" } as const;

before(async () => {
  const settings = { DEV_TOOLS: "1", EPOCH_SECONDS: "1", ...secondsOfFunding };
  venue = await VenueFixture.open(settings);
  maker = await venue.trader();
  browser = await openBrowser();
  const page = await openPage(browser);
  await writeDownNotices(page);
  user = new AccountJourney(page, venue.address);
  await user.logIn();
  await user.fund("perp");
  await venue.operator.risk.setReference("BTC-PERP", "60000", 900);
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

const toasts = () => user.page.getByRole("region", { name: "New notifications" });

test("WEB-50 a fill is announced politely in any view, with a link to its proof", async () => {
  assert.equal(await toasts().getAttribute("aria-live"), "polite");
  await offer(venue, maker, ["SELL", "60000.00", "0.010"]);
  await user.order({ ...perp, qty: "0.010", price: "60000" });
  const bought = toasts().getByText("Bought 0.01 BTC-PERP at 60,000.00");
  // It stays while the pointer is on it.
  await bought.hover();
  await toasts()
    .getByRole("link", { name: /^Verify t-\d+$/ })
    .waitFor();
  await toasts()
    .getByRole("button", { name: /^Dismiss: Bought/ })
    .click();
  await bought.waitFor({ state: "detached" });
});

test("WEB-50 a cancel and an expiry are announced, the expiry with its reason", async () => {
  await user.order({ ...perp, qty: "0.010", price: "50000" });
  await user.send("DELETE", "/v1/orders?symbol=BTC-PERP");
  await noticed(user.page, "Cancelled: buy 0.01 BTC-PERP (limit) at 50,000.00");
  await user.order({ ...perp, qty: "0.010", price: "50000", time_in_force: "IOC" });
  await noticed(
    user.page,
    "Expired: buy 0.01 BTC-PERP (limit) at 50,000.00, the rest could not be filled at once",
  );
});

test("WEB-50 funding is announced with its market", async () => {
  await settleFunding(user.page);
  await noticed(user.page, /^Funding (paid|received): [\d.]+ USDC on BTC-PERP$/);
});

test("WEB-66 the list of notifications outlives a reload", async () => {
  const button = user.page.getByRole("button", { name: /^Notifications, \d+ new$/ });
  const count = async () => Number.parseInt((await button.textContent()) ?? "", 10);
  const before = await count();
  assert(before >= 3, `${before}`);
  await user.page.reload();
  assert((await count()) >= before);
});

test("WEB-50 the list keeps all notifications of the visit, opens by keyboard, and ends with the session", async () => {
  const button = user.page.getByRole("button", { name: /^Notifications, \d+ new$/ });
  await button.focus();
  await user.page.keyboard.press("Enter");
  const list = user.page.getByRole("region", { name: "Notifications", exact: true });
  await list.waitFor();
  // Opened again, it is closed by a key that comes before the next frame.
  const isOpen = await user.page.evaluate(`(async () => {
    const rendered = () => new Promise((resolve) => setTimeout(resolve));
    const key = () =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    const button = document.querySelector(".notice-menu > button");
    key();
    await rendered();
    button.click();
    await rendered();
    key();
    await rendered();
    return document.querySelector(".notice-panel") !== null;
  })()`);
  assert.equal(isOpen, false);
  await user.page.keyboard.press("Enter");
  for (const text of ["Bought 0.01", "Cancelled:", "Expired:", /^Funding/]) {
    await user.shows(text, list);
  }
  await user.assertSound();
  // What arrives in the open list is not new any more.
  await user.order({ ...perp, qty: "0.020", price: "50000" });
  await user.send("DELETE", "/v1/orders?symbol=BTC-PERP");
  await user.shows("Cancelled: buy 0.02 BTC-PERP", list);
  await user.page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await user.page.setViewportSize(narrow);
  await user.page.getByRole("button", { name: "Notifications", exact: true }).click();
  await user.assertSound();
  await list.getByRole("button", { name: "Clear" }).click();
  await user.shows("Fills, cancels, liquidations and funding appear here.", list);
  await user.page.getByRole("button", { name: "Log out" }).first().click();
  await user.page.getByRole("button", { name: /^Notifications/ }).waitFor({ state: "detached" });
  assert.equal(await user.page.evaluate('sessionStorage.getItem("rialto-notices")'), null);
});
