// Starts the terminal: first the markets, which every view needs, then the account if this tab has a session.

import { render } from "preact";
import { loadMarkets, markets } from "./markets/markets.ts";
import { keepAccount } from "./member/account.ts";
import { lookForKey } from "./member/session.ts";
import { keepMarginCall } from "./notices/margin-call.ts";
import { keepTitle } from "./page-title.ts";
import { Terminal, titles } from "./terminal.tsx";
import { keepTheme } from "./theme.ts";

const retryMs = 2_000;
/** Interval at which markets are read again, so that the terminal shows when one is halted, resumed or delisted. */
const reloadMs = 10_000;

function load(): void {
  const isIdle = document.hidden && markets.value.length > 0;
  const loaded = isIdle ? Promise.resolve() : loadMarkets();
  loaded.then(
    () => setTimeout(load, reloadMs),
    () => setTimeout(load, retryMs),
  );
}

keepTheme();
keepTitle(titles);
load();
keepAccount();
keepMarginCall();
lookForKey().catch(() => undefined);
const container = document.getElementById("terminal");
if (container !== null) render(<Terminal />, container);
