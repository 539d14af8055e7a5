// What differs between two states: balances, positions, open orders and last prices, each with both values as text. Orders are
// compared under their numbers, which venues give in the same order if they do the same.

import { type Wallet, walletCount, walletNames } from "../../core/accounts.ts";
import { accountsMax } from "../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";

/** A difference: what it is about, and what A and B have; null for nothing. */
export type Difference = Readonly<Record<string, string | number | null>> & {
  readonly a: string | null;
  readonly b: string | null;
};

export interface StateDifferences {
  readonly balances: readonly Difference[];
  readonly positions: readonly Difference[];
  readonly orders: readonly Difference[];
  readonly prices: readonly Difference[];
}

export function stateDifferences(a: VenueState, b: VenueState): StateDifferences {
  // Both tables begin with the markets that both have.
  const { table } = a.marketCount >= b.marketCount ? a : b;
  const accounts = [...new Set([...accountsOf(a), ...accountsOf(b)])].sort((x, y) => x - y);
  return {
    balances: accounts.flatMap((account) => balancesOf(table, account, a, b)),
    positions: accounts.flatMap((account) => positionsOf(table, account, a, b)),
    orders: ordersOf(table, a, b),
    prices: table.markets.flatMap((market) => pricesOf(market, a, b)),
  };
}

function accountsOf({ accounts }: VenueState): number[] {
  const open: number[] = [];
  for (let slot = 1; slot < Math.min(accounts.next, accountsMax); slot++) {
    const account = accounts.at(slot);
    if (account !== 0) open.push(account);
  }
  return open;
}

function different<Subject extends object>(
  subject: Subject,
  a: string | null,
  b: string | null,
): (Subject & Difference)[] {
  return a === b ? [] : [{ ...subject, a, b } as Subject & Difference];
}

function balancesOf(table: MarketTable, account: number, a: VenueState, b: VenueState) {
  return table.assets.flatMap(({ id, code, decimals }) =>
    Array.from({ length: walletCount }, (_, wallet) => {
      const shown = ({ accounts, balances }: VenueState) => {
        if (!accounts.exists(account)) return null;
        const total = balances.total(account, wallet as Wallet, id);
        const reserved = balances.reserved(account, wallet as Wallet, id);
        if (total === 0n && reserved === 0n) return null;
        const locked = reserved === 0n ? "" : `, ${formatScaled(reserved, decimals)} locked`;
        return formatScaled(total, decimals) + locked;
      };
      const subject = { account, wallet: walletNames[wallet] ?? "", asset: code };
      return different(subject, shown(a), shown(b));
    }).flat(),
  );
}

function positionsOf(table: MarketTable, account: number, a: VenueState, b: VenueState) {
  return table.markets.filter(isPerpetual).flatMap((market) => {
    const shown = ({ accounts, positions, marketCount }: VenueState) => {
      if (market.id >= marketCount || !accounts.exists(account)) return null;
      const qty = positions.qty(account, market.id);
      if (qty === 0) return null;
      const value = formatScaled(positions.entryValue(account, market.id), market.quote.decimals);
      const leverage = positions.leverage(account, market.id);
      return `${formatScaled(qty, market.lotDecimals)}, entry value ${value}, ${leverage}x`;
    };
    return different({ account, market: market.symbol }, shown(a), shown(b));
  });
}

function ordersOf(table: MarketTable, a: VenueState, b: VenueState): Difference[] {
  const [inA, inB] = [ordersById(table, a), ordersById(table, b)];
  const ids = [...new Set([...inA.keys(), ...inB.keys()])].sort((x, y) => x - y);
  return ids.flatMap((order_id) => {
    const [one, other] = [inA.get(order_id), inB.get(order_id)];
    const { account, market } = one ?? other ?? { account: 0, market: "" };
    return different({ order_id, account, market }, one?.text ?? null, other?.text ?? null);
  });
}

interface ShownOrder {
  readonly account: number;
  readonly market: string;
  readonly text: string;
}

function ordersById(table: MarketTable, { orders }: VenueState): Map<number, ShownOrder> {
  const shown = new Map<number, ShownOrder>();
  for (const slot of orders.openSlots()) {
    const market = table.market(orders.market[slot] ?? 0);
    const account = orders.account[slot] ?? 0;
    const text = orderText({ orders }, slot, market, account);
    shown.set(orders.orderId[slot] ?? 0, { account, market: market.symbol, text });
  }
  return shown;
}

function orderText(
  { orders }: Pick<VenueState, "orders">,
  slot: number,
  { tickDecimals, lotDecimals }: Market,
  account: number,
): string {
  const price = (ticks: number) => formatScaled(ticks, tickDecimals);
  const lots = (qty: number) => formatScaled(qty, lotDecimals);
  const { triggerPrice, goodTillUs } = orders.optionsOf(slot);
  const parts = [
    `${orders.side[slot] === Side.buy ? "BUY" : "SELL"} ${lots(orders.qty[slot] ?? 0)}`,
    `at ${price(orders.price[slot] ?? 0)}`,
    `${lots(orders.filledQty[slot] ?? 0)} filled`,
    ...(triggerPrice === 0 ? [] : [`trigger ${price(triggerPrice)}`]),
    ...(goodTillUs === 0 ? [] : [`until ${new Date(goodTillUs / 1000).toISOString()}`]),
    `account ${account}`,
    `id ${orders.clientId(slot)}`,
  ];
  return parts.join(", ");
}

function pricesOf(
  { id, symbol, tickDecimals }: Market,
  a: VenueState,
  b: VenueState,
): Difference[] {
  const prices = (["lastPrice", "mark", "index"] as const).flatMap((name) => {
    const shown = ({ [name]: ticks, marketCount }: VenueState) => {
      const price = id < marketCount ? (ticks[id] ?? 0) : 0;
      return price === 0 ? null : formatScaled(price, tickDecimals);
    };
    const price = name === "lastPrice" ? "last" : name;
    return different({ market: symbol, price }, shown(a), shown(b));
  });
  return prices;
}
