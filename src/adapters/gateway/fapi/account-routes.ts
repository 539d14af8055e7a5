// Signed perpetual routes about an account: leverage, collateral, positions. The figures are the
// read model's; unrealised profit is shown at the mark and decides nothing here.

import { maybeSymbol, noParameters } from "../../../../schemas/http/common.ts";
import { fapiLeverage } from "../../../../schemas/http/fapi.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/commands.ts";
import { leverageMax } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { available } from "../../../engine/clearing/margin.ts";
import { endpointWeights } from "../../../services/access/endpoint-weights.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import { notExecuted, refuse } from "../surface-error.ts";
import { badLeverage, fapiErrors } from "./error-map.ts";
import {
  balanceText,
  markedValue,
  notionalMaxText,
  type PositionFigures,
  positionText,
} from "./render.ts";

const kind = MarketKind.perpetual;
const readLeverage = parameterReader(fapiLeverage);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readNothing = parameterReader(noParameters);

/** 1 … 100 in plain digits, or undefined. */
function leverageOf(text: string): number | undefined {
  const leverage = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return leverage >= 1 && leverage <= leverageMax ? leverage : undefined;
}

class FapiAccountRoutes {
  readonly #context: RouteContext;
  readonly #markets: readonly Market[];

  constructor(context: RouteContext) {
    this.#context = context;
    this.#markets = context.table.markets.filter((market) => market.kind === kind);
  }

  setLeverage(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readLeverage(call, parameters);
    const { table, bridge } = this.#context;
    const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
    if (asked === null || market === null) return;
    const leverage = leverageOf(asked.leverage);
    if (leverage === undefined) {
      refuse(call, badLeverage(asked.leverage));
      return;
    }
    const ask = { kind: CommandKind.setLeverage, account, market: market.id, leverage } as const;
    const isSent = bridge.send(ask, "orders", ({ reason }) => {
      if (reason !== RejectReason.none) {
        refuse(call, fapiErrors[reason]);
        return;
      }
      const most = notionalMaxText(market, leverage);
      call.json(`{"leverage":${leverage},"maxNotionalValue":"${most}","symbol":"${market.alias}"}`);
    });
    if (!isSent) refuse(call, notExecuted);
  }

  balance(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const quote = this.#markets[0]?.quote;
    if (readNothing(call, parameters) === null) return;
    if (quote === undefined) {
      call.json("[]");
      return;
    }
    const { model } = this.#context;
    const unrealised = this.#markets.reduce((sum, market) => {
      const position = this.#position(account, market);
      return sum + markedValue(position, market) - position.entryValue;
    }, 0n);
    const figures = {
      account,
      wallet: model.state.balances.total(account, Wallet.perp, quote.id),
      unrealised,
      available: available(model.state, account),
      updateMs: model.balanceMs(account),
    };
    call.json(`[${balanceText(figures, quote)}]`);
  }

  positions(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return;
    const { table } = this.#context;
    const one =
      asked.symbol === undefined ? null : marketOf(call, table, { symbol: asked.symbol, kind });
    if (asked.symbol !== undefined && one === null) return;
    const markets = one === null ? this.#markets : [one];
    const rows = markets.map((market) => positionText(this.#position(account, market), market));
    call.json(`[${rows.join(",")}]`);
  }

  #position(account: number, market: Market): PositionFigures {
    const { model } = this.#context;
    const { positions } = model.state;
    return {
      qty: positions.qty(account, market.id),
      entryValue: positions.entryValue(account, market.id),
      mark: model.mark(market),
      leverage: positions.leverage(account, market.id),
      updateMs: model.positionMs(account, market),
    };
  }
}

/** The signed account routes of the perpetual surface. */
export function fapiAccountRoutes(context: RouteContext): SignedRoute[] {
  const routes = new FapiAccountRoutes(context);
  return [
    {
      method: "POST",
      path: "/fapi/v1/leverage",
      security: "trade",
      weight: endpointWeights["POST /fapi/v1/leverage"],
      answer: (call, parameters, caller) => routes.setLeverage(call, parameters, caller),
    },
    {
      method: "GET",
      path: "/fapi/v2/balance",
      security: "read",
      weight: endpointWeights["GET /fapi/v2/balance"],
      answer: (call, parameters, caller) => routes.balance(call, parameters, caller),
    },
    {
      method: "GET",
      path: "/fapi/v2/positionRisk",
      security: "read",
      weight: endpointWeights["GET /fapi/v2/positionRisk"],
      answer: (call, parameters, caller) => routes.positions(call, parameters, caller),
    },
  ];
}
