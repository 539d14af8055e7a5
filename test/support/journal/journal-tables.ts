// The relational tables as plain maps: applies journal batches as the database would, and reports how the tables differ
// from a state. Also a source of random valid events.

import { type Wallet, walletCount } from "../../../src/core/accounts.ts";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import { assetsMax } from "../../../src/core/limits.ts";
import { OrderStatus, OrderType, Side, StpMode, TimeInForce } from "../../../src/core/orders.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import type { VenueState } from "../../../src/engine/state/venue-state.ts";
import type { CommitBatch } from "../../../src/ports/journal/event-store.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { marketId, oneUsdc } from "../machine/test-markets.ts";
import { sayIndex, type TestOrder, TestVenue } from "../machine/test-venue.ts";

interface OrderRow {
  price: number;
  qty: number;
  filledQty: number;
  filledQuote: bigint;
  status: number;
}

export class JournalTables {
  events = 0;
  readonly #orders = new Map<number, OrderRow>();
  readonly #balances = new Map<string, string>();
  readonly #positions = new Map<string, string>();
  readonly #accounts = new Map<number, string>();
  readonly #volumes = new Map<string, number>();
  #filledLots = 0;

  /** Applies one batch; throws where the database would refuse it. */
  take(batch: CommitBatch): void {
    if (batch.firstSeq !== this.events + 1)
      throw new Error(`Seqs are missing before ${batch.firstSeq}`);
    this.events += batch.count;
    this.#takeOrders(batch);
    this.#takeTrades(batch);
    const { balances, positions, accountRows } = batch;
    for (let row = 0; row < balances.account.length; row++) {
      const key = `${balances.account[row]}/${balances.wallet[row]}/${balances.asset[row]}`;
      this.#balances.set(key, `${balances.total[row]} ${balances.reserved[row]}`);
    }
    for (let row = 0; row < positions.account.length; row++) {
      const key = `${positions.account[row]}/${positions.market[row]}`;
      this.#positions.set(key, `${positions.qty[row]} ${positions.entryValue[row]}`);
    }
    for (let row = 0; row < accountRows.account.length; row++) {
      this.#accounts.set(
        accountRows.account[row] ?? 0,
        `${accountRows.type[row]} ${accountRows.flags[row]}`,
      );
    }
  }

  /** Returns the differences between the tables and `state`. */
  differences(state: VenueState): string[] {
    return [
      ...this.#orderDifferences(state),
      ...this.#balanceDifferences(state),
      ...this.#positionDifferences(state),
      ...this.#otherDifferences(state),
    ];
  }

  #takeOrders({ orders, orderStates }: CommitBatch): void {
    for (const [row, orderId] of orders.orderId.entries()) {
      if (this.#orders.has(orderId)) throw new Error(`order ${orderId} inserted twice`);
      this.#orders.set(orderId, stateAt(orders, row));
    }
    for (const [row, orderId] of orderStates.orderId.entries()) {
      if (!this.#orders.has(orderId)) throw new Error(`order ${orderId} changed before it exists`);
      this.#orders.set(orderId, stateAt(orderStates, row));
    }
  }

  #takeTrades({ fills, candles }: CommitBatch): void {
    for (const qty of fills.qty) this.#filledLots += qty;
    const seen = new Set<string>();
    for (let row = 0; row < candles.market.length; row++) {
      const { market, intervalMs, openTimeMs, volume } = candles;
      const key = `${market[row]}/${intervalMs[row]}/${openTimeMs[row]}`;
      if (seen.has(key)) throw new Error(`candle ${key} twice in one statement`);
      seen.add(key);
      this.#volumes.set(key, (this.#volumes.get(key) ?? 0) + (volume[row] ?? 0));
    }
  }

  #orderDifferences({ orders }: VenueState): string[] {
    const open = [...this.#orders].filter(([, row]) => row.status === OrderStatus.open);
    const faults = open.flatMap(([orderId, row]) => {
      const slot = orders.slotOf(orderId);
      const isSame =
        slot >= 0 &&
        orders.price[slot] === row.price &&
        orders.qty[slot] === row.qty &&
        orders.filledQty[slot] === row.filledQty &&
        orders.filledQuote[slot] === row.filledQuote;
      return isSame ? [] : [`order ${orderId}`];
    });
    return open.length === orders.openCount ? faults : [...faults, `${open.length} open orders`];
  }

  #balanceDifferences({ balances, accounts }: VenueState): string[] {
    const faults: string[] = [];
    for (let slot = 1; slot < accounts.next; slot++) {
      const account = accounts.at(slot);
      if (account === 0) continue;
      for (let position = 0; position < walletCount * assetsMax; position++) {
        const wallet = Math.floor(position / assetsMax) as Wallet;
        const asset = position % assetsMax;
        const key = `${account}/${wallet}/${asset}`;
        const total = balances.total(account, wallet, asset);
        const expected = `${total} ${balances.reserved(account, wallet, asset)}`;
        if ((this.#balances.get(key) ?? "0 0") !== expected) faults.push(`balance ${key}`);
      }
    }
    return faults;
  }

  #positionDifferences({ positions, accounts, table }: VenueState): string[] {
    const faults: string[] = [];
    for (let slot = 1; slot < accounts.next; slot++) {
      const account = accounts.at(slot);
      if (account === 0) continue;
      for (const { id } of table.markets) {
        const key = `${account}/${id}`;
        const expected = `${positions.qty(account, id)} ${positions.entryValue(account, id)}`;
        if ((this.#positions.get(key) ?? "0 0") !== expected) faults.push(`position ${key}`);
      }
    }
    return faults;
  }

  #otherDifferences({ accounts }: VenueState): string[] {
    const faults = [...this.#accounts].flatMap(([account, row]) =>
      row === `${accounts.typeOf(account)} ${accounts.flagsOf(account)}`
        ? []
        : [`account ${account}`],
    );
    const minutes = [...this.#volumes].filter(([key]) => key.split("/")[1] === "60000");
    const volume = minutes.reduce((sum, [, lots]) => sum + lots, 0);
    return volume === this.#filledLots ? faults : [...faults, `candles: ${volume} lots`];
  }
}

interface StateColumns {
  readonly price: readonly number[];
  readonly qty: readonly number[];
  readonly filledQty: readonly number[];
  readonly filledQuote: readonly bigint[];
  readonly status: readonly number[];
}

function stateAt(
  { price, qty, filledQty, filledQuote, status }: StateColumns,
  row: number,
): OrderRow {
  return {
    price: price[row] ?? 0,
    qty: qty[row] ?? 0,
    filledQty: filledQty[row] ?? 0,
    filledQuote: filledQuote[row] ?? 0n,
    status: status[row] ?? 0,
  };
}

export interface RandomEventsOptions {
  readonly seed: number;
  readonly commands: number;
  /**
   * Most time that is added at random between two commands, which are otherwise a millisecond apart; none by default.
   */
  readonly gapUsMax?: number;
  /** Of 100 commands, the number that move money between wallets; none by default. */
  readonly transferPercent?: number;
  /** Of 100 commands, the number that are replaced by a funding settlement; none by default. */
  readonly fundingPercent?: number;
  /** Of 100 orders, the number that use their price as a trigger; none by default. */
  readonly stopPercent?: number;
  /** Of 100 commands, the number that amend an open order; none by default. */
  readonly amendPercent?: number;
  /** Of 100 orders, the number that use self-trade prevention by decrement; none by default. */
  readonly decrementPercent?: number;
}

interface OpenOrder {
  readonly account: number;
  readonly market: number;
  readonly orderId: number;
}

/** Returns the events of a machine with random orders and cancels on a spot market and a perpetual. */
export function randomEvents(options: RandomEventsOptions): VenueEvent[] {
  const { seed, commands, gapUsMax = 0, transferPercent = 0, fundingPercent = 0 } = options;
  const random = new SeededRandom(seed);
  const venue = new TestVenue();
  const accounts = Array.from({ length: 8 }, () => fundedAccount(venue));
  const open: OpenOrder[] = [];
  for (let done = 0; done < commands; done++) {
    if (gapUsMax > 0) venue.nowUs += random.below(gapUsMax);
    if (happens(random, transferPercent)) {
      venue.send(randomTransfer(random, accounts));
      continue;
    }
    if (happens(random, fundingPercent)) {
      settleFunding(venue);
      continue;
    }
    if (open.length > 0 && changesOrder(venue, random, open, options.amendPercent ?? 0)) continue;
    const order = randomOrder(random, accounts, done);
    const reply = venue.place(maybeSpecial(random, options, order));
    if (reply.reason === RejectReason.none) open.push({ ...order, orderId: reply.subject });
  }
  return venue.events;
}

/**
 * Returns true with a probability of `percent` in 100. At 0 it draws no random number, so that tests without the option
 * still get the same events.
 */
function happens(random: SeededRandom, percent: number): boolean {
  return percent > 0 && random.below(100) < percent;
}

/** Sometimes amends or cancels one of the orders; returns whether it did. */
function changesOrder(
  venue: TestVenue,
  random: SeededRandom,
  open: OpenOrder[],
  amendPercent: number,
): boolean {
  if (happens(random, amendPercent)) {
    const order = open[random.below(open.length)];
    if (order !== undefined) venue.send(randomAmend(random, order));
    return true;
  }
  if (random.below(100) >= 35) return false;
  const [order] = open.splice(random.below(open.length), 1);
  if (order !== undefined) venue.send({ kind: CommandKind.cancelOrder, ...order, clientId: "" });
  return true;
}

/** Takes a funding sample, settles funding early and pays it. */
function settleFunding(venue: TestVenue): void {
  if (venue.state.index[marketId.btcPerp] === 0) sayIndex(venue, marketId.btcPerp, 5_000_000);
  venue.nowUs += 60_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  venue.done({ kind: CommandKind.settleFunding });
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function fundedAccount(venue: TestVenue): number {
  const account = venue.fund(1_000_000n * oneUsdc);
  venue.credit(account, 1, 1, 10n ** 15n);
  venue.credit(account, 2, 0, 1_000_000n * oneUsdc);
  return account;
}

function randomTransfer(random: SeededRandom, accounts: readonly number[]) {
  const account = accounts[random.below(accounts.length)] ?? 0;
  const from = random.below(walletCount) as Wallet;
  const to = ((from + 1 + random.below(walletCount - 1)) % walletCount) as Wallet;
  return {
    kind: CommandKind.transfer,
    key: null,
    account,
    from,
    to,
    asset: 0,
    amount: 7n * oneUsdc,
  };
}

function randomOrder(random: SeededRandom, accounts: readonly number[], number: number) {
  const isSpot = random.below(2) === 0;
  const isBuy = random.below(2) === 0;
  const middle = isSpot ? 1_500 : 5_000_000;
  const away = random.below(isSpot ? 40 : 4_000) - (isSpot ? 10 : 1_000);
  return {
    account: accounts[random.below(accounts.length)] ?? 0,
    market: isSpot ? marketId.ccUsdc : marketId.btcPerp,
    side: isBuy ? Side.buy : Side.sell,
    type: OrderType.limit,
    timeInForce: random.below(5) === 0 ? TimeInForce.ioc : TimeInForce.gtc,
    price: isBuy ? middle - away : middle + away,
    qty: isSpot ? 700 + random.below(3_000) : 1 + random.below(20),
    clientId: random.below(3) === 0 ? `c-${number}` : "",
  };
}

/** Draws amendment terms near the terms of a random order; many are refused. */
function randomAmend(random: SeededRandom, order: OpenOrder) {
  const isSpot = order.market === marketId.ccUsdc;
  const price = (isSpot ? 1_490 : 4_999_000) + random.below(isSpot ? 20 : 2_000);
  const qty = isSpot ? 700 + random.below(3_000) : 1 + random.below(20);
  const { account, market, orderId } = order;
  const named = { account, market, orderId, clientId: "" };
  return { kind: CommandKind.amendOrder, ...named, price, qty, side: null, growsNot: false };
}

/**
 * Returns the order with self-trade prevention by decrement for `decrementPercent` of all orders, and as a stop order
 * with its price as the trigger for `stopPercent`. Both may apply, or neither.
 */
function maybeSpecial(
  random: SeededRandom,
  { stopPercent = 0, decrementPercent = 0 }: RandomEventsOptions,
  order: ReturnType<typeof randomOrder>,
): TestOrder {
  const stpMode = happens(random, decrementPercent) ? StpMode.decrement : StpMode.skip;
  if (!happens(random, stopPercent)) return { ...order, stpMode };
  return { ...order, stpMode, type: OrderType.stop, triggerPrice: order.price };
}

/** Counts the trades in `events`, so that a test can assert that there are some. */
export function tradesOf(events: readonly VenueEvent[]): number {
  return events.filter(({ kind }) => kind === EventKind.traded).length;
}
