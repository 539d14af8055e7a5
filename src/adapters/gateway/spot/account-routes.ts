// Signed spot routes about an account: balances from the read model, fills from SQL. Fills are
// stored in the commit that acknowledged them, so a client always finds what it was told.

import {
  type SpotMyTradesParameters,
  spotAccount,
  spotMyTrades,
} from "../../../../schemas/http/spot.ts";
import { AccountFlag, AccountType, Wallet } from "../../../core/accounts.ts";
import { accountTextsKept } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import type { FillQuery, FillRecord } from "../../../ports/history-store.ts";
import { endpointWeights } from "../../../services/access/endpoint-weights.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import {
  badCombination,
  refuse,
  type SurfaceError,
  spanTooLong,
  unexpected,
} from "../surface-error.ts";
import { accountText, balanceText, fillText, listText } from "./render.ts";

const readAccount = parameterReader(spotAccount);
const readMyTrades = parameterReader(spotMyTrades);

/** The longest span of myTrades (Binance: 24 hours). */
const spanMaxMs = 86_400_000;

/** Rendered accounts, each good until a balance or the standing of its account changes. */
class AccountTexts {
  readonly #context: RouteContext;
  readonly #kept = new Map<number, { changedUs: number; flags: number; text: string }>();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  answer(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readAccount(call, parameters);
    if (asked === null) return;
    call.json(asked.omitZeroBalances ? this.#render(account, true) : this.#whole(account));
  }

  #whole(account: number): string {
    const { model } = this.#context;
    const changedUs = model.balanceUs(account);
    const flags = model.state.accounts.flags[account] ?? 0;
    const kept = this.#kept.get(account);
    if (kept !== undefined && kept.changedUs === changedUs && kept.flags === flags) {
      return kept.text;
    }
    // Through bytes and back: pieces put together are otherwise walked at each answer.
    const text = Buffer.from(this.#render(account, false)).toString("latin1");
    if (this.#kept.size >= accountTextsKept) this.#kept.clear();
    this.#kept.set(account, { changedUs, flags, text });
    return text;
  }

  #render(account: number, omitsZeros: boolean): string {
    const { model, table } = this.#context;
    const { accounts, balances } = model.state;
    const rows: string[] = [];
    for (const asset of table.assets) {
      const total = balances.total(account, Wallet.spot, asset.id);
      const reserved = balances.reserved(account, Wallet.spot, asset.id);
      if (omitsZeros && total === 0n && reserved === 0n) continue;
      rows.push(balanceText(asset, { free: total - reserved, reserved }));
    }
    const market = table.markets.find(({ kind }) => kind === MarketKind.spot);
    const isFree = accounts.isHouse(account) || market === undefined;
    const standing = {
      account,
      canTrade: !accounts.has(account, AccountFlag.frozen),
      canWithdraw: accounts.has(account, AccountFlag.canWithdraw),
      updateMs: model.balanceMs(account),
      makerBps: isFree ? 0 : market.makerFeeBps,
      takerBps: isFree ? 0 : market.takerFeeBps,
    };
    return accountText(standing, rows);
  }
}

/** What Binance refuses of the optional parameters beside each other. */
function rangeFault(asked: SpotMyTradesParameters): SurfaceError | undefined {
  const { orderId, startTime, endTime, fromId } = asked;
  const hasTimes = startTime !== undefined || endTime !== undefined;
  if (hasTimes && (orderId !== undefined || fromId !== undefined)) return badCombination;
  if (startTime === undefined || endTime === undefined) return undefined;
  if (endTime < startTime) return badCombination;
  return endTime - startTime > spanMaxMs ? spanTooLong(24) : undefined;
}

function queryOf(asked: SpotMyTradesParameters, market: Market, account: number): FillQuery {
  const { orderId, startTime, endTime, fromId, limit } = asked;
  return {
    account,
    market: market.id,
    orderId: orderId ?? null,
    fromTradeId: fromId ?? null,
    startUs: startTime === undefined ? null : startTime * 1000,
    // The last millisecond counts whole: the bound itself is outside.
    endUs: endTime === undefined ? null : (endTime + 1) * 1000,
    limit,
  };
}

/** Fills between two accounts of the custody party never reach the ledger (decided.md 11). */
function settlementOf({ model }: RouteContext, account: number, fill: FillRecord): string {
  const { type } = model.state.accounts;
  const isOnLedger =
    type[account] === AccountType.wallet || type[fill.counterparty] === AccountType.wallet;
  return isOnLedger ? "pending" : "internal";
}

function answerMyTrades(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const asked = readMyTrades(call, parameters);
  const kind = MarketKind.spot;
  const market = asked && marketOf(call, context.table, { symbol: asked.symbol, kind });
  if (asked === null || market === null) return;
  const fault = rangeFault(asked);
  if (fault !== undefined) {
    refuse(call, fault);
    return;
  }
  context.history.fillsOfAccount(queryOf(asked, market, account)).then(
    (fills) =>
      call.json(
        listText(fills.map((fill) => fillText(fill, market, settlementOf(context, account, fill)))),
      ),
    (cause: unknown) => {
      context.log.error({ cause, path: call.path }, "fills could not be read");
      refuse(call, unexpected);
    },
  );
}

/** The signed account routes of the spot surface. */
export function spotAccountRoutes(context: RouteContext): SignedRoute[] {
  const signed = { method: "GET", security: "read" } as const;
  const accounts = new AccountTexts(context);
  return [
    {
      ...signed,
      path: "/api/v3/account",
      weight: endpointWeights["GET /api/v3/account"],
      answer: (call, parameters, caller) => accounts.answer(call, parameters, caller),
    },
    {
      ...signed,
      path: "/api/v3/myTrades",
      weight: endpointWeights["GET /api/v3/myTrades"],
      answer: (call, parameters, caller) => answerMyTrades(context, call, parameters, caller),
    },
  ];
}
