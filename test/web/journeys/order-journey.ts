// A trader in a browser on a venue of its own, for journeys through the trading view: logged in, with test funds, and
// with another account that makes the market.

import assert from "node:assert/strict";
import type { Browser, Locator, Page } from "playwright-core";
import { openBrowser } from "../../support/client/browser.ts";
import type { Json } from "../../support/client/json.ts";
import { type Trader, VenueFixture } from "../../support/venue/venue-fixture.ts";
import { secondsOfFunding } from "./account-journey.ts";
import { noticed, untilFollowing, writeDownNotices, writeDownSockets } from "./told-notices.ts";

interface Deposit {
  readonly asset: string;
  readonly wallet: "perp" | "spot";
  readonly amount: string;
}

interface JourneyTerms {
  /** The view in which the journey starts: "trade/BTC-PERP". */
  readonly view: string;
  readonly deposits: readonly Deposit[];
  readonly width?: number;
  readonly height?: number;
  /** Settings of the venue, besides those of every journey. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts a browser and, beside it, a venue. */
async function started(settings: Readonly<Record<string, string>>) {
  const venue = VenueFixture.open({ DEV_TOOLS: "1", ...settings });
  const [browser, fixture] = await Promise.allSettled([openBrowser(), venue]);
  if (browser.status === "fulfilled" && fixture.status === "fulfilled")
    return { browser: browser.value, fixture: fixture.value };
  for (const one of [browser, fixture]) if (one.status === "fulfilled") await one.value.close();
  throw [browser, fixture].find((one) => one.status === "rejected")?.reason;
}

export class OrderJourney {
  readonly fixture: VenueFixture;
  readonly page: Page;
  readonly #browser: Browser;
  readonly #maker: Trader;

  static async open({
    view,
    deposits,
    width = 1440,
    height = 900,
    settings = {},
  }: JourneyTerms): Promise<OrderJourney> {
    const { browser, fixture } = await started({ ...secondsOfFunding, ...settings });
    try {
      const maker = await fixture.trader();
      const page = await browser.newPage({ viewport: { width, height } });
      await writeDownNotices(page);
      await writeDownSockets(page.context());
      const journey = new OrderJourney(fixture, page, browser, maker);
      await journey.#start(view, deposits);
      return journey;
    } catch (fault) {
      // What stays open would keep the process alive, and hide the fault.
      await browser.close();
      await fixture.close();
      throw fault;
    }
  }

  private constructor(fixture: VenueFixture, page: Page, browser: Browser, maker: Trader) {
    this.fixture = fixture;
    this.page = page;
    this.#browser = browser;
    this.#maker = maker;
  }

  async #start(view: string, deposits: readonly Deposit[]): Promise<void> {
    const { page, fixture } = this;
    await page.goto(`${fixture.address}/#/wallet`);
    await page.getByRole("button", { name: "Create a key and log in" }).click();
    await page.getByRole("button", { name: "Log out" }).waitFor();
    await untilFollowing(page);
    for (const deposit of deposits) await this.#deposit(deposit);
    await page.goto(`${fixture.address}/#/${view}`);
  }

  async #deposit(deposit: Deposit): Promise<void> {
    const status = await this.page.evaluate(
      `(async () => {
        const { token } = JSON.parse(sessionStorage.getItem("rialto-session"));
        const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
        const body = ${JSON.stringify(JSON.stringify(deposit))};
        return (await fetch("/v1/deposits/seed", { method: "POST", headers, body })).status;
      })()`,
    );
    assert.equal(status, 200);
  }

  /** The other account rests a limit order. */
  async offer(
    symbol: string,
    side: "BUY" | "SELL",
    price: string,
    quantity: string,
  ): Promise<Json> {
    const root = symbol.includes("-") ? "/api/v3" : "/fapi/v1";
    const order = { symbol, side, type: "LIMIT", timeInForce: "GTC", price, quantity };
    const { status, json } = await this.fixture.signed(this.#maker, "POST", `${root}/order`, order);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  }

  panel(name: string): Locator {
    return this.page.locator(`.panel[data-name="${name}"]`);
  }

  fill(label: string | RegExp, text: string): Promise<void> {
    return this.panel("Order")
      .getByLabel(label, { exact: typeof label === "string" })
      .fill(text);
  }

  /** Chooses Limit or Market, or one of the further kinds. */
  async kind(label: string): Promise<void> {
    const ticket = this.panel("Order");
    if (label === "Limit" || label === "Market") {
      await ticket.getByRole("button", { name: label, exact: true }).click();
    } else await ticket.getByLabel("More order types").selectOption({ label });
  }

  async press(name: string): Promise<void> {
    await this.panel("Order").getByRole("button", { name, exact: true }).click();
  }

  /** Resolves when the ticket shows the text. */
  told(text: string | RegExp): Promise<void> {
    return this.panel("Order").getByText(text).first().waitFor();
  }

  /** Resolves when a notice with the text is or was over the page. */
  noticed(text: string | RegExp): Promise<void> {
    return noticed(this.page, text);
  }

  async tab(name: string): Promise<Locator> {
    const account = this.panel("Account");
    await account.getByRole("tab", { name }).click();
    return account;
  }

  /** The row of the account's table whose text contains all of `texts`. */
  row(...texts: readonly (string | RegExp)[]): Locator {
    return texts.reduce<Locator>(
      (rows, hasText) => rows.filter({ hasText }),
      this.panel("Account").getByRole("row"),
    );
  }

  dialog(name: string): Locator {
    return this.page.getByRole("dialog", { name });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.fixture.close();
  }
}
