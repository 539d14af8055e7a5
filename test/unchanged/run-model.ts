// A model of the venue for the driver of a varied run, made from events alone. It knows enough to make most commands
// meaningful.

import type { Draw } from "./drawn-values.ts";

/** Fields of a command or an event, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** An order that its owner can still change. */
export interface KnownOrder {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  price: number;
  qty: number;
  readonly clientId: string;
}

/** Numbers of the event kinds that the driver reads. */
const kinds = {
  accountOpened: 1,
  sessionOpened: 9,
  sessionClosed: 10,
  orderAccepted: 16,
  orderClosed: 18,
  specialAccepted: 19,
  orderAmended: 21,
  withdrawalRequested: 39,
  withdrawalEnded: 40,
  swapMoved: 43,
} as const;

const ordersKeptMax = 400;

export class RunModel {
  nowUs: number;
  readonly accounts: number[] = [];
  readonly orders: KnownOrder[] = [];
  readonly sessions: { readonly sessionId: number; readonly account: number }[] = [];
  readonly withdrawals: number[] = [];
  swapMoves = 0;
  seq = 0;

  constructor(startUs: number) {
    this.nowUs = startUs;
  }

  /** Applies an event of the venue. */
  learn(event: Fields): void {
    this.seq = Number(event["seq"]);
    this.#hear[Number(event["kind"])]?.(event);
  }

  /** Draws an account, mostly one of the first twelve. */
  account(draw: Draw): number {
    const among = draw.below(20) === 0 ? this.accounts.length : Math.min(this.accounts.length, 12);
    return this.accounts[draw.below(among)] ?? 1001;
  }

  /** Draws an order that was open at its last event; null if there is none. */
  order(draw: Draw): KnownOrder | null {
    return this.orders.length === 0 ? null : draw.of(this.orders);
  }

  readonly #hear: Readonly<Record<number, (event: Fields) => void>> = {
    [kinds.accountOpened]: (event) => {
      const account = Number(event["account"]);
      if (account > 1000) this.accounts.push(account);
    },
    [kinds.sessionOpened]: (event) =>
      this.sessions.push({
        sessionId: Number(event["sessionId"]),
        account: Number(event["account"]),
      }),
    [kinds.sessionClosed]: (event) =>
      drop(this.sessions, ({ sessionId }) => sessionId === event["sessionId"]),
    [kinds.orderAccepted]: (event) => this.#accept(event),
    [kinds.specialAccepted]: (event) => this.#accept(event),
    [kinds.orderClosed]: (event) =>
      drop(this.orders, ({ orderId }) => orderId === event["orderId"]),
    [kinds.orderAmended]: (event) => {
      const order = this.orders.find(({ orderId }) => orderId === event["orderId"]);
      if (order === undefined) return;
      order.price = Number(event["price"]);
      order.qty = Number(event["qty"]);
    },
    [kinds.withdrawalRequested]: (event) => this.withdrawals.push(Number(event["withdrawalId"])),
    [kinds.withdrawalEnded]: (event) =>
      drop(this.withdrawals, (withdrawalId) => withdrawalId === event["withdrawalId"]),
    [kinds.swapMoved]: () => {
      this.swapMoves++;
    },
  };

  /** Drops the oldest orders, because fills are not tracked and filled orders would stay. */
  #accept(event: Fields): void {
    this.orders.push({
      orderId: Number(event["orderId"]),
      account: Number(event["account"]),
      market: Number(event["market"]),
      price: Number(event["price"]),
      qty: Number(event["qty"]),
      clientId: String(event["clientId"]),
    });
    if (this.orders.length > ordersKeptMax) this.orders.shift();
  }
}

function drop<T>(list: T[], isMeant: (one: T) => boolean): void {
  const index = list.findIndex(isMeant);
  if (index >= 0) list.splice(index, 1);
}
