// What it costs clearing to admit one order, by the amount of existing state: open orders of the account, markets
// in which it has positions, accounts of the venue. O(1) admission costs the same in each variant.
//
// Workload: an account places and cancels one order of a perpetual far from its book, on one thread with the book;
// medians of rounds that take the variants in turn.

import { mToNs } from "tinybench";
import { Wallet } from "../../src/core/accounts.ts";
import { assert } from "../../src/core/assert.ts";
import {
  type CancelOrder,
  CommandKind,
  type PlaceOrder,
} from "../../src/core/generated/commands.ts";
import { Side } from "../../src/core/orders.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { VenueMachine } from "../../src/engine/venue-machine.ts";
import { marketId, oneUsdc } from "../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../test/support/machine/test-venue.ts";
import { type Subject, sampled } from "./sampling.ts";

const rounds = 9;
const warmRounds = 2;
const ordersPerRound = 20_000;
const { btcPerp, ethPerp, ccPerp } = marketId;
const money = 1_000_000_000n * oneUsdc;

/** Perpetuals with the price at which positions open. */
const prices = [
  { market: btcPerp, price: 6_000_000 },
  { market: ethPerp, price: 300_000 },
  { market: ccPerp, price: 1500 },
];

interface Variant {
  readonly openOrders: number;
  /** Markets in which the account has a position. */
  readonly positions: number;
  /** Customers of the venue; one in ten has a position. */
  readonly accounts: number;
}

/** The first is the reference of the others. */
const variants: Readonly<Record<string, Variant>> = {
  "base (10 open orders, 1 position, 1,000 accounts)": {
    openOrders: 10,
    positions: 1,
    accounts: 1_000,
  },
  "199 open orders": { openOrders: 199, positions: 1, accounts: 1_000 },
  "positions in 3 markets": { openOrders: 10, positions: 3, accounts: 1_000 },
  "100,000 accounts": { openOrders: 10, positions: 1, accounts: 100_000 },
};

/** A venue of the variant's size and the account that trades; a call is one order and its cancel. */
class Stage implements Subject {
  readonly batch = ordersPerRound;
  readonly #machine: VenueMachine;
  readonly #order: PlaceOrder;
  readonly #cancel: CancelOrder;
  #subject = 0;

  constructor({ openOrders, positions, accounts }: Variant) {
    const venue = new TestVenue();
    const maker = venue.fund(money);
    const account = venue.fund(money);
    for (let count = 0; count < accounts; count++) {
      const other = venue.open();
      venue.replies.length = 0;
      if (count % 10 !== 0) continue;
      venue.credit(other, Wallet.perp, 0, 10_000n * oneUsdc);
      venue.sell(maker, btcPerp, 6_000_000, 1);
      venue.buy(other, btcPerp, 6_000_000, 1);
    }
    for (const { market, price } of prices.slice(0, positions)) {
      venue.sell(maker, market, price, 1_000);
      venue.buy(account, market, price, 1_000);
    }
    for (let index = 0; index < openOrders; index++) {
      venue.buy(account, btcPerp, 5_999_000 - index, 10);
    }
    const request = { account, market: btcPerp, side: Side.buy, price: 5_998_500, qty: 10 };
    this.#order = venue.command(orderCommand(request)) as PlaceOrder;
    const ended = { kind: CommandKind.cancelOrder, account, market: btcPerp, orderId: 0 };
    this.#cancel = venue.command({ ...ended, clientId: "" }) as CancelOrder;
    this.#machine = new VenueMachine({
      opensWithoutIndex: true,
      state: venue.state,
      ordersMax: 1 << 14,
      onEvent: () => undefined,
      onReply: ({ reason, subject }) => {
        assert(reason === RejectReason.none, "nothing is refused");
        this.#subject = subject;
      },
    });
  }

  call(): number {
    this.#machine.handle(this.#order);
    this.#cancel.orderId = this.#subject;
    this.#machine.handle(this.#cancel);
    return this.#subject;
  }
}

/** Nanoseconds per order and cancel in each variant, and the ratio of the slowest to the first. */
export async function measure(): Promise<Record<string, number>> {
  const stages = Object.entries(variants).map(
    ([name, variant]) => [`R2 ns, ${name}`, new Stage(variant)] as const,
  );
  const took = await sampled(Object.fromEntries(stages), { samples: rounds, warmUp: warmRounds });
  const figures = Object.entries(took).map(([name, { p50 }]) => [name, mToNs(p50)] as const);
  const [[, base] = ["", 1], ...others] = figures;
  const dearest = Math.max(...others.map(([, ns]) => ns / base));
  return { ...Object.fromEntries(figures), "R2 dearest ratio to the base": dearest };
}
