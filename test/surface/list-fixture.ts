// A front for tests of order lists over the spot surface, with a last price of 0.1500, and lists that fit it.

import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

export const symbol = "CC-USDC";

export class ListFront {
  readonly front: FrontFixture;
  /** Trades with the orders of a test, and has none of its own left afterwards. */
  readonly other: TestKey;

  private constructor(front: FrontFixture, other: TestKey) {
    this.front = front;
    this.other = other;
  }

  static async open(): Promise<ListFront> {
    const front = await FrontFixture.open();
    const lists = new ListFront(front, await traderOf(front));
    await lists.trade("0.1500");
    return lists;
  }

  /** A trader with much of both assets. */
  newTrader(): Promise<TestKey> {
    return traderOf(this.front);
  }

  /** Lets two others trade at a price, or with a test's orders. Their rests are cancelled, so no later test meets them. */
  async trade(price: string, quantity = "100"): Promise<void> {
    const { front, other } = this;
    const limit = { symbol, type: "LIMIT", timeInForce: "GTC", quantity, price };
    const maker = await this.newTrader();
    await front.send("POST", "/api/v3/order", { ...limit, side: "SELL" }, { key: maker });
    await front.send("POST", "/api/v3/order", { ...limit, side: "BUY" }, { key: other });
    for (const key of [maker, other])
      await front.send("DELETE", "/api/v3/openOrders", { symbol }, { key });
  }

  /** The body of the answer, or the status, code and message of a refusal. */
  async send(
    key: TestKey,
    method: "GET" | "POST" | "DELETE",
    path: string,
    parameters: Record<string, string | number> = {},
  ) {
    const { status, json } = await this.front.send(method, `/api/v3/${path}`, parameters, { key });
    return status === 200 ? json : [status, json.code, json.msg];
  }
}

async function traderOf(front: FrontFixture): Promise<TestKey> {
  front.advance(60_000);
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
  return key;
}

export const oco = {
  ...{ symbol, side: "SELL", quantity: "100" },
  ...{ aboveType: "LIMIT_MAKER", abovePrice: "0.1600" },
  ...{ belowType: "STOP_LOSS_LIMIT", belowStopPrice: "0.1400", belowPrice: "0.1390" },
  belowTimeInForce: "GTC",
};

export const working = {
  ...{ symbol, workingType: "LIMIT", workingSide: "BUY", workingTimeInForce: "GTC" },
  ...{ workingPrice: "0.1450", workingQuantity: "100" },
};

export const otoco = {
  ...{ ...working, pendingSide: "SELL", pendingQuantity: "90" },
  ...{ pendingAboveType: "LIMIT_MAKER", pendingAbovePrice: "0.1600" },
  ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "0.1400" },
};

export const oldOco = {
  ...{ symbol, side: "SELL", quantity: "100", price: "0.1600", stopPrice: "0.1400" },
  ...{ stopLimitPrice: "0.1390", stopLimitTimeInForce: "GTC" },
};
