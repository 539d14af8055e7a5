// Signed spot routes about an account: balances, what trading costs, how many orders it may still
// place. Everything comes from memory.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import { spotAccount } from "../../../../schemas/http/spot.ts";
import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import { accountTextsKept } from "../../../core/limits.ts";
import { MarketKind } from "../../../core/markets.ts";
import { limitsOf } from "../../../services/access/rate-limiter.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../requests/route.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { readRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { commissionText, ratesOf } from "./commission-text.ts";
import { accountText, balanceText, listText } from "./render.ts";

const readAccount = parameterReader(spotAccount);
const readSymbol = parameterReader(oneSymbol);

/** Rendered accounts by view, each good until a balance or the standing of its account changes. */
class AccountTexts {
  readonly #context: RouteContext;
  readonly #kept = new Map<number, { changedUs: number; flags: number; text: string }>();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  answer(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readAccount(call, parameters);
    if (asked === null) return;
    const { view } = call;
    const text = asked.omitZeroBalances
      ? this.#render(account, { omitsZeros: true, view })
      : this.#whole(account, view);
    call.json(text);
  }

  #whole(account: number, view: SurfaceView): string {
    const { model } = this.#context;
    const changedUs = model.balanceUs(account);
    const flags = model.state.accounts.flagsOf(account);
    const key = 2 * account + (view === "compat" ? 1 : 0);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.changedUs === changedUs && kept.flags === flags) {
      return kept.text;
    }
    // Through bytes and back: pieces put together are otherwise walked at each answer.
    const text = Buffer.from(this.#render(account, { omitsZeros: false, view })).toString("latin1");
    if (this.#kept.size >= accountTextsKept) this.#kept.clear();
    this.#kept.set(key, { changedUs, flags, text });
    return text;
  }

  #render(
    account: number,
    { omitsZeros, view }: { omitsZeros: boolean; view: SurfaceView },
  ): string {
    const { model, table } = this.#context;
    const { accounts, balances } = model.state;
    const rows: string[] = [];
    for (const asset of table.assets) {
      const total = balances.total(account, Wallet.spot, asset.id);
      const reserved = balances.reserved(account, Wallet.spot, asset.id);
      if (omitsZeros && total === 0n && reserved === 0n) continue;
      rows.push(balanceText(asset, { free: total - reserved, reserved, view }));
    }
    const market = table.markets.find(({ kind }) => kind === MarketKind.spot);
    const rates =
      market === undefined ? { makerBps: 0, takerBps: 0 } : ratesOf(model.state, account, market);
    const standing = {
      account,
      canTrade: !accounts.isFrozen(account),
      canWithdraw: accounts.has(account, AccountFlag.canWithdraw),
      updateMs: model.balanceMs(account),
      ...rates,
    };
    return accountText(standing, rows);
  }
}

function answerCommission(
  { model, table }: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const asked = readSymbol(call, parameters);
  const market = asked && marketOf(call, table, { symbol: asked.symbol, kind: MarketKind.spot });
  if (market !== null) call.json(commissionText(market, ratesOf(model.state, account, market)));
}

/** GET rateLimit/order: the counts are those the answer's headers tell. */
function orderLimitsText(call: HttpCall, { tier }: Caller): string {
  const { ordersPer10s, ordersPerMinute } = limitsOf(tier);
  const row = (unit: string, limit: number, count: number) =>
    `{"rateLimitType":"ORDERS",${unit},"limit":${limit},"count":${count}}`;
  const rows = [
    row('"interval":"SECOND","intervalNum":10', ordersPer10s, call.ordersPer10s),
    row('"interval":"MINUTE","intervalNum":1', ordersPerMinute, call.ordersPerMinute),
  ];
  return listText(rows);
}

/** The signed account routes of the spot surface. */
export function spotAccountRoutes(context: RouteContext): SignedRoute[] {
  const accounts = new AccountTexts(context);
  return [
    readRoute("GET /api/v3/account", (call, parameters, caller) =>
      accounts.answer(call, parameters, caller),
    ),
    readRoute("GET /api/v3/account/commission", (call, parameters, caller) =>
      answerCommission(context, call, parameters, caller),
    ),
    readRoute("GET /api/v3/rateLimit/order", (call, _parameters, caller) =>
      call.json(orderLimitsText(call, caller)),
    ),
  ];
}
