// The order book as a ladder: asks above, bids below, and between them the last price. Levels are grouped by a step that
// the user chooses. A second tab shows the depth as curves.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { shown, textOf, unitsOf } from "../../../decimal-text.ts";
import { keptSignal } from "../../../kept-signal.ts";
import { book, ladderOf } from "../../../markets/book.ts";
import {
  type GroupedLevel,
  groupPrice,
  groupSteps,
  keptStep,
  placesThatFit,
} from "../../../markets/book-groups.ts";
import { marketFeed } from "../../../markets/feed.ts";
import type { Market } from "../../../markets/market.ts";
import { prints } from "../../../markets/market-figures.ts";
import { closedText } from "../../../markets/market-notice.ts";
import { openOrders } from "../../../member/account.ts";
import { Tabs } from "../../form/choice.tsx";
import { lazyView } from "../../form/lazy-view.tsx";
import { Ladder } from "./ladder.tsx";

const DepthView = lazyView<{ readonly market: Market }>(null, async () => {
  return (await import("./depth-view.tsx")).DepthView;
});

type Steps = Readonly<Record<string, string>>;

function acceptSteps(value: unknown): Steps | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const texts = Object.entries(value).filter(([, step]) => Number(step) > 0);
  return Object.fromEntries(texts.map(([symbol, step]) => [symbol, String(step)]));
}

/** Chosen steps of the ladder by market. */
const steps = keptSignal<Steps>("rialto-book-steps", {}, acceptSteps);

function stepOf({ symbol, tick }: Market): string {
  return keptStep(steps.value[symbol], tick);
}

function GroupChoice({ market }: { market: Market }): VNode {
  const { bids, asks } = book.whole.value;
  const best = (bids[0] ?? asks[0])?.value ?? 0;
  const chosen = stepOf(market);
  const offered = groupSteps(market.tick, best);
  // Compare as numbers: the tick may have trailing zeros that a step has not.
  const isOffered = offered.some((step) => Number(step) === Number(chosen));
  const options = isOffered ? offered : [...offered, chosen];
  return (
    <label class="book-group">
      <span class="unseen">Group prices by</span>
      <select
        value={options.find((step) => Number(step) === Number(chosen))}
        onChange={({ currentTarget }) => {
          steps.value = { ...steps.value, [market.symbol]: currentTarget.value };
        }}
      >
        {options.map((step) => (
          <option key={step} value={step}>
            {step}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the groups in which the user has orders. */
function ownGroups(market: Market): ReadonlySet<string> {
  const group = { step: stepOf(market), tick: market.tick };
  const own = openOrders.value.flatMap(({ symbol, price, side }) => {
    if (symbol !== market.symbol || price === null) return [];
    return `${side} ${groupPrice(price, group, side === "BUY" ? "down" : "up")}`;
  });
  return new Set(own);
}

function spreadOf(market: Market): string {
  const { bids, asks } = book.whole.value;
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

function Ladders({ market }: { market: Market }): VNode {
  const { bids, asks, isKnown } = ladderOf(book.whole.value, market.tick, stepOf(market));
  const own = ownGroups(market);
  const [bidDepth, askDepth] = [bids, asks].map((side) => Number(side.at(-1)?.total ?? 0));
  const both = [...bids, ...asks];
  const [sizeDecimals, sumDecimals] = (["quantity", "total"] as const).map((name) =>
    placesThatFit(
      both.map((level) => level[name]),
      market.quantityPlaces,
    ),
  );
  const deepest = Math.max(bidDepth ?? 0, askDepth ?? 0, 1e-12);
  const ladder = (side: "bid" | "ask", levels: readonly GroupedLevel[]) => (
    <Ladder
      {...{ side, levels, market, own, deepest }}
      sizeDecimals={sizeDecimals ?? 0}
      sumDecimals={sumDecimals ?? 0}
    />
  );
  return (
    <>
      {isKnown && bids.length + asks.length === 0 && (
        <p class="empty over">
          No open orders.{closedText(market) === "" && " Place the first one."}
        </p>
      )}
      <div class="columns" aria-hidden="true">
        <span>Price</span>
        <span>Size {market.base}</span>
        <span>Sum</span>
        <span class="value">Sum {market.quote}</span>
      </div>
      {ladder("ask", asks)}
      <div class="middle">
        <LastPrice market={market} />
        <span>
          Spread <b>{spreadOf(market)}</b>
        </span>
      </div>
      {ladder("bid", bids)}
    </>
  );
}

const forms = ["Order book", "Depth"] as const;
const form = signal<(typeof forms)[number]>("Order book");

export function BookView({ market }: { market: Market }): VNode {
  return (
    <>
      <div class="panel-head">
        <Tabs class="tabs" label="Order book" names={forms} chosen={form} />
        {form.value === "Order book" && <GroupChoice market={market} />}
      </div>
      {marketFeed.connection.value === "lost" && (
        <p class="stale-note">Connection lost. These prices are not live.</p>
      )}
      {form.value === "Depth" ? <DepthView market={market} /> : <Ladders market={market} />}
    </>
  );
}
