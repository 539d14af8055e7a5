// The frame around every view: navigation, connection state, theme, zone of times, log-in. Only the trading view is in
// the first load; the others load when they are opened.

import type { VNode } from "preact";
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
import { isHelpOpen } from "./views/trade/hotkeys.ts";
import { focusTicket } from "./views/trade/panes.ts";
import { TradeView } from "./views/trade/trade-view.tsx";

const WalletView = lazyView(async () => (await import("./views/money/wallet-view.tsx")).WalletView);
const SwapsView = lazyView(async () => (await import("./views/swaps/swaps-view.tsx")).SwapsView);
const KeysView = lazyView(async () => (await import("./views/keys-view.tsx")).KeysView);
const ChainView = lazyView(async () => (await import("./views/chain-view.tsx")).ChainView);
const ReferralView = lazyView(async () => (await import("./views/referral-view.tsx")).ReferralView);

export const titles: Readonly<Record<Page, string>> = {
  trade: "Trade",
  wallet: "Wallet",
  swaps: "Swaps",
  keys: "API keys",
  chain: "Proofs",
  referral: "Referral",
};

const views: Readonly<Record<Page, () => VNode>> = {
  trade: TradeView,
  wallet: () => (
    <SessionGate
      title={titles.wallet}
      view={WalletView}
      why="see your balances and transfer funds"
    />
  ),
  swaps: () => (
    <SessionGate title={titles.swaps} view={SwapsView} why="swap with liquidity providers" />
  ),
  keys: () => <SessionGate title={titles.keys} view={KeysView} why="create and revoke API keys" />,
  chain: ChainView,
  referral: () => (
    <SessionGate
      title={titles.referral}
      view={ReferralView}
      why="see your referral code and commission"
    />
  ),
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
        <Clock />
        <ThemeButton />
        <Identity />
      </header>
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
