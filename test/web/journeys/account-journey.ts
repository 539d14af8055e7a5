// What the journeys of the account share: a page of a real venue in a real browser, and a user who is logged in.

import assert from "node:assert/strict";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { assertAccessible } from "../../support/client/accessibility.ts";
import { patienceMs } from "../../support/client/browser.ts";
import { untilSaid } from "../../support/client/page-waits.ts";
import type { Trader, VenueFixture } from "../../support/venue/venue-fixture.ts";
import { untilFollowing, writeDownSockets } from "./told-notices.ts";

export const wide = { width: 1440, height: 900 } as const;
export const narrow = { width: 390, height: 844 } as const;

/** Opens a page of a new browser profile. */
export async function openPage(
  browser: Browser,
  viewport: typeof wide | typeof narrow = wide,
): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport, acceptDownloads: true });
  await writeDownSockets(context);
  return context.newPage();
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request as the user of the page. */
export async function sendAsUser(
  page: Page,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const script = `(async () => {
    const { token } = JSON.parse(sessionStorage.getItem("rialto-session"));
    const body = ${body === undefined ? "undefined" : JSON.stringify(JSON.stringify(body))};
    const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
    const answer = await fetch(${JSON.stringify(path)}, { method: "${method}", headers, body });
    return { status: answer.status, text: await answer.text() };
  })()`;
  return (await page.evaluate(script)) as Answer;
}

/**
 * The length of intervals, from `leastMs` to twice as long, whose running one ends latest: they end at multiples of their
 * length, and one that ends within a journey changes what it sees.
 */
export function lateEnding(leastMs: number): number {
  const nowMs = Date.now();
  const leftMs = (lengthMs: number) => lengthMs - (nowMs % lengthMs);
  let latestMs = leastMs;
  for (let lengthMs = leastMs; lengthMs <= 2 * leastMs; lengthMs += 1_000)
    if (leftMs(lengthMs) > leftMs(latestMs)) latestMs = lengthMs;
  return latestMs;
}

/** With this setting a venue takes a premium sample each second or two, and settles no funding of its own accord for long. */
export const secondsOfFunding = { FUNDING_INTERVAL_MS: String(lateEnding(480_000)) } as const;

/**
 * Settles funding of all perpetuals, as the user of the page. Without a premium sample the rate is 0 and nothing is paid,
 * so it waits for one of BTC-PERP; the venue needs `secondsOfFunding`.
 */
export async function settleFunding(page: Page): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { text } = await sendAsUser(page, "GET", "/v1/markets/BTC-PERP/funding-rate");
    const { predicted_rate: rate } = JSON.parse(text) as { predicted_rate: string | null };
    if (Number(rate) !== 0) break;
    assert(performance.now() < deadline, text);
    await page.waitForTimeout(100);
  }
  const { status, text } = await sendAsUser(page, "POST", "/v1/funding/tick", {});
  assert.equal(status, 200, text);
}

export class AccountJourney {
  readonly page: Page;
  readonly #address: string;

  constructor(page: Page, address: string) {
    this.page = page;
    this.#address = address;
  }

  /** Opens a view by its address. */
  async open(view: string): Promise<void> {
    await this.page.goto(`${this.#address}/#/${view}`);
  }

  async logIn(): Promise<void> {
    await this.open("wallet");
    await this.page.getByRole("button", { name: "Create a key and log in" }).click();
    await this.page.getByRole("button", { name: "Log out" }).first().waitFor();
    await untilFollowing(this.page);
  }

  /** Gets 10,000 of an asset in a wallet. */
  async fund(wallet: string, asset = "USDC"): Promise<void> {
    await this.open("wallet");
    const { page } = this;
    await page.getByRole("combobox", { name: "Wallet", exact: true }).selectOption(wallet);
    // The form of transfers is before the one of test funds.
    await page.getByRole("combobox", { name: "Asset", exact: true }).last().selectOption(asset);
    await page.getByLabel("Amount", { exact: true }).last().fill("10000");
    await page.getByRole("button", { name: "Get test funds" }).click();
    await page.getByText(new RegExp(`^10000 ${asset} (added|sent)`)).waitFor();
  }

  /** Presses a button that copies, and returns what was copied. */
  async copied(button: Locator): Promise<string> {
    const { page } = this;
    // It is copied a moment after the press, and the page says so for two seconds.
    await untilSaid(page, "Copied", () => button.click());
    return String(await page.evaluate("navigator.clipboard.readText()"));
  }

  /** Waits until a part of the page shows a text; the error says what the whole view shows instead. */
  async shows(text: string | RegExp, where: Locator = this.page.locator("main")): Promise<void> {
    try {
      await where.getByText(text).first().waitFor();
    } catch (cause) {
      const shown = await this.page.locator("main").textContent();
      throw new Error(`${text} is not shown in: ${shown}`, { cause });
    }
  }

  /** Sends a request as the page's user. */
  send(method: string, path: string, body?: object): Promise<Answer> {
    return sendAsUser(this.page, method, path, body);
  }

  /** Places an order as the page's user; asserts that it is accepted. */
  async order(order: object): Promise<void> {
    const { status, text } = await this.send("POST", "/v1/orders", order);
    assert.equal(status, 200, text);
  }

  /** Asserts that the view breaks no axe-core rule, in either theme, and does not scroll sideways. */
  async assertSound(): Promise<void> {
    const { page } = this;
    await assertAccessible(page, { what: page.url() });
    const overflow = "document.documentElement.scrollWidth - innerWidth";
    assert(((await page.evaluate(overflow)) as number) <= 0, "the page must not scroll sideways");
  }
}

/** Offers a quantity of BTC-PERP to trade with. */
export async function offer(
  venue: VenueFixture,
  maker: Trader,
  [side, price, quantity]: readonly [side: "BUY" | "SELL", price: string, quantity: string],
): Promise<void> {
  const order = { symbol: "BTCUSDT", side, type: "LIMIT", timeInForce: "GTC", price, quantity };
  const { status, json } = await venue.signed(maker, "POST", "/fapi/v1/order", order);
  assert.equal(status, 200, JSON.stringify(json));
}
