// The user's balances, positions, orders and trades. The account's streams signal a change; the routes return the new
// state. Lists are read immediately after a change and then at most once a second, so that a fill shows immediately and
// a busy account stays within its rate limits.

import { computed, effect, signal } from "@preact/signals";
import { AnswerOrder } from "../answer-order.ts";
import { cutTo, exact } from "../markets/exact.ts";
import { type Connection, Feed, marketFeed, streamAddress } from "../markets/feed.ts";
import { markets } from "../markets/markets.ts";
import { type FundingPayment, fundingSince } from "../markets/positions/realised-profit.ts";
import { takeFrame } from "../notices/notice-list.ts";
import { paced } from "../paced-reads.ts";
import { forgetTerms, readTerms } from "./order-terms.ts";
import { forgetOpenings, openedAtOf, readOpenings } from "./realised.ts";
import { forgetMargin, readMargin, risk } from "./risk/margin.ts";
import { followMarks } from "./risk/marks.ts";
import { requestOwn, session } from "./session.ts";
import type { Session } from "./shared-session.ts";
import { request } from "./venue-api.ts";

export interface Balance {
  readonly wallet: "funding" | "spot" | "perp";
  readonly asset: string;
  readonly free: string;
  readonly locked: string;
  readonly total: string;
}

export interface Position {
  readonly symbol: string;
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
  readonly entry_price: string;
  readonly mark_price: string | null;
  readonly liquidation_price: string | null;
  readonly leverage: number;
  readonly margin: string;
  readonly unrealized_pnl: string;
  readonly realized_pnl: string;
}

export interface Order {
  readonly order_id: string;
  readonly client_order_id: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly type: string;
  readonly status: string;
  readonly price: string | null;
  readonly qty: string;
  readonly filled_qty: string;
  readonly avg_price: string | null;
  /** Leverage of the account in the market when the list was read; null on spot. */
  readonly leverage: number | null;
  readonly take_profit?: string | null;
  readonly stop_loss?: string | null;
  /** Why the venue ended it; missing in answers to a request that places an order. */
  readonly expiry_reason?: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Fill {
  readonly id: string;
  readonly order_id: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly qty: string;
  readonly fee: string;
  readonly fee_asset: string;
  readonly maker: boolean;
  /** True for a trade of the venue's liquidation order; else missing. */
  readonly liquidation?: true;
  readonly realized_pnl: string | null;
  readonly time: string;
}

interface Page<T> {
  readonly items: readonly T[];
}

const readBalances = signal<readonly Balance[]>([]);
/** The balances as read; that of the perp wallet follows the marks, as everywhere on the page. */
export const balances = computed<readonly Balance[]>(() => {
  const { value } = risk;
  if (value === null) return readBalances.value;
  const { wallet: total, available: free } = value;
  const locked = cutTo((exact(total) ?? 0n) - (exact(free) ?? 0n), moneyPlaces);
  return readBalances.value.map((row) =>
    row.wallet === "perp" ? { ...row, free, locked, total } : row,
  );
});
export const positions = signal<readonly Position[]>([]);
export const openOrders = signal<readonly Order[]>([]);
export const closedOrders = signal<readonly Order[]>([]);
export const fills = signal<readonly Fill[]>([]);
/** The newest `paymentsRead`, newest first. */
const fundingPayments = signal<readonly FundingPayment[]>([]);
const paymentsRead = 1_000;
/** Connection state of the account's streams; null without a session. */
export const accountConnection = signal<Connection | null>(null);

/** Decimal places of USDC, all that the perp wallet holds. */
const moneyPlaces = 6;
const refreshMs = 1000;
/** Minimum interval in ms between reads of a history: histories cost more to read and matter less. */
const historyMs = 3000;
/** Interval in ms at which positions are read: mark prices change them without an event of the account. */
const positionsMs = 2000;
const extendMs = 30 * 60_000;

/** Funding received, less paid, in all markets, in the newest thousand payments. */
export const funding = computed(() =>
  cutTo(
    fundingPayments.value.reduce((sum, { amount }) => sum + (exact(amount) ?? 0n), 0n),
    moneyPlaces,
  ),
);

/** Funding that a position has received, less paid; null while or if that is not known. */
export function fundingOf(position: Pick<Position, "symbol" | "side">): string | null {
  const openedAt = openedAtOf(position);
  if (openedAt === null) return null;
  return fundingSince(position.symbol, openedAt, fundingPayments.value, paymentsRead);
}

const figuresOrder = new AnswerOrder();
const positionsOrder = new AnswerOrder();
const historyOrder = new AnswerOrder();

/** Reads balances, positions, open orders and margin at once; `refreshAccount` does so within a second. */
export async function readFigures(): Promise<void> {
  const [read, readOfPositions] = [figuresOrder.begin(), positionsOrder.begin()];
  const [money, held, open] = await Promise.all([
    requestOwn<{ balances: Balance[] }>("GET", "/v1/balances/me"),
    requestOwn<{ positions: Position[] }>("GET", "/v1/positions/me"),
    requestOwn<Page<Order>>("GET", "/v1/orders/me?status=open&limit=200"),
  ]);
  if (positionsOrder.takes(readOfPositions)) positions.value = held.positions;
  if (!figuresOrder.takes(read)) return;
  readBalances.value = money.balances;
  openOrders.value = open.items;
  await Promise.all([readMargin(), readTerms(open.items), readOpenings(held.positions)]);
}

async function readHistory(): Promise<void> {
  const read = historyOrder.begin();
  const [closed, traded, paid] = await Promise.all([
    requestOwn<Page<Order>>("GET", "/v1/orders/me?status=closed&limit=50"),
    requestOwn<Page<Fill>>("GET", "/v1/trades/me?limit=50"),
    requestOwn<Page<FundingPayment>>("GET", `/v1/funding/me?limit=${paymentsRead}`),
  ]);
  if (!historyOrder.takes(read)) return;
  closedOrders.value = closed.items;
  fills.value = traded.items;
  fundingPayments.value = paid.items;
}

async function readPositions(): Promise<void> {
  const readHeld = async (): Promise<void> => {
    const read = positionsOrder.begin();
    const held = await requestOwn<{ positions: Position[] }>("GET", "/v1/positions/me");
    if (!positionsOrder.takes(read)) return;
    positions.value = held.positions;
    await readOpenings(held.positions);
  };
  // Each counts by itself: without the margin, the positions are still the newest.
  await Promise.all([readHeld(), readMargin()]);
}

function forget(): void {
  readBalances.value = [];
  positions.value = [];
  openOrders.value = [];
  closedOrders.value = [];
  fills.value = [];
  fundingPayments.value = [];
  forgetMargin();
  forgetTerms();
  forgetOpenings();
}

const whileLoggedIn = (read: () => Promise<void>) => async (): Promise<void> => {
  if (session.value !== null) await read();
};

const refreshFigures = paced(whileLoggedIn(readFigures), refreshMs);
const refreshHistory = paced(whileLoggedIn(readHistory), historyMs);

/** Schedules a new read of everything. */
export function refreshAccount(): void {
  refreshFigures();
  refreshHistory();
}

const listenRoutes = ["/compat/fapi/v1/listenKey", "/compat/api/v3/userDataStream"] as const;

/**
 * Follows the account's streams of one surface. The listen key is extended regularly, and replaced once it has expired.
 */
function accountFeed(route: string, apiKey: string): () => void {
  let listenKey: string | null = null;
  const extend = async (): Promise<void> => {
    if (listenKey !== null) await request("PUT", `${route}?listenKey=${listenKey}`, { apiKey });
  };
  const address = async (): Promise<string> => {
    await extend().catch(() => {
      listenKey = null;
    });
    listenKey ??= (await request<{ listenKey: string }>("POST", route, { apiKey })).listenKey;
    return `${streamAddress}?streams=${listenKey}`;
  };
  const feed = new Feed({ isFixed: true, address });
  feed.listen("account", refreshAccount);
  feed.listen("account", takeFrame);
  const extending = setInterval(() => void extend().catch(() => undefined), extendMs);
  const unwatch = feed.connection.subscribe((connection) => {
    accountConnection.value = connection;
    if (connection === "open") refreshAccount();
  });
  return () => {
    unwatch();
    clearInterval(extending);
    feed.close();
  };
}

/** Follows the account's streams of both surfaces. Returns a function that stops following them. */
function follow({ apiKey }: Session): () => void {
  const ends = listenRoutes.map((route) => accountFeed(route, apiKey));
  const look = () => {
    if (positions.value.length > 0 && !document.hidden) void readPositions().catch(() => undefined);
  };
  const looking = setInterval(look, positionsMs);
  // The terms of orders are read market by market.
  const unwatch = markets.subscribe(refreshFigures);
  const unmark = followMarks(marketFeed);
  return () => {
    clearInterval(looking);
    unmark();
    unwatch();
    for (const end of ends) end();
    accountConnection.value = null;
  };
}

/** Keeps the account's figures current while there is a session. */
export function keepAccount(): void {
  effect(() => {
    const { value } = session;
    if (value === null) {
      forget();
      return undefined;
    }
    refreshAccount();
    return follow(value);
  });
}
