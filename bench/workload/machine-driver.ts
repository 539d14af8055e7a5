// Runs the stream of `order-flow.ts` through a whole venue machine: the stream's orders and cancels become commands of
// funded accounts, which are decided, matched, booked and numbered. Makers are the stream's thousand accounts and
// takers a second thousand, so that orders rarely meet their own account. Cancels name the venue's order ids, which
// have the same numbers as the stream's. Events and replies are dropped, because other benchmarks measure their
// encoding.

import { Wallet } from "../../src/core/accounts.ts";
import { assert } from "../../src/core/assert.ts";
import {
  type CancelOrder,
  CommandKind,
  type Credit,
  type OpenAccount,
  type PlaceOrder,
} from "../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { MarketTable } from "../../src/core/markets.ts";
import { OrderType, Side } from "../../src/core/orders.ts";
import { emptyOrder } from "../../src/engine/clearing/matchers/request-lane.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { VenueMachine } from "../../src/engine/venue-machine.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { FlowKind, type OrderFlow } from "./order-flow.ts";

/**
 * The venue's markets without minimum order values, because many of the stream's spot orders are too small for these.
 */
export const machineMarkets = new MarketTable(
  testMarkets.markets.map((market) => ({ ...market, minNotional: 0n })),
  testMarkets.assets,
);

const makers = 1000;
const firstAccount = 1001;
/**
 * Initial minor units of each account in each wallet and asset that the stream uses. The amount is always sufficient,
 * and the total fits into an int64.
 */
const money = 2n ** 48n;
const wallets = [Wallet.spot, Wallet.perp];
const startUs = 1_767_225_600_000_000;
const forever = Number.MAX_SAFE_INTEGER;

export interface MachineRunOptions {
  readonly market: number;
  /** True if every order carries a client order id of 20 characters. */
  readonly hasClientIds: boolean;
  readonly onEvent?: (event: VenueEvent) => void;
}

/** Runs ranges of the stream through a new venue. */
export class MachineRun {
  readonly state = new VenueState(machineMarkets);
  /**
   * Number of refused cancels, almost 0. The venue refuses a cancel if the order is already filled. In the stream that
   * order still rests: there, an incoming order traded with another order, which the venue skipped because it belongs
   * to the same account as the incoming one.
   */
  refusals = 0;
  readonly #flow: OrderFlow;
  readonly #machine: VenueMachine;
  /** Account of each order, indexed by order id. */
  readonly #owners: Int32Array;
  readonly #clientIds: readonly string[];
  #nowUs = startUs;
  readonly #place: PlaceOrder = emptyOrder();
  readonly #cancel: CancelOrder = {
    kind: CommandKind.cancelOrder,
    source: 0,
    correlation: 0,
    atUs: 0,
    deadlineUs: forever,
    account: 0,
    market: 0,
    orderId: 0,
    clientId: "",
  };

  constructor(flow: OrderFlow, options: MachineRunOptions) {
    this.#flow = flow;

    this.#place.deadlineUs = forever;
    this.#place.market = options.market;
    this.#cancel.market = options.market;
    this.#owners = new Int32Array(flow.orderCount + 1);
    this.#clientIds = options.hasClientIds
      ? Array.from(flow.ids, (id) => `bench-${String(id).padStart(14, "0")}`)
      : [];
    this.#machine = new VenueMachine({
      opensWithoutIndex: true,
      state: this.state,
      ordersMax: 2 * flow.slotsUsed,
      onEvent: options.onEvent ?? (() => undefined),
      onReply: (reply) => {
        if (reply.reason !== 0) this.refusals++;
      },
    });
    this.#openAccounts();
  }

  run(from: number, to: number): void {
    const { kinds, ids } = this.#flow;
    const cancel = this.#cancel;
    for (let i = from; i < to; i++) {
      const id = ids[i] ?? 0;
      this.#nowUs += 10;
      if (kinds[i] === FlowKind.cancel) {
        cancel.orderId = id;
        cancel.account = this.#owners[id] ?? 0;
        cancel.atUs = this.#nowUs;
        this.#machine.handle(cancel);
      } else this.#placeAt(i, id);
    }
  }

  /**
   * Asserts that the venue accepted every order of the stream. Its number of trades may differ by 1 %, and the refused
   * cancels must be fewer than 1 % of the orders.
   */
  check(): void {
    const { orderCount, expected } = this.#flow;
    assert(this.state.nextOrderId - 1 === orderCount, "no order may be refused");
    const trades = this.state.nextTradeId - 1;
    assert(
      Math.abs(trades - expected.trades) < expected.trades / 100,
      "the venue must make almost all trades of the stream",
    );
    assert(
      this.refusals < orderCount / 100,
      "the venue must refuse almost no cancel of the stream",
    );
  }

  #placeAt(i: number, id: number): void {
    const { kinds, sides, prices, qtys, accounts } = this.#flow;
    const place = this.#place;
    const kind = kinds[i];
    const isMarket = kind === FlowKind.market;
    place.account =
      firstAccount + (accounts[i] ?? 1) - 1 + (kind === FlowKind.passive ? 0 : makers);
    this.#owners[id] = place.account;
    place.atUs = this.#nowUs;
    place.side = sides[i] === 0 ? Side.buy : Side.sell;
    place.type = isMarket ? OrderType.market : OrderType.limit;
    place.price = isMarket ? 0 : (prices[i] ?? 0);
    place.qty = qtys[i] ?? 0;
    place.clientId = this.#clientIds[i] ?? "";
    this.#machine.handle(place);
  }

  #openAccounts(): void {
    for (let opened = 0; opened < 2 * makers; opened++) {
      this.#machine.handle(openingOf());
      const account = firstAccount + opened;
      for (const wallet of wallets) this.#machine.handle(creditOf(account, wallet, 0));
      this.#machine.handle(creditOf(account, Wallet.spot, 1));
    }
    assert(this.refusals === 0, "every account must be funded");
  }
}

function openingOf(): OpenAccount {
  return {
    kind: CommandKind.openAccount,
    source: 0,
    correlation: 0,
    atUs: startUs,
    deadlineUs: forever,
    account: 0,
    accountType: 0,
  };
}

function creditOf(account: number, wallet: Wallet, asset: number): Credit {
  return {
    kind: CommandKind.credit,
    source: 0,
    correlation: 0,
    atUs: startUs,
    deadlineUs: forever,
    account,
    wallet,
    asset,
    amount: money,
    isFromFaucet: true,
  };
}
