// The frame around every view: navigation, connection state, theme, log-in.

import type { VNode } from "preact";
import { marketFeed } from "./markets/feed.ts";
import { accountConnection } from "./member/account.ts";
import { logOut, session } from "./member/session.ts";
import { addressOf, type Page, pages, route } from "./route.ts";
import { theme, turnTheme } from "./theme.ts";
import { ChainView } from "./views/chain-view.tsx";
import { SessionGate } from "./views/form/session-gate.tsx";
import { KeysView } from "./views/keys-view.tsx";
import { WalletView } from "./views/money/wallet-view.tsx";
import { ReferralView } from "./views/referral-view.tsx";
import { SwapsView } from "./views/swaps/swaps-view.tsx";
import { TradeView } from "./views/trade/trade-view.tsx";

const titles: Readonly<Record<Page, string>> = {
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
        <a class="brand" href={addressOf("trade")}>
          Rialto
        </a>
        <Navigation />
        <ConnectionState />
        <ThemeButton />
        <Identity />
      </header>
      <main id="view">
        <View />
      </main>
      <footer class="frame">
        <span>Orders are stored durably before they are acknowledged.</span>
        <a href="/docs">Documentation</a>
        <a href="/ops/traffic">Traffic</a>
        <a href="https://www.tradingview.com/" rel="noopener noreferrer">
          Charts by TradingView
        </a>
      </footer>
    </>
  );
}
