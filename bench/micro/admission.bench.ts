// Measures what it costs clearing to admit one order, depending on the existing state: the account's open orders, the
// markets in which the account has positions, and the venue's accounts. If admission is O(1), the cost is the same in
// all variants. In the workload, an account places and cancels an order on a perpetual at a price far from all others;
// clearing and the book share one thread. Figures are medians of rounds that run the variants in turn.

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

/** Perpetuals, each with the price at which positions are opened. */
const prices = [
  { market: btcPerp, price: 6_000_000 },
  { market: ethPerp, price: 300_000 },
  { market: ccPerp, price: 1500 },
];

interface Variant {
  readonly openOrders: number;
  /** Number of markets in which the account has a position. */
  readonly positions: number;
  /** Number of customers of the venue; one in ten has a position. */
  readonly accounts: number;
}

/** States to measure. The first one is the base that the others are compared with. */
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

/** A venue in the variant's state with the account that trades. One call places an order and cancels it. */
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
        assert(reason === RejectReason.none, "every order must be accepted");
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

/** Returns nanoseconds per order and cancel in each variant, and the ratio of the slowest variant to the first. */
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
