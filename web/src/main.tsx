// Starts the terminal: markets first, for nothing can be shown without them, then the account if this tab
// has a session.

import { render } from "preact";
import { loadMarkets } from "./markets/markets.ts";
import { keepAccount } from "./member/account.ts";
import { lookForKey } from "./member/session.ts";
import { Terminal } from "./terminal.tsx";
import { keepTheme } from "./theme.ts";

const retryMs = 2000;

function load(): void {
  loadMarkets().catch(() => setTimeout(load, retryMs));
}

keepTheme();
load();
keepAccount();
lookForKey().catch(() => undefined);
const container = document.getElementById("terminal");
if (container !== null) render(<Terminal />, container);
