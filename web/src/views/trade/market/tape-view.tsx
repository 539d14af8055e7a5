// Trades of the market, newest first, coloured by the taker's side; small ones can be left out.

import type { VNode } from "preact";
import { shown, unitsOf } from "../../../decimal-text.ts";
import { keptSignal } from "../../../kept-signal.ts";
import type { Market } from "../../../markets/market.ts";
import { prints } from "../../../markets/market-figures.ts";
import { timeOfDay } from "../../../moment.ts";
import { zoneLabel } from "../../../time-zone.ts";
import { NumberInput } from "../../form/field.tsx";

const rowsMax = 60;
/** Finer than the quantities of any market. */
const places = 8;

type Bounds = Readonly<Record<string, string>>;

function acceptBounds(value: unknown): Bounds | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const texts = Object.entries(value).filter(([, text]) => unitsOf(String(text), places) !== null);
  return Object.fromEntries(texts.map(([symbol, text]) => [symbol, String(text)]));
}

/** Least quantity of a trade that the tape of a market shows. */
const bounds = keptSignal<Bounds>("rialto-tape-bounds", {}, acceptBounds);

function BoundField({ market }: { market: Market }): VNode {
  const { symbol, base } = market;
  return (
    <label class="tape-bound">
      Min. {base}
      <NumberInput
        hint="0"
        value={bounds.value[symbol] ?? ""}
        onValue={(text) => {
          bounds.value = { ...bounds.value, [symbol]: text };
        }}
      />
    </label>
  );
}

/** With each trade the rows stay in place and only their text changes, because moving rows cannot be read. */
export function TapeView({ market }: { market: Market }): VNode {
  const least = unitsOf(bounds.value[market.symbol] ?? "", places) ?? 0n;
  const large = prints.value.filter(({ quantity }) => (unitsOf(quantity, places) ?? 0n) >= least);
  const rows = large.slice(0, rowsMax);
  return (
    <>
      <div class="panel-head">
        <h2>Trades</h2>
        <BoundField market={market} />
      </div>
      <div class="columns" aria-hidden="true">
        <span>Price</span>
        <span>Quantity</span>
        <span>Time ({zoneLabel.value})</span>
      </div>
      {rows.length === 0 && (
        <p class="empty over">
          {prints.value.length === 0 ? "No trades yet." : "No recent trade is as large."}
        </p>
      )}
      {/* The list scrolls, so it must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <ol class="tape" tabIndex={0} aria-label="Recent trades, newest first">
        {rows.map(({ price, quantity, timeMs, isSale }, row) => (
          <li key={row}>
            <span class={isSale ? "loss" : "gain"}>{shown(price, market.pricePlaces)}</span>
            {/* Aligned to the right: with another text another element, so that nothing moves. */}
            <span key={quantity}>{shown(quantity, market.quantityPlaces)}</span>
            <time dateTime={new Date(timeMs).toISOString()}>{timeOfDay(timeMs)}</time>
          </li>
        ))}
      </ol>
    </>
  );
}
