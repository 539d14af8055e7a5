// The order book as a ladder: asks above, bids below, and between them the last price. Each level shows its cumulative
// depth and marks the user's own orders; a click copies the price into the ticket. The number of rows is fixed, so that
// a side with few levels does not shift the page; levels that do not fit are not shown.

import type { VNode } from "preact";
import { placed, shown, textOf, unitsOf } from "../../decimal-text.ts";
import { book, type Level, levelsShown } from "../../markets/book.ts";
import type { Market } from "../../markets/market.ts";
import { prints } from "../../markets/market-figures.ts";
import { pickedPrice } from "../../markets/ticket-requests.ts";
import { openOrders } from "../../member/account.ts";

interface RowProps {
  readonly level: Level | undefined;
  readonly side: "bid" | "ask";
  readonly market: Market;
  readonly share: number;
  readonly isOwn: boolean;
}

function Row({ level, side, market, share, isOwn }: RowProps): VNode {
  if (level === undefined) return <li class="level" aria-hidden="true" />;
  const price = shown(level.price, market.pricePlaces);
  const quantity = shown(level.quantity, market.quantityPlaces);
  return (
    <li class={`level ${side}`}>
      <span class="depth" style={{ transform: `scaleX(${share.toFixed(3)})` }} />
      <button
        type="button"
        onClick={() => {
          pickedPrice.value = placed(level.price, market.pricePlaces);
        }}
      >
        <span class="price">
          {isOwn && <span class="own" title="Your order" />}
          {price}
        </span>
        <span>{quantity}</span>
        <span class="total">{shown(level.total, market.quantityPlaces)}</span>
        <span class="unseen">
          {side}
          {isOwn && ", your order"}
        </span>
      </button>
    </li>
  );
}

function ownPrices(symbol: string): ReadonlySet<string> {
  const own = openOrders.value.filter((order) => order.symbol === symbol && order.price !== null);
  return new Set(own.map(({ price, side }) => `${side} ${Number(price)}`));
}

function spreadOf(market: Market): string {
  const { bids, asks } = book.ladder.value;
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined) return "–";
  const places = market.pricePlaces;
  const spread = (unitsOf(ask.price, places) ?? 0n) - (unitsOf(bid.price, places) ?? 0n);
  return textOf(spread, places);
}

/** A separate component, because it changes with the trades and not with the book. */
function LastPrice({ market }: { market: Market }): VNode {
  const [last] = prints.value;
  if (last === undefined) return <b class="last">–</b>;
  return (
    <b class={`last ${last.isSale ? "loss" : "gain"}`} title="Last price">
      {shown(last.price, market.pricePlaces)}
    </b>
  );
}

export function BookView({ market }: { market: Market }): VNode {
  const { bids, asks, isKnown } = book.ladder.value;
  const own = ownPrices(market.symbol);
  const rows = Array.from({ length: levelsShown }, (_, index) => index);
  const [bidDepth, askDepth] = [bids, asks].map((side) => Number(side.at(-1)?.total ?? 0));
  const deepest = Math.max(bidDepth ?? 0, askDepth ?? 0, 1e-12);
  const row = (level: Level | undefined, side: "bid" | "ask", index: number) => (
    <Row
      key={`${side}${index}`}
      level={level}
      side={side}
      market={market}
      share={Number(level?.total ?? 0) / deepest}
      isOwn={
        level !== undefined && own.has(`${side === "bid" ? "BUY" : "SELL"} ${Number(level.price)}`)
      }
    />
  );
  return (
    <>
      <h2>Order book {!isKnown && <small>loading…</small>}</h2>
      {isKnown && bids.length + asks.length === 0 && (
        <p class="empty over">No open orders. Place the first one.</p>
      )}
      <div class="columns" aria-hidden="true">
        <span>Price ({market.quote})</span>
        <span>Quantity ({market.base})</span>
        <span>Total</span>
      </div>
      <ol class="ladder asks" aria-label="Asks, best price first">
        {rows.map((index) => row(asks[index], "ask", index))}
      </ol>
      <div class="middle">
        <LastPrice market={market} />
        <span>
          Spread <b>{spreadOf(market)}</b>
        </span>
      </div>
      <ol class="ladder" aria-label="Bids, best price first">
        {rows.map((index) => row(bids[index], "bid", index))}
      </ol>
    </>
  );
}
