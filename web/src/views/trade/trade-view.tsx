// The view for trading: chart, book, recent trades, ticket and account. A narrow screen shows one of them at a time.

import { signal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import { book } from "../../markets/book.ts";
import { marketFeed } from "../../markets/feed.ts";
import type { Market } from "../../markets/market.ts";
import { followFigures, prints } from "../../markets/market-figures.ts";
import { market } from "../../markets/markets.ts";
import { timeOfDay } from "../../moment.ts";
import { Tabs } from "../form/choice.tsx";
import { AccountPanel } from "./account-panel.tsx";
import { BookView } from "./book-view.tsx";
import { ChartView, takePrint } from "./chart-view.tsx";
import { ConfirmationDialog } from "./confirmation.tsx";
import { LeverageDialog } from "./leverage-dialog.tsx";
import { MarketBar, MarketNotice } from "./market-bar.tsx";
import { TicketView } from "./ticket-view.tsx";

/**
 * Trades of the market, newest first, coloured by the taker's side. With each trade the rows stay in place and only
 * their text changes, because moving rows cannot be read.
 */
function TapeView({ market }: { market: Market }): VNode {
  const { value } = prints;
  return (
    <>
      <h2>Recent trades</h2>
      <div class="columns" aria-hidden="true">
        <span>Price</span>
        <span>Quantity</span>
        <span>Time</span>
      </div>
      {value.length === 0 && <p class="empty over">No trades yet.</p>}
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

const panes = ["Chart", "Book", "Trades", "Order", "Account"] as const;
type Pane = (typeof panes)[number];

/** Which pane a narrow screen shows. */
const pane = signal<Pane>("Chart");

export function TradeView(): VNode {
  useSignalEffect(() => {
    const { value } = market;
    if (value === undefined) return undefined;
    const ends = [
      book.follow(marketFeed, value.stream),
      followFigures(marketFeed, value, takePrint),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
  const { value } = market;
  if (value === undefined) return <p class="empty">Loading markets…</p>;
  return (
    <div class="trade" data-pane={pane.value}>
      <h1 class="unseen">Trade {value.symbol}</h1>
      <div class="market-head">
        <MarketBar market={value} />
        <MarketNotice market={value} />
      </div>
      <Tabs class="panes" label="Panels" names={panes} chosen={pane} />
      <section class="panel chart" aria-label="Chart" data-name="Chart">
        <ChartView key={value.symbol} market={value} />
      </section>
      <section class="panel book" aria-label="Order book" data-name="Book">
        <BookView market={value} />
      </section>
      <section class="panel tape" aria-label="Market trades" data-name="Trades">
        <TapeView market={value} />
      </section>
      <section class="panel ticket" aria-label="New order" data-name="Order">
        <TicketView key={value.symbol} market={value} />
      </section>
      <section class="panel account" aria-label="Your account" data-name="Account">
        <AccountPanel />
      </section>
      <ConfirmationDialog />
      <LeverageDialog />
    </div>
  );
}
