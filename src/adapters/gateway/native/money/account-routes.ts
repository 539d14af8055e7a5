// A user's positions, balances and fees, from memory. With development tools any logged-in user can read the positions
// and balances of every user; otherwise users can read only their own.

import { Wallet } from "../../../../core/accounts.ts";
import { isUuid, PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import { isPerpetual } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { AccountFigures, type PositionFigures } from "../../fapi/account/account-figures.ts";
import { meanPriceText } from "../../fapi/orders/order-text.ts";
import { routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import { ratesOf } from "../../spot/commission-text.ts";
import { userIdOf } from "../access/session-routes.ts";
import { nativeFaults } from "../error-map.ts";
import { balanceRecord, fitsWallet } from "./money-request.ts";

/** The answers that show an account. */
export class Accounts {
  readonly #context: RouteContext;
  readonly #figures: AccountFigures;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#figures = new AccountFigures(context.model);
  }

  fees(account: number): string {
    const { table, model } = this.#context;
    const { state } = model;
    const rates = (isSought: (kind: boolean) => boolean) => {
      const market = table.markets.find((one) => isSought(isPerpetual(one)));
      const { makerBps, takerBps } =
        market === undefined ? { makerBps: 0, takerBps: 0 } : ratesOf(state, account, market);
      return { maker_bps: makerBps, taker_bps: takerBps };
    };
    const paid = table.assets.map((asset) => ({
      asset: asset.code,
      amount: formatScaled(state.feesPaid.of(account, asset.id), asset.decimals),
    }));
    const answer = { perp: rates((isPerp) => isPerp), spot: rates((isPerp) => !isPerp), paid };
    return JSON.stringify(answer);
  }

  positions(account: number): string {
    const { state } = this.#context.model;
    const all = this.#figures.positions(account, this.#figures.markets);
    const positions = all
      .filter(({ qty }) => qty !== 0)
      .map((figures) =>
        positionFields(figures, state.positions.realisedPnl(account, figures.market.id)),
      );
    return JSON.stringify({ positions });
  }

  /** The account's balances: one for each wallet and each asset that the wallet can hold. */
  balances(account: number): string {
    const { table, model } = this.#context;
    const balances = [Wallet.funding, Wallet.spot, Wallet.perp].flatMap((wallet) =>
      table.assets
        .filter((asset) => fitsWallet(table, wallet, asset))
        .map((asset) => balanceRecord(model.state, account, wallet, asset)),
    );
    return JSON.stringify({ balances });
  }

  /** The account of a user id. Refuses every id unless development tools are on. */
  ofUser(id: string): number {
    if (!this.#context.devTools) refused(nativeFaults.devToolsOff);
    if (!isUuid(id)) refused(nativeFaults.badUuid);
    const named = parsePublicId(PublicIdKind.user, id);
    const { accounts } = this.#context.model.state;
    if (named === null || !accounts.isCustomer(named.number)) refused(nativeFaults.userUnknown);
    const isUsers = userIdOf(this.#context, named.number) === id.toLowerCase();
    return isUsers ? named.number : refused(nativeFaults.userUnknown);
  }
}

function positionFields(figures: PositionFigures, realised: bigint) {
  const { market, qty, entryValue, mark, liquidationPrice } = figures;
  const price = (ticks: number) => (ticks === 0 ? null : formatScaled(ticks, market.tickDecimals));
  const amount = (units: bigint) => formatScaled(units, market.quote.decimals);
  return {
    symbol: market.symbol,
    side: qty > 0 ? "LONG" : "SHORT",
    qty: formatScaled(Math.abs(qty), market.lotDecimals),
    entry_price: meanPriceText(entryValue, qty, market),
    mark_price: price(mark),
    liquidation_price: price(liquidationPrice),
    leverage: figures.leverage,
    margin: amount(figures.positionMargin),
    unrealized_pnl: amount(figures.unrealised),
    realized_pnl: amount(realised),
  };
}

/**
 * Routes of the user's own positions, balances and fees. With development tools, also routes of other users' positions
 * and balances.
 */
export const accountRoutes = routeGroup((context) => new Accounts(context))([
  sessionRoute("GET /v1/positions/me", {
    summary: "The user's open positions.",
    answer: (accounts, _, __, { account }) => accounts.positions(account),
  }),
  sessionRoute("GET /v1/balances/me", {
    summary: "The user's balances by wallet and asset.",
    answer: (accounts, _, __, { account }) => accounts.balances(account),
  }),
  sessionRoute("GET /v1/fees/me", {
    summary: "Fee rates and fees paid.",
    answer: (accounts, _, __, { account }) => accounts.fees(account),
  }),
  sessionRoute("GET /v1/positions/{user_id}/open", {
    summary: "Open positions of any user; only with development tools.",
    faults: { 403: "Development tools are off.", "404": "User not found." },
    exampleName: "$ME",
    answer: (accounts, _, { user_id: id }) => accounts.positions(accounts.ofUser(id)),
  }),
  sessionRoute("GET /v1/account/{user_id}/balances", {
    summary: "Balances of any user; only with development tools.",
    faults: { 403: "Development tools are off.", "404": "User not found." },
    exampleName: "$ME",
    answer: (accounts, _, { user_id: id }) => accounts.balances(accounts.ofUser(id)),
  }),
]);
