// Trading: chart, book, tape, ticket and what the user has in the market. On a phone one of them at a time.

import { signal, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { book } from "../../markets/book.ts";
import { marketFeed } from "../../markets/feed.ts";
import { followFigures } from "../../markets/market-figures.ts";
import { market } from "../../markets/markets.ts";
import { Tabs } from "../form/tabs.tsx";
import { AccountPanel } from "./account-panel.tsx";
import { BookView } from "./book-view.tsx";
import { ChartView, takePrint } from "./chart-view.tsx";
import { MarketBar } from "./market-bar.tsx";
import { TapeView } from "./tape-view.tsx";
import { TicketView } from "./ticket-view.tsx";

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
  if (value === undefined) return <p class="empty">Loading the markets…</p>;
  return (
    <div class="trade" data-pane={pane.value}>
      <h1 class="unseen">Trade {value.symbol}</h1>
      <MarketBar market={value} />
      <Tabs class="panes" label="Panes" names={panes} chosen={pane} />
      <section class="panel chart" aria-label="Chart" data-name="Chart">
        <ChartView key={value.symbol} market={value} />
      </section>
      <section class="panel book" aria-label="Order book" data-name="Book">
        <BookView market={value} />
      </section>
      <section class="panel tape" aria-label="Trades of the market" data-name="Trades">
        <TapeView market={value} />
      </section>
      <section class="panel ticket" aria-label="New order" data-name="Order">
        <TicketView key={value.symbol} market={value} />
      </section>
      <section class="panel account" aria-label="Your account" data-name="Account">
        <AccountPanel />
      </section>
    </div>
  );
}
