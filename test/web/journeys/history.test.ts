// Journey: the user looks through the account's history, exports it, and checks a trade of it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { until } from "../../epochs/epoch-waits.ts";
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

let venue: VenueFixture;
let browser: Browser;
let maker: Trader;
let user: AccountJourney;

before(async () => {
  const settings = { DEV_TOOLS: "1", EPOCH_SECONDS: "1", ...secondsOfFunding };
  venue = await VenueFixture.open(settings);
  maker = await venue.trader();
  browser = await openBrowser();
  user = new AccountJourney(await openPage(browser), venue.address);
  await user.logIn();
  await user.fund("perp");
  await venue.operator.risk.setReference("BTC-PERP", "60000", 900);
  const perp = { symbol: "BTC-PERP", qty: "0.010" } as const;
  await offer(venue, maker, ["SELL", "60000.00", "1.000"]);
  await offer(venue, maker, ["BUY", "59990.00", "1.000"]);
  await user.order({ ...perp, side: "BUY", price: "60000" });
  await user.order({ ...perp, side: "SELL", price: "59990" });
  await user.order({ ...perp, side: "BUY", price: "60000" });
  await user.order({ ...perp, side: "BUY", price: "50000", time_in_force: "IOC" });
  for (let order = 0; order < 30; order++) {
    await user.order({ ...perp, side: "BUY", price: `${50_000 + order}` });
  }
  await user.send("DELETE", "/v1/orders?symbol=BTC-PERP");
  await settleFunding(user.page);
  await user.send("POST", "/v1/transfers", {
    ...{ from: "perp", to: "spot", asset: "USDC", amount: "25", idempotency_key: "t" },
  });
  await untilWritten();
});
after(async () => {
  await browser?.close();
  await venue?.close();
});

/** Waits until the histories have all that was done: they are written a moment after it. */
async function untilWritten(): Promise<void> {
  for (const [path, count] of [
    ["/v1/orders/me?status=closed&limit=50", 34],
    ["/v1/trades/me?limit=50", 3],
    ["/v1/funding/me?limit=50", 1],
    ["/v1/transfers?limit=50", 1],
  ] as const) {
    await until(path, async () => {
      const { text } = await user.send("GET", path);
      return JSON.parse(text).items.length >= count ? true : null;
    });
  }
}

const rows = (name: string) =>
  user.page.getByRole("region", { name, exact: true }).locator("tbody tr");

async function exported(): Promise<string[][]> {
  const saving = user.page.waitForEvent("download");
  await user.page.getByRole("button", { name: "Export CSV" }).click();
  const text = await readFile(await (await saving).path(), "utf8");
  return text
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
}

const choose = (label: string, option: string) =>
  user.page.getByRole("combobox", { name: label, exact: true }).selectOption(option);

const tab = (name: string) => user.page.getByRole("tab", { name, exact: true }).click();

test("WEB-59 a view that cannot be loaded says so, and opens after a reload", async () => {
  const { page } = user;
  const code = "**/assets/history-view-*.js";
  await page.route(code, (route) => route.abort());
  await user.open("history");
  await user.shows("This part of the page could not be loaded.");
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { name: "History" }).waitFor();
});

/** Waits until the list has this many orders; while it is read, it has none. */
async function untilOrders(count: number): Promise<void> {
  await until(`${count} orders`, async () =>
    (await rows("Orders").count()) === count ? true : null,
  );
}

test("WEB-51 orders are paged, and filtered by market, side, kind and day", async () => {
  await user.open("history");
  await rows("Orders").nth(24).waitFor();
  await untilOrders(25);
  await user.page.getByRole("button", { name: "Older" }).click();
  await user.shows("Page 2");
  await untilOrders(9);
  assert(await user.page.getByRole("button", { name: "Older" }).isDisabled());
  await user.page.getByRole("button", { name: "Newer" }).click();
  await choose("Kind", "Expired");
  await user.shows("the rest could not be filled at once");
  await untilOrders(1);
  await choose("Kind", "");
  await choose("Side", "SELL");
  await untilOrders(1);
  await choose("Market", "CC-USDC");
  await user.shows("Nothing matches.");
  await choose("Market", "");
  await user.page.getByLabel("To (UTC)").fill("2020-01-01");
  await user.shows("Nothing matches.");
});

test("WEB-69 no column of the orders is out of sight, nor is a reason cut, from a width of 1024 pixels", async () => {
  await choose("Side", "");
  await choose("Kind", "Expired");
  await user.page.getByLabel("To (UTC)").fill("");
  await user.shows("the rest could not be filled at once");
  const table = user.page.getByRole("region", { name: "Orders", exact: true });
  for (const width of [1024, 1440]) {
    await user.page.setViewportSize({ width, height: 900 });
    const proof = await table.getByRole("link", { name: /^Verify/ }).boundingBox();
    assert.ok(proof !== null && proof.x + proof.width <= width, `${width}: ${proof?.x}`);
    const orders = `document.querySelector(".table[aria-label=Orders]")`;
    const hidden = await user.page.evaluate(`${orders}.scrollWidth - ${orders}.clientWidth`);
    assert.equal(hidden, 0, `${width}`);
  }
});

test("WEB-51 each list is exported as CSV with its filters and the venue's exact values", async () => {
  await user.open("wallet");
  await user.open("history");
  await tab("Fills");
  await rows("Fills").nth(2).waitFor();
  const fills = await exported();
  assert.deepEqual(fills[0]?.slice(1, 5), ["Market", "Side", "Price", "Quantity"]);
  assert.deepEqual(
    fills.slice(1).map((row) => row.slice(1, 5)),
    [
      ["BTC-PERP", "BUY", "60000.00", "0.010"],
      ["BTC-PERP", "SELL", "59990.00", "0.010"],
      ["BTC-PERP", "BUY", "60000.00", "0.010"],
    ],
  );
  await choose("Side", "SELL");
  await rows("Fills").nth(1).waitFor({ state: "detached" });
  assert.equal((await exported()).length, 2);
  await tab("Transfers");
  await rows("Transfers").first().waitFor();
  assert.deepEqual((await exported())[1]?.slice(1), ["perp", "spot", "USDC", "25.000000"]);
  await tab("Funding");
  await rows("Funding").first().waitFor();
  assert.equal((await exported())[1]?.[1], "BTC-PERP");
});

test("WEB-93 test funds are among the transfers, and the page says which it knows", async () => {
  await tab("Transfers");
  await rows("Transfers").filter({ hasText: "faucet" }).getByText("10,000").waitFor();
  await user.shows("Test funds are listed as far as you took them in this tab");
  assert.deepEqual((await exported()).at(-1)?.slice(1), ["faucet", "perp", "USDC", "10000"]);
});

test("WEB-69 an exported fill has its exact value and its ids", async () => {
  await tab("Fills");
  await choose("Side", "SELL");
  await rows("Fills").nth(1).waitFor({ state: "detached" });
  const [names = [], fill = []] = await exported();
  const cell = (name: string) => fill[names.indexOf(name)];
  assert.equal(cell("Value"), "599.90");
  assert.match(cell("Trade id") ?? "", /^[0-9a-f-]{36}$/);
  assert.match(cell("Order id") ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(await user.page.getByRole("columnheader", { name: "Order id" }).count(), 0);
});

test("WEB-69 days are in the zone of the times, those of the profit list in UTC", async () => {
  const { page } = user;
  const browserSession = await page.context().newCDPSession(page);
  const inZone = async (timezoneId: string) => {
    await browserSession.send("Emulation.setTimezoneOverride", { timezoneId });
    await page.reload();
  };
  await inZone("Asia/Tokyo");
  await page.getByLabel("From (UTC+9)").waitFor();
  await tab("PnL by day");
  await page.getByLabel("From (UTC)").waitFor();
  await inZone("UTC");
});

test("WEB-51 profit by day is the sum of realized profit, fees and funding", async () => {
  await tab("PnL by day");
  await rows("PnL by day").first().waitFor();
  const [names = [], ...days] = await exported();
  assert.deepEqual(names.slice(0, 2), ["Day (UTC)", "Realized PnL"]);
  // Two days at midnight.
  const micros = names.slice(1).map((_, column) => {
    const amounts = days.map((day) => Math.round(Number(day[column + 1]) * 1e6));
    return amounts.reduce((sum, amount) => sum + amount, 0);
  });
  assert.equal(micros[0], -100_000);
  const net = micros.pop();
  assert.equal(
    micros.reduce((sum, part) => sum + part),
    net,
  );
  assert((micros[1] ?? 0) < 0, "fees must be negative");
});

test("WEB-51 a list that could not be read does not say that it is empty", async () => {
  const { page } = user;
  await page.route("**/v1/income/me*", (route) => route.abort());
  await user.open("wallet");
  await user.open("history");
  await tab("PnL by day");
  await user.shows("The list could not be read.");
  assert.equal(await page.getByText("No profit or loss in these days.").count(), 0);
  await page.unrouteAll({ behavior: "wait" });
});

test("WEB-57 one press leads from a trade of the history to its verified proof, by keyboard too", async () => {
  await tab("Fills");
  const link = rows("Fills")
    .first()
    .getByRole("link", { name: /^Verify t-\d+$/ });
  await link.focus();
  await user.page.keyboard.press("Enter");
  const verdict = user.page.getByRole("region", { name: "Verdict" }).first();
  await user.shows("Verified.", verdict);
  await user.assertSound();
});

test("WEB-51 every list is sound on a narrow screen, with no number broken over lines", async () => {
  await user.page.setViewportSize(narrow);
  await user.open("history");
  await tab("Orders");
  await rows("Orders").first().waitFor();
  const low =
    await user.page.evaluate(`[...document.querySelectorAll(".filters :is(button, input, select)")]
    .filter((control) => control.getBoundingClientRect().height < 44).length`);
  assert.equal(low, 0, "filters are large enough for a thumb");
  for (const name of ["Orders", "Fills", "Funding", "Transfers", "PnL by day"]) {
    await tab(name);
    await rows(name).first().waitFor();
    await user.assertSound();
    const broken = await user.page.evaluate(`[...document.querySelectorAll("td.number")]
      .filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      }).length`);
    assert.equal(broken, 0, name);
  }
});
