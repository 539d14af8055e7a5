// Journeys through the market's data: book, depth, trades, list of markets and the page's title.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { until } from "../../epochs/epoch-waits.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  const levels = [
    ["SELL", "50003.00", "0.300"],
    ["SELL", "50001.50", "0.200"],
    ["SELL", "50001.00", "0.100"],
    ["BUY", "49999.00", "0.100"],
    ["BUY", "49998.50", "0.400"],
  ] as const;
  for (const [side, price, quantity] of levels) {
    await trader.offer("BTCUSDT", side, price, quantity);
  }
  await level("Asks", 0).getByText("50,001.00").waitFor();
});
after(() => trader?.close());

function level(side: "Asks" | "Bids", index: number) {
  return trader.page
    .getByRole("list", { name: `${side}, best price first` })
    .getByRole("button")
    .nth(index);
}

/** Resolves when a level has these columns: price, size, sum, sum in the quote asset. */
async function shows(
  side: "Asks" | "Bids",
  index: number,
  columns: readonly [string, string, string, string],
): Promise<void> {
  const cells = level(side, index).locator("> span");
  await until(columns.join(), async () =>
    isDeepStrictEqual((await cells.allTextContents()).slice(0, 4), columns) ? true : null,
  );
}

test("WEB-43 levels show cumulative size and value, and are grouped by the step that the user chose", async () => {
  await shows("Asks", 0, ["50,001.00", "0.100", "0.100", "5,000"]);
  await shows("Asks", 2, ["50,003.00", "0.300", "0.600", "30,001"]);
  await trader.page.getByLabel("Group prices by").selectOption("1");
  await shows("Asks", 1, ["50,002.00", "0.200", "0.300", "15,000"]);
  await shows("Bids", 1, ["49,998.00", "0.400", "0.500", "24,999"]);
  await trader.page.reload();
  await level("Asks", 1).getByText("50,002.00").waitFor();
  await trader.page.getByLabel("Group prices by").selectOption("0.01");
  await level("Asks", 1).getByText("50,001.50").waitFor();
});

test("WEB-43 a click on a level fills in its price, and the user's own order marks its group", async () => {
  await level("Bids", 1).click();
  const price = trader.panel("Order").getByLabel("Price (USDT)");
  await until("the level's price", async () =>
    (await price.inputValue()) === "49998.50" ? true : null,
  );
  await trader.fill("Quantity (BTC)", "0.010");
  await trader.press("Buy BTC");
  await trader.told("Order open: 0.010 BTC at 49,998.50");
  await trader.page.getByRole("button", { name: /49,998.50.*bid, your order/ }).waitFor();
  await trader.page.getByLabel("Group prices by").selectOption("10");
  await trader.page.getByRole("button", { name: /49,990.00.*bid, your order/ }).waitFor();
  await trader.page.getByLabel("Group prices by").selectOption("0.01");
});

test("WEB-43 the depth is shown as curves", async () => {
  await trader.page.getByRole("tab", { name: "Depth" }).click();
  await trader.page
    .getByRole("img", { name: "Depth of BTC-PERP: bids 0.510, asks 0.600 BTC" })
    .waitFor();
  await trader.panel("Book").getByText("Middle 50,000.00").waitFor();
  await trader.page.getByRole("tab", { name: "Order book" }).click();
});

test("WEB-44 the tape leaves out trades below the user's bound, and remembers it", async () => {
  const take = async (quantity: string) => {
    await trader.fill("Price (USDT)", "50003");
    await trader.fill("Quantity (BTC)", quantity);
    await trader.press("Buy BTC");
    await trader.told(`Order filled: ${quantity} BTC`);
  };
  await take("0.020");
  await take("0.070");
  const rows = trader.page.getByRole("list", { name: /^Recent trades/ }).getByRole("listitem");
  await rows.nth(1).waitFor();
  const bound = trader.page.getByLabel("Min. BTC");
  await bound.fill("0.05");
  await rows.nth(1).waitFor({ state: "detached" });
  await rows.first().getByText("0.070").waitFor();
  await bound.fill("5");
  await trader.panel("Trades").getByText("No recent trade is as large.").waitFor();
  await bound.fill("0.05");
  await trader.page.reload();
  await rows.first().getByText("0.070").waitFor();
  assert.equal(await rows.count(), 1);
  await bound.fill("");
});

/** Resolves when the page has the title. */
async function titled(title: string): Promise<void> {
  await until(title, async () => ((await trader.page.title()) === title ? true : null));
}

test("WEB-46 the title of the page has the price and the market", async () => {
  await titled("50,001.00 BTC-PERP · Rialto");
  await trader.fill("Price (USDT)", "50001.5");
  await trader.fill("Quantity (BTC)", "0.110");
  await trader.press("Buy BTC");
  await titled("50,001.50 BTC-PERP · Rialto");
});

test("WEB-70 bar, book and title show the same last price in every frame", async () => {
  const { page } = trader;
  await page
    .getByRole("region", { name: "Figures of BTC-PERP" })
    .getByText("50,001.50", { exact: true })
    .first()
    .waitFor();
  // In each frame of the page, so that a difference of one frame is seen.
  await page.evaluate(`{
    window.differences = [];
    const text = (selector) => document.querySelector(selector)?.textContent ?? "";
    const look = () => {
      const book = text(".middle .last");
      const others = [text(".figures .figure:first-child dd"), document.title.split(" ")[0]];
      if (others.some((other) => other !== book)) window.differences.push([book, ...others]);
      requestAnimationFrame(look);
    };
    look();
  }`);
  for (const price of ["50001", "50000"]) {
    await trader.offer("BTCUSDT", "SELL", `${price}.00`, "0.030");
    await trader.fill("Price (USDT)", price);
    await trader.fill("Quantity (BTC)", "0.030");
    await trader.press("Buy BTC");
    await titled(`${Number(price).toLocaleString("en-US")}.00 BTC-PERP · Rialto`);
  }
  assert.deepEqual(await page.evaluate("window.differences"), []);
});

test("WEB-45 the market's bar shows mark, index, funding and open interest", async () => {
  const figures = trader.page.getByRole("region", { name: "Figures of BTC-PERP" });
  const figure = (name: string) =>
    figures.locator(".figure").filter({ hasText: name }).getByRole("definition");
  await figure("Open interest BTC")
    .getByText(/^0\.[1-9]\d*$|^0\.0[1-9]\d?$/)
    .waitFor();
  await figure("Mark")
    .getByText(/^[45]\d,\d{3}\.\d\d$/)
    .waitFor();
  await figure("Index")
    .getByText(/^[45]\d,\d{3}\.\d\d$/)
    .waitFor();
  await figure("Funding")
    .getByText(/^-?\d\.\d{4} %$/)
    .waitFor();
  await figure("Next funding in")
    .getByText(/^\d\d:\d\d:\d\d$/)
    .waitFor();
});

test("WEB-45 a market is found by search and opened by keyboard; favourites come first and are remembered", async () => {
  const { page } = trader;
  const opener = page.getByRole("button", { name: "Market BTC-PERP" });
  await opener.click();
  const list = page.getByRole("region", { name: "Market", exact: true });
  const row = (symbol: string) => list.getByRole("row", { name: new RegExp(symbol) });
  await row("BTC-PERP").getByText("50,000.00").first().waitFor();
  await list.getByRole("button", { name: "CC-USDC is a favourite" }).click();
  await list.getByRole("tab", { name: "Favourites" }).click();
  assert.equal(await list.getByRole("link").count(), 1);
  await list.getByRole("tab", { name: "All" }).click();
  assert.equal(await list.getByRole("link").first().textContent(), "CC-USDC");
  await page.keyboard.press("Escape");
  await page.reload();
  await opener.click();
  assert.equal(await list.getByRole("link").first().textContent(), "CC-USDC");
  const search = list.getByRole("searchbox", { name: "Search markets" });
  await search.fill("eth-p");
  assert.equal(await list.getByRole("link").count(), 1);
  await search.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Market ETH-PERP" }).waitFor();
  assert.match(page.url(), /#\/trade\/ETH-PERP$/);
});

test("WEB-70 the page opens the last market again, from another view and from an address without one", async () => {
  const { page, fixture } = trader;
  const eth = page.getByRole("button", { name: "Market ETH-PERP" });
  const navigation = page.getByRole("navigation", { name: "Main" });
  await eth.waitFor();
  await navigation.getByRole("link", { name: "History" }).click();
  await page.getByRole("heading", { name: "History" }).waitFor();
  await navigation.getByRole("link", { name: "Trade" }).click();
  await eth.waitFor();
  await page.goto(`${fixture.address}/?fresh`);
  await eth.waitFor();
});
