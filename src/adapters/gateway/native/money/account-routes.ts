// What a user has: positions, balances, fees. All of it comes from memory. With development tools
// anybody who is logged in may look at anybody's positions and balances; without them nobody may.

import { Wallet } from "../../../../core/accounts.ts";
import { isUuid, PublicIdKind, parsePublicId } from "../../../../core/ids/public-id.ts";
import { isPerpetual } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import { AccountFigures, type PositionFigures } from "../../fapi/account/account-figures.ts";
import { meanPriceText } from "../../fapi/orders/order-text.ts";
import { refuse, type SurfaceError } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { ratesOf } from "../../spot/commission-text.ts";
import { userIdOf } from "../access/session-routes.ts";
import { nativeFaults } from "../error-map.ts";
import type { NativeContext } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, sessionRoute } from "../native-route.ts";
import { balanceRecord } from "./balance-text.ts";
import { fitsWallet } from "./money-request.ts";

class AccountRoutes {
  readonly #context: NativeContext;
  readonly #figures: AccountFigures;

  constructor(context: NativeContext) {
    this.#context = context;
    this.#figures = new AccountFigures(context.model);
  }

  positions(call: HttpCall, { account }: SessionState): void {
    call.json(this.#positionsText(account));
  }

  balances(call: HttpCall, { account }: SessionState): void {
    call.json(this.#balancesText(account));
  }

  fees(call: HttpCall, { account }: SessionState): void {
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
    call.json(JSON.stringify(answer));
  }

  positionsOf(call: HttpCall, { path }: NativeAsk): void {
    const account = this.#userOf(path["user_id"] ?? "");
    if (typeof account === "number") call.json(this.#positionsText(account));
    else refuse(call, account);
  }

  balancesOf(call: HttpCall, { path }: NativeAsk): void {
    const account = this.#userOf(path["user_id"] ?? "");
    if (typeof account === "number") call.json(this.#balancesText(account));
    else refuse(call, account);
  }

  #positionsText(account: number): string {
    const { state } = this.#context.model;
    const all = this.#figures.positions(account, this.#figures.markets);
    const positions = all
      .filter(({ qty }) => qty !== 0)
      .map((figures) =>
        positionFields(figures, state.positions.realisedPnl(account, figures.market.id)),
      );
    return JSON.stringify({ positions });
  }

  /** Every wallet with every asset that may stand in it. */
  #balancesText(account: number): string {
    const { table, model } = this.#context;
    const balances = [Wallet.funding, Wallet.spot, Wallet.perp].flatMap((wallet) =>
      table.assets
        .filter((asset) => fitsWallet(table, wallet, asset))
        .map((asset) => balanceRecord(model.state, account, wallet, asset)),
    );
    return JSON.stringify({ balances });
  }

  /** The account of a user id, or why it may not be looked at. */
  #userOf(id: string): number | SurfaceError {
    if (!this.#context.devTools) return nativeFaults.devToolsOff;
    if (!isUuid(id)) return nativeFaults.badUuid;
    const named = parsePublicId(PublicIdKind.user, id);
    const { accounts } = this.#context.model.state;
    if (named === null || !accounts.isCustomer(named.number)) return nativeFaults.userUnknown;
    const isUsers = userIdOf(this.#context, named.number) === id.toLowerCase();
    return isUsers ? named.number : nativeFaults.userUnknown;
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

/** What a user has, and with development tools what anybody has. */
export function accountRoutes(context: NativeContext): NativeRoute[] {
  const routes = new AccountRoutes(context);
  return [
    sessionRoute("GET /v1/positions/me", (call, _, session) => routes.positions(call, session)),
    sessionRoute("GET /v1/balances/me", (call, _, session) => routes.balances(call, session)),
    sessionRoute("GET /v1/fees/me", (call, _, session) => routes.fees(call, session)),
    sessionRoute("GET /v1/positions/{user_id}/open", (call, asked) =>
      routes.positionsOf(call, asked),
    ),
    sessionRoute("GET /v1/account/{user_id}/balances", (call, asked) =>
      routes.balancesOf(call, asked),
    ),
  ];
}
