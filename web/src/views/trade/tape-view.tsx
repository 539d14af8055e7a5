// Trades of the market, newest first, coloured by who took. Rows stay where they are and take the words of
// the trade that is theirs now: what moved down with each trade could not be read.

import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import type { Market } from "../../markets/market.ts";
import { prints } from "../../markets/market-figures.ts";
import { timeOfDay } from "../../moment.ts";

export function TapeView({ market }: { market: Market }): VNode {
  const { value } = prints;
  return (
    <>
      <h2>Trades</h2>
      <div class="columns" aria-hidden="true">
        <span>Price</span>
        <span>Quantity</span>
        <span>Time</span>
      </div>
      {value.length === 0 && <p class="empty over">Nothing has traded here yet.</p>}
      <ol class="tape">
        {value.map(({ price, quantity, timeMs, isSale }, row) => (
          <li key={row}>
            <span class={isSale ? "loss" : "gain"}>{shown(price, market.pricePlaces)}</span>
            <span>{shown(quantity, market.quantityPlaces)}</span>
            <time dateTime={new Date(timeMs).toISOString()}>{timeOfDay(timeMs)}</time>
          </li>
        ))}
      </ol>
    </>
  );
}
