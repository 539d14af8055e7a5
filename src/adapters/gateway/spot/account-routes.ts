// Signed account routes of the spot surface: balances, commissions, order counts. Everything comes from
// memory.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import { spotAccount } from "../../../../schemas/http/spot.ts";
import { AccountFlag, Wallet } from "../../../core/accounts.ts";
import { accountTextsKept } from "../../../core/limits.ts";
import { MarketKind } from "../../../core/markets.ts";
import { limitsOf } from "../../../services/access/rate-limiter.ts";
import { marketOf } from "../requests/read-request.ts";
import { type Caller, readRoute, routeGroup } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import type { HttpCall } from "../server/http-call.ts";
import { commissionText, ratesOf } from "./commission-text.ts";
import { accountText, balanceText, listText } from "./render.ts";

/** Rendered accounts by view. Each text is valid until a balance or a right of its account changes. */
class AccountTexts {
  readonly #context: RouteContext;
  readonly #kept = new Map<number, { changedUs: number; flags: number; text: string }>();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  /** Renders the account without the assets that it does not hold. */
  short(account: number, view: SurfaceView): string {
    return this.#render(account, { omitsZeros: true, view });
  }

  whole(account: number, view: SurfaceView): string {
    const { model } = this.#context;
    const changedUs = model.balanceUs(account);
    const flags = model.state.accounts.flagsOf(account);
    const key = 2 * account + (view === "compat" ? 1 : 0);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.changedUs === changedUs && kept.flags === flags) {
      return kept.text;
    }
    // Converting to bytes and back gives a flat string; V8 would traverse a concatenated string at each answer.
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
    const summary = {
      account,
      canTrade: !accounts.isFrozen(account),
      canWithdraw: accounts.has(account, AccountFlag.canWithdraw),
      updateMs: model.balanceMs(account),
      ...rates,
    };
    return accountText(summary, rows);
  }
}

/** Answer of GET rateLimit/order: the same counts as in the headers of this answer. */
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
export const spotAccountRoutes = routeGroup((context) => ({
  ...context,
  texts: new AccountTexts(context),
}))([
  readRoute("GET /api/v3/account", {
    summary: "Balances and rights of the account.",
    weight: 10,
    reads: spotAccount,
    session: "account.status",
    answer: ({ texts }, { view }, { omitZeroBalances }, { account }) =>
      omitZeroBalances ? texts.short(account, view) : texts.whole(account, view),
  }),
  readRoute("GET /api/v3/account/commission", {
    summary: "Commission rates.",
    weight: 10,
    reads: oneSymbol,
    session: "account.commission",
    example: "symbol=CC-USDC",
    answer: ({ table, model }, _, { symbol }, { account }) => {
      const market = marketOf(table, MarketKind.spot, symbol);
      return commissionText(market, ratesOf(model.state, account, market));
    },
  }),
  readRoute("GET /api/v3/rateLimit/order", {
    summary: "Order counts and limits of the key.",
    weight: 20,
    session: "account.rateLimits.orders",
    answer: (_, call, __, caller) => orderLimitsText(call, caller),
  }),
]);
