// Lets the whole engine work on a state of its own before this thread's venue leads: code that runs for the first time
// is slow, and that would be a part of the outage that clients see. A venue that follows has the time.
//
// Two accounts trade in every market, so that orders are placed, amended, filled and cancelled, alone and together. What
// was built is discarded.

import { AccountType, Wallet } from "../core/accounts.ts";
import { assert } from "../core/assert.ts";
import { type Command, CommandKind, type PlaceOrder } from "../core/generated/commands.ts";
import type { MarketTable } from "../core/markets.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../core/orders.ts";
import { VenueState } from "./state/venue-state.ts";
import { VenueMachine } from "./venue-machine.ts";

/** Rounds of seven commands. More of them make clearing no faster; they take about a fifth of a second. */
const rounds = 600;

/** Orders that may rest at once. */
const ordersMax = 4096;

/** What an account gets of each asset, in minor units. */
const wealth = 10n ** 15n;

/** A price in ticks and a quantity in lots that are worth more than the least order value of usual markets. */
const [usualPrice, usualQty] = [10_000, 1000];

/** Commands without what the drill adds to all of them. */
type Order = Command extends infer C
  ? C extends Command
    ? Omit<C, "source" | "correlation" | "atUs" | "deadlineUs">
    : never
  : never;

/** Runs synthetic commands through an engine for the markets of `table`; returns the number of its events. */
export function warmUp(table: MarketTable): number {
  const drill = new Drill(table);
  for (let round = 0; round < rounds; round++) drill.trade(round);
  assert(drill.seq > rounds, "the practice must have an effect");
  return drill.seq;
}

class Drill {
  readonly #machine: VenueMachine;
  readonly #table: MarketTable;
  readonly #accounts: readonly [number, number];
  #atUs = 1_000_000;
  /** What the last reply names: an account or an order. */
  #subject = 0;

  constructor(table: MarketTable) {
    this.#table = table;
    this.#machine = new VenueMachine({
      state: new VenueState(table),
      ordersMax,
      opensWithoutIndex: true,
      onEvent: () => {},
      onReply: ({ subject }) => {
        this.#subject = subject;
      },
    });
    this.#accounts = [this.#fund(), this.#fund()];
  }

  get seq(): number {
    return this.#machine.state.seq;
  }

  /** Two orders rest, one is amended and filled in part, the other cancelled, and then all that is left. */
  trade(round: number): void {
    const market = round % this.#table.markets.length;
    const [one, other] = this.#accounts;
    const [maker, taker] = round % 2 === 0 ? [one, other] : [other, one];
    const [price, qty] = [usualPrice + (round % 7), usualQty + (round % 13)];
    const named = { account: maker, market, clientId: "" };
    const filled = this.#place({ account: maker, market, side: Side.buy, price, qty });
    const far = this.#place({ account: maker, market, side: Side.buy, price: price - 1, qty });
    this.#do({ kind: CommandKind.amendOrder, ...named, orderId: filled, price, qty: qty - 1 });
    this.#place({ account: taker, market, side: Side.sell, price, qty: qty - 3 });
    this.#do({ kind: CommandKind.cancelOrder, ...named, orderId: far });
    this.#do({ kind: CommandKind.tick, account: 0 });
    this.#do({ kind: CommandKind.cancelAllOrders, account: maker, market });
  }

  #fund(): number {
    const accountType = AccountType.standard;
    const account = this.#do({ kind: CommandKind.openAccount, account: 0, accountType });
    assert(account > 0, "the practice must get its accounts");
    const gift = {
      kind: CommandKind.credit,
      account,
      amount: wealth,
      isFromFaucet: false,
    } as const;
    for (const { id: asset } of this.#table.assets) {
      this.#do({ ...gift, asset, wallet: Wallet.spot });
      this.#do({ ...gift, asset, wallet: Wallet.perp });
    }
    return account;
  }

  #place(terms: Pick<PlaceOrder, "account" | "market" | "side" | "price" | "qty">): number {
    const plain = { type: OrderType.limit, timeInForce: TimeInForce.gtc, ...noOptions } as const;
    return this.#do({
      kind: CommandKind.placeOrder,
      ...plain,
      clientId: "",
      attached: null,
      ...terms,
    });
  }

  #do(order: Order): number {
    this.#atUs += 1000;
    const stamp = { source: 0, correlation: 0, atUs: this.#atUs, deadlineUs: this.#atUs + 1000 };
    this.#machine.handle({ ...stamp, ...order });
    return this.#subject;
  }
}
