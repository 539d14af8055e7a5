// The venue under attack: clearing and books on one thread, with the few actions that makers, traders and the attacker
// need. It stores no events, so that one run can try thousands of attacks. It values each party at the fair prices.

import { AccountType, Wallet } from "../../../src/core/accounts.ts";
import { assert } from "../../../src/core/assert.ts";
import { type Command, CommandKind } from "../../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../../src/core/generated/events.ts";
import { isPerpetual } from "../../../src/core/markets.ts";
import { noOptions, OrderType, type Side, TimeInForce } from "../../../src/core/orders.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { available } from "../../../src/engine/risk/margin.ts";
import { VenueState } from "../../../src/engine/state/venue-state.ts";
import { VenueMachine } from "../../../src/engine/venue-machine.ts";
import { oneUsdc, testMarkets } from "../../support/machine/test-markets.ts";
import type { Draft } from "../../support/machine/test-venue.ts";
import { attackCoins, coinAt } from "./attack-coins.ts";
import { type Defences, setTerms } from "./attack-terms.ts";

const ordersMax = 1 << 12;
const one = Number(oneUsdc);
const usdc = 0;

/** An order in the arena; `rests` is false for immediate-or-cancel. */
export interface ArenaOrder {
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly rests: boolean;
  readonly isReduceOnly?: boolean;
  /** A post-only order is refused if it would trade at once. */
  readonly isPostOnly?: boolean;
}

export interface ArenaParts {
  readonly startUs: number;
  readonly defences: Defences;
  readonly onEvent?: (event: VenueEvent) => void;
}

export class AttackArena {
  readonly state = new VenueState(testMarkets);
  readonly #machine: VenueMachine;
  readonly #best = { bid: new Int32Array(16), ask: new Int32Array(16) };
  /** For each market, by id: whether it has traded since its maker last updated its quotes. */
  readonly hasTraded: boolean[] = testMarkets.markets.map(() => false);
  /** Current value of each coin, in whole units of the quote. */
  readonly fair: number[] = attackCoins.map(({ fair }) => fair);
  /** Venue time in microseconds. */
  nowUs: number;
  #correlation = 0;
  #reason: RejectReason = RejectReason.none;
  #subject = 0;

  constructor({ startUs, defences, onEvent }: ArenaParts) {
    this.nowUs = startUs;
    setTerms(this.state, defences.terms);
    this.#machine = new VenueMachine({
      state: this.state,
      ordersMax,
      opensWithoutIndex: defences.opensWithoutIndex,
      onEvent: (event) => {
        if (event.kind === EventKind.traded) this.hasTraded[event.market] = true;
        onEvent?.(event);
      },
      onReply: ({ reason, subject }) => {
        this.#reason = reason;
        this.#subject = subject;
      },
      onMatch: {
        filled: () => undefined,
        reduced: () => undefined,
        removed: () => undefined,
        met: () => undefined,
        ended: (market, _slot, _generation, _lane, _outcome, _remaining, bid, request) => {
          this.#best.bid[market] = bid;
          this.#best.ask[market] = request;
        },
      },
    });
  }

  /** Sends a command; returns the reason for its refusal, or `none`. */
  send(request: Draft): RejectReason {
    return this.#handle({ ...this.#stamp(0), ...request });
  }

  #handle(command: Command): RejectReason {
    this.#machine.handle(command);
    return this.#reason;
  }

  #stamp(account: number) {
    const correlation = ++this.#correlation;
    const deadlineUs = this.nowUs + 30_000_000;
    return { source: 0, correlation, atUs: this.nowUs, deadlineUs, account };
  }

  #done(request: Draft): number {
    const reason = this.send(request);
    assert(reason === RejectReason.none, `The command was refused with ${reason}`);
    return this.#subject;
  }

  tick(): void {
    this.#handle({ kind: CommandKind.tick, ...this.#stamp(0) });
  }

  open(accountType: AccountType = AccountType.standard): number {
    return this.#done({ kind: CommandKind.openAccount, accountType });
  }

  /** Credits whole units of USDC; does nothing for zero. */
  credit(account: number, wallet: Wallet, units: number): void {
    this.#credit(account, wallet, usdc, BigInt(Math.floor(units * one)));
  }

  /** Credits coins that are worth this many whole units of USDC at the fair price. */
  creditCoins(account: number, coin: number, units: number): void {
    const { spot } = coinAt(coin);
    const { base } = spot;
    assert(base !== null, "A coin must have a spot market");
    const coins = units / (this.fair[coin] ?? 1);
    this.#credit(account, Wallet.spot, base.id, BigInt(Math.floor(coins * 10 ** base.decimals)));
  }

  #credit(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    if (amount <= 0n) return;
    this.#done({ kind: CommandKind.credit, account, wallet, asset, amount, isFromFaucet: false });
  }

  /**
   * Places an order of positive price and quantity; returns the reason of the refusal, or none. While the market has no
   * room for the quantity, halves it, so that an order that is too large is filled in part.
   */
  place(order: ArenaOrder): RejectReason {
    let [qty, reason] = [order.qty, this.#place(order)];
    while (isOutOfRoom(reason) && qty > 1) {
      qty = Math.floor(qty / 2);
      reason = this.#place({ ...order, qty });
    }
    return reason;
  }

  #place(order: ArenaOrder): RejectReason {
    const { account, market, side, price, qty, rests } = order;
    const { isPostOnly = false, isReduceOnly = false } = order;
    if (qty <= 0 || price <= 0) return RejectReason.qtyNotPositive;
    const isSpot = !isPerpetual(testMarkets.market(market));
    const posts = rests && isPostOnly;
    return this.#handle({
      kind: CommandKind.placeOrder,
      ...this.#stamp(account),
      market,
      side,
      type: posts && isSpot ? OrderType.limitMaker : OrderType.limit,
      timeInForce: lifeOf(rests, posts && !isSpot),
      price,
      qty,
      clientId: "",
      attached: null,
      ...noOptions,
      reusesClientId: false,
      isReduceOnly,
    });
  }

  cancelAll(account: number, market: number): void {
    if (this.openOrders(account, market) === 0) return;
    this.#handle({ kind: CommandKind.cancelAllOrders, ...this.#stamp(account), market });
  }

  openOrders(account: number, market: number): number {
    return this.state.orders.countOf(account, market);
  }

  setLeverage(account: number, market: number, leverage: number): RejectReason {
    return this.send({ kind: CommandKind.setLeverage, account, market, leverage });
  }

  /** Moves everything the perp wallet can spare to the funding wallet; returns the amount in whole units of USDC. */
  withdraw(account: number): number {
    const amount = available(this.state, account);
    if (amount <= 0n) return 0;
    const route = { from: Wallet.perp, to: Wallet.funding, asset: usdc };
    const reason = this.send({ kind: CommandKind.transfer, account, ...route, amount, key: null });
    return reason === RejectReason.none ? Number(amount) / one : 0;
  }

  /** Returns the best price in ticks; 0 if the side is empty. */
  best(market: number, side: Side): number {
    return (side === 0 ? this.#best.bid[market] : this.#best.ask[market]) ?? 0;
  }

  /** Returns the balance available for new orders, in whole units of USDC. */
  available(account: number): number {
    return Number(available(this.state, account)) / one;
  }

  /** Returns the free amount of an asset in the spot wallet, in whole USDC or whole coins. */
  freeSpot(account: number, asset: number): number {
    const free = this.state.balances.free(account, Wallet.spot, asset);
    return Number(free) / 10 ** testMarkets.asset(asset).decimals;
  }

  /** Returns the perp wallet's cash plus its positions at the fair prices, in whole units of USDC. */
  perpWorth(account: number): number {
    const { balances, positions } = this.state;
    let worth = Number(balances.total(account, Wallet.perp, usdc)) / one;
    for (const [index, { perp }] of attackCoins.entries()) {
      const lots = positions.qty(account, perp.id);
      if (lots === 0) continue;
      const entry = Number(positions.entryValue(account, perp.id)) / one;
      worth += (lots / 10 ** perp.lotDecimals) * (this.fair[index] ?? 0) - entry;
    }
    return worth;
  }

  /** Returns the value of everything outside the perp wallet at the fair prices, in whole units of USDC. */
  otherWorth(account: number): number {
    const { balances } = this.state;
    const cash = (wallet: Wallet) => Number(balances.total(account, wallet, usdc)) / one;
    let worth = cash(Wallet.funding) + cash(Wallet.spot);
    for (const [index, { spot }] of attackCoins.entries()) {
      if (spot.base === null) continue;
      const coins = Number(balances.total(account, Wallet.spot, spot.base.id));
      worth += (coins / 10 ** spot.base.decimals) * (this.fair[index] ?? 0);
    }
    return worth;
  }

  /** Returns the value of everything an account owns at the fair prices, in whole units of USDC. */
  worth(account: number): number {
    return this.perpWorth(account) + this.otherWorth(account);
  }
}

function isOutOfRoom(reason: RejectReason): boolean {
  return reason === RejectReason.openInterestFull || reason === RejectReason.depthTooThin;
}

function lifeOf(rests: boolean, isPostOnly: boolean): TimeInForce {
  if (!rests) return TimeInForce.ioc;
  return isPostOnly ? TimeInForce.gtx : TimeInForce.gtc;
}
