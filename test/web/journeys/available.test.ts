// Journey: the available balance follows the marks everywhere, and what the buttons of a percentage fill in is never
// refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { patienceMs } from "../../support/client/browser.ts";
import { sendAsUser } from "./account-journey.ts";
import { OrderJourney } from "./order-journey.ts";

let trader: OrderJourney;

before(async () => {
  const deposits = [{ asset: "USDC", wallet: "perp", amount: "10000" }] as const;
  trader = await OrderJourney.open({ view: "trade/BTC-PERP", deposits });
  await trader.offer("BTCUSDT", "SELL", "50000.00", "1.000");
  await trader.offer("BTCUSDT", "SELL", "50100.00", "1.000");
  await trader.offer("BTCUSDT", "SELL", "51500.00", "9.000");
  await trader.offer("BTCUSDT", "BUY", "49990.00", "9.000");
  await trader.panel("Book").getByText("50,000.00").first().waitFor();
});
after(() => trader?.close());

interface Shown {
  readonly ticket: string;
  readonly strip: string;
  readonly api: string;
}

/** The available balance on the page and on the venue, with two decimals. */
async function shown(): Promise<Shown> {
  const { text } = await sendAsUser(trader.page, "GET", "/v1/balances/me");
  const { balances } = JSON.parse(text) as { balances: { wallet: string; free: string }[] };
  const free = balances.find(({ wallet }) => wallet === "perp")?.free ?? "";
  const read = `(() => {
    const after = (root, name) =>
      [...document.querySelectorAll(root + " dt")].find((one) => one.textContent.startsWith(name))
        ?.nextElementSibling.textContent.replaceAll(",", "");
    return { ticket: after(".panel.ticket", "Available"), strip: after(".risk", "Available") };
  })()`;
  const page = (await trader.page.evaluate(read)) as Omit<Shown, "api">;
  return { ...page, api: free.slice(0, free.indexOf(".") + 3) };
}

/** Resolves once `isSo` holds of what the page and the venue show. */
async function until(isSo: (all: Shown) => boolean): Promise<Shown> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const all = await shown();
    if (isSo(all)) return all;
    assert(performance.now() < deadline, JSON.stringify(all));
    await trader.page.waitForTimeout(200);
  }
}

async function setLeverage(leverage: number): Promise<void> {
  await trader.page.getByRole("button", { name: /^Leverage of BTC-PERP/ }).click();
  const dialog = trader.dialog("Leverage of BTC-PERP");
  await dialog.getByLabel(/^Leverage, 1 to/).fill(String(leverage));
  if (leverage > 25) await dialog.getByText("above 25× you cannot open more").waitFor();
  await dialog.getByRole("button", { name: `Set ${leverage}×` }).click();
  await dialog.waitFor({ state: "detached" });
}

test("WEB-86 ticket, refusal and leverage dialog name the margin floor", async () => {
  await setLeverage(50);
  await trader.fill(/^Price/, "50000");
  await trader.fill("Quantity (BTC)", "6");
  await trader.told(/^Available balance too low\. It needs 12,\d{3}\.\d\d USDC: margin 6,000\.00/);
  await trader.told(/margin floor of 4 % 6,000\.00/);
  await trader.press("Buy BTC");
  await trader.told(/^Insufficient available balance\. It needs 12,.*margin floor of 4 %/);
});

test("WEB-137 an order at the market that the account covers only in part is not sent", async () => {
  await trader.kind("Market");
  await trader.fill("Quantity (BTC)", "8");
  await trader.told(/^Available balance too low\./);
  await trader.press("Buy BTC");
  await trader.told(
    /^Not sent: only a part would trade\. Available balance too low\. It needs \d\d,\d{3}\./,
  );
  const { text } = await sendAsUser(trader.page, "GET", "/v1/orders/me?symbol=BTC-PERP&status=all");
  assert.deepEqual(JSON.parse(text).items, []);
});

test("WEB-85 all of the balance, at the market and at a limit, makes an order that is filled or open", async () => {
  await trader.kind("Market");
  await trader.panel("Order").getByRole("button", { name: "100 %" }).click();
  await trader.press("Buy BTC");
  await trader.told(/^Order filled: [1-5]\.\d{3} BTC/);
  // The account is read again after the fill.
  await until(({ ticket, api }) => ticket === api && Number(api) < 9_000);
  await trader.kind("Limit");
  await trader.fill(/^Price/, "49000");
  await trader.panel("Order").getByRole("button", { name: "100 %" }).click();
  const quantity = await trader.panel("Order").getByLabel("Quantity (BTC)").inputValue();
  await trader.press("Buy BTC");
  await trader.told(`Order open: ${quantity} BTC at 49,000.00`);
});

test("WEB-84 ticket, strip and wallet show the venue's available balance while the mark moves", async () => {
  const isSame = ({ ticket, strip, api }: Shown) => ticket === api && strip === api;
  // The mark is within 2 % of the index.
  for (const price of ["48500", "48000"]) {
    const { api: before } = await until(isSame);
    await trader.fixture.operator.risk.setReference("BTC-PERP", price, 900, true);
    await until((all) => isSame(all) && Number(all.api) < Number(before) - 100);
  }
  await trader.page.goto(`${trader.fixture.address}/#/wallet`);
  const row = trader.page.getByRole("region", { name: "Balances" }).getByRole("row", {
    name: /perp/,
  });
  await row.waitFor();
  await trader.page.getByText(/with -[\d,.]+ unrealized PnL of your positions/).waitFor();
  const { api: before } = await shown();
  await trader.fixture.operator.risk.setReference("BTC-PERP", "48700", 900, true);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { api } = await shown();
    const text = ((await row.textContent()) ?? "").replaceAll(",", "");
    if (Number(api) > Number(before) + 100 && text.includes(`USDC${api}`)) break;
    assert(performance.now() < deadline, `${api}: ${text}`);
    await trader.page.waitForTimeout(200);
  }
});

test("WEB-99 on spot the strip of an account with perpetuals has its place before its figures are read", async () => {
  const { page } = trader;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/fapi/v2/account?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${trader.fixture.address}/#/trade/CC-USDC`);
  await page.reload();
  const strip = trader.panel("Account").getByLabel("Perpetual account");
  await strip.getByText("Maintenance").waitFor();
  const height = (await strip.boundingBox())?.height;
  // The figures are dashes until they are read.
  await strip.getByText("–").first().waitFor();
  release();
  await strip
    .getByText(/^[\d,]+\.\d\d$/)
    .first()
    .waitFor();
  assert.equal((await strip.boundingBox())?.height, height);
});
