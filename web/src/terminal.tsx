// The frame around every view: navigation, connection state, theme, zone of times, log-in. Only the trading view is in
// the first load; the others load when they are opened.

import type { ComponentType, VNode } from "preact";
import { nowMs } from "./clock.ts";
import { marketFeed } from "./markets/feed.ts";
import { accountConnection } from "./member/account.ts";
import { logOut, session } from "./member/session.ts";
import { timeOfDay } from "./moment.ts";
import { addressOf, type Page, pages, route } from "./route.ts";
import { theme, turnTheme } from "./theme.ts";
import { turnZone, zoneLabel } from "./time-zone.ts";
import { lazyView } from "./views/form/lazy-view.tsx";
import { SessionGate } from "./views/form/session-gate.tsx";
import { NoticeButton, Toasts } from "./views/notices/notice-center.tsx";
import { isHelpOpen } from "./views/trade/hotkeys.ts";
import { focusTicket } from "./views/trade/panes.ts";
import { TradeView } from "./views/trade/trade-view.tsx";

export const titles: Readonly<Record<Page, string>> = {
  trade: "Trade",
  wallet: "Wallet",
  history: "History",
  swaps: "Swaps",
  keys: "API keys",
  chain: "Proofs",
  referral: "Referral",
};

type View = ComponentType;

/** A view for which one must be logged in; `why` says for what. */
function own(page: Page, why: string, load: () => Promise<View>): View {
  const view = lazyView(titles[page], load);
  return () => <SessionGate title={titles[page]} view={view} why={why} />;
}

const views: Readonly<Record<Page, View>> = {
  trade: TradeView,
  wallet: own("wallet", "see your balances and transfer funds", async () => {
    return (await import("./views/money/wallet-view.tsx")).WalletView;
  }),
  history: own("history", "see and export your orders, fills and funding", async () => {
    return (await import("./views/history/history-view.tsx")).HistoryView;
  }),
  swaps: own("swaps", "swap with liquidity providers", async () => {
    return (await import("./views/swaps/swaps-view.tsx")).SwapsView;
  }),
  keys: own("keys", "create and revoke API keys", async () => {
    return (await import("./views/keys/keys-view.tsx")).KeysView;
  }),
  chain: lazyView(titles.chain, async () => (await import("./views/chain-view.tsx")).ChainView),
  referral: own("referral", "see your referral code and commission", async () => {
    return (await import("./views/referral-view.tsx")).ReferralView;
  }),
};

function Navigation(): VNode {
  return (
    <nav aria-label="Main">
      {pages.map((page) => (
        <a
          key={page}
          href={addressOf(page)}
          aria-current={route.value.page === page ? "page" : undefined}
        >
          {titles[page]}
        </a>
      ))}
    </nav>
  );
}

function ConnectionState(): VNode {
  const isLost = marketFeed.connection.value === "lost" || accountConnection.value === "lost";
  const isOpen = marketFeed.connection.value === "open" && !isLost;
  const message = isLost ? "Reconnecting" : isOpen ? "Live" : "Connecting";
  return (
    <output class={`connection ${isOpen ? "live" : isLost ? "lost" : ""}`}>
      <span aria-hidden="true" class="dot" />
      {message}
    </output>
  );
}

function Identity(): VNode {
  const { value } = session;
  if (value === null) {
    return (
      <a class="button" href={addressOf("wallet")}>
        Log in
      </a>
    );
  }
  return (
    <button type="button" class="quiet" title={value.partyId} onClick={() => void logOut()}>
      Log out
    </button>
  );
}

function Clock(): VNode {
  return (
    <button
      type="button"
      class="quiet clock"
      title="All times are in this zone. Switch between your own zone and UTC."
      onClick={turnZone}
    >
      <span>{timeOfDay(nowMs.value)}</span> {zoneLabel.value}
    </button>
  );
}

/** The first stops of the Tab key: links that skip the navigation. */
function SkipLinks(): VNode {
  const isTrade = route.value.page === "trade";
  return (
    <div class="skip">
      {isTrade && (
        <button type="button" onClick={focusTicket}>
          Skip to the order ticket
        </button>
      )}
      <button type="button" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the content
      </button>
    </div>
  );
}

function ThemeButton(): VNode {
  const other = theme.value === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="quiet icon"
      aria-label={`Switch to the ${other} theme`}
      onClick={turnTheme}
    >
      {other === "light" ? "☀" : "☾"}
    </button>
  );
}

export function Terminal(): VNode {
  const View = views[route.value.page];
  return (
    <>
      <header class="frame">
        <SkipLinks />
        <a class="brand" href={addressOf("trade")}>
          Rialto
        </a>
        <Navigation />
        <ConnectionState />
        <NoticeButton />
        <Clock />
        <ThemeButton />
        <Identity />
      </header>
      <Toasts />
      <main id="view" tabIndex={-1}>
        <View />
      </main>
      <footer class="frame">
        <span>Orders are stored durably before they are acknowledged.</span>
        {route.value.page === "trade" && (
          <button
            type="button"
            class="link"
            onClick={() => {
              isHelpOpen.value = true;
            }}
          >
            Keyboard <kbd>?</kbd>
          </button>
        )}
        <a href="/docs">Documentation</a>
        <a href="/ops/traffic">Traffic</a>
        <a href="https://www.tradingview.com/" rel="noopener noreferrer">
          Charts by TradingView
        </a>
      </footer>
    </>
  );
}
