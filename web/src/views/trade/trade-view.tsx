// The view for trading: chart, book, recent trades, ticket and account, in panels that can be resized. A narrow screen
// shows one of them at a time, with the buttons that open the ticket. Without a connection the figures are greyed out.

import { effect, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { book } from "../../markets/book.ts";
import { marketFeed } from "../../markets/feed.ts";
import { followFigures } from "../../markets/market-figures.ts";
import { market } from "../../markets/markets.ts";
import type { Side } from "../../markets/ticket-requests.ts";
import { Tabs } from "../form/choice.tsx";
import { AccountPanel } from "./account-panel.tsx";
import { isFull } from "./chart/chart-settings.ts";
import { ChartView, takePrint } from "./chart-view.tsx";
import { ConfirmationDialog } from "./confirmation.tsx";
import { HotkeyHelp } from "./hotkey-help.tsx";
import { listenToHotkeys } from "./hotkeys.ts";
import { LeverageDialog } from "./leverage-dialog.tsx";
import { BookView } from "./market/book-view.tsx";
import { MarketBar, MarketNotice } from "./market/market-bar.tsx";
import { TapeView } from "./market/tape-view.tsx";
import { panelSizes } from "./panel-sizes.ts";
import { openTicket, pane, panes } from "./panes.ts";
import { Separator } from "./separator.tsx";
import { TicketView } from "./ticket-view.tsx";

/** Sizes of the panels as properties that the style sheet reads. */
function sizeProperties(): Record<string, string> {
  const sizes = Object.entries(panelSizes.value);
  return Object.fromEntries(sizes.map(([name, size]) => [`--${name}-size`, `${size}px`]));
}

function Separators(): VNode {
  return (
    <>
      <Separator panel="book" direction="vertical" label="Width of book and trades" />
      <Separator panel="tape" direction="horizontal" label="Height of the trades" />
      <Separator panel="account" direction="horizontal" label="Height of your account" />
      <Separator panel="ticket" direction="vertical" label="Width of the order ticket" />
    </>
  );
}

/** Buttons at the lower edge of a narrow screen, in every pane but the ticket's, whose own button is there then. */
function SideBar(): VNode {
  const button = (side: Side, text: string) => (
    <button
      type="button"
      class={`primary ${text.toLowerCase()}`}
      aria-label={`${text}: open the ticket`}
      onClick={() => openTicket(side)}
    >
      {text}
    </button>
  );
  return (
    <div class="side-bar">
      {button("BUY", "Buy")}
      {button("SELL", "Sell")}
    </div>
  );
}

/** Gives the chart the screen, and takes it back. */
function followFullScreen(): (() => void) | undefined {
  if (!isFull.value) return undefined;
  let isOver = false;
  let end = (): void => undefined;
  const leave = (): void => {
    isFull.value = false;
  };
  // Without its code the rest of the page would stay in reach.
  import("./chart/full-screen.ts").then(({ fillScreen }) => {
    if (!isOver) end = fillScreen(leave);
  }, leave);
  return () => {
    isOver = true;
    end();
  };
}

export function TradeView(): VNode {
  useSignalEffect(() => {
    const { value } = market;
    if (value === undefined) return undefined;
    const ends = [book.follow(marketFeed, value), followFigures(marketFeed, value, takePrint)];
    return () => {
      for (const end of ends) end();
    };
  });
  useSignalEffect(listenToHotkeys);
  // Not with `useSignalEffect`, which waits for a frame: a key that leaves goes on to what cannot be reached until then.
  useEffect(() => effect(followFullScreen), []);
  const { value } = market;
  if (value === undefined) return <p class="empty">Loading markets…</p>;
  const isStale = marketFeed.connection.value === "lost";
  return (
    <div
      class={`trade ${isFull.value ? "full-chart" : ""} ${isStale ? "stale" : ""}`}
      data-pane={pane.value}
      style={sizeProperties()}
    >
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
      <section class="panel ticket" id="ticket" aria-label="New order" data-name="Order">
        <TicketView key={value.symbol} market={value} />
      </section>
      <section class="panel account" aria-label="Your account" data-name="Account">
        <AccountPanel />
      </section>
      <Separators />
      <SideBar />
      <HotkeyHelp />
      <ConfirmationDialog />
      <LeverageDialog />
    </div>
  );
}
