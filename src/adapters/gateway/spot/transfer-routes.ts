// Money between an account's own wallets under the names of Binance's wallet routes: MAIN is the spot wallet, UMFUTURE
// that of perpetuals. Whether the account has it and may is clearing's decision.

import type * as z from "zod";
import {
  sapiFuturesTransfer,
  sapiFuturesTransfers,
  sapiTransfer,
  sapiTransfers,
  type transferTypes,
} from "../../../../schemas/http/sapi.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { isPerpetual } from "../../../core/markets.ts";
import { formatScaled, parseAmount } from "../../../core/money/decimal.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { TransferRecord } from "../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { collateralName } from "../fapi/collateral-name.ts";
import { msOf } from "../orders/order-words.ts";
import { answerLater } from "../requests/answer-later.ts";
import { orderReader, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, Route, RouteContext } from "../requests/route.ts";
import {
  badCombination,
  illegalParameter,
  notExecuted,
  refuse,
} from "../requests/surface-error.ts";
import { readRoute, tradeRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { assetNamed } from "./collateral-alias.ts";
import { spotErrors } from "./error-map.ts";
import { listText } from "./render.ts";

const readTransfer = orderReader(sapiTransfer);
const readTransfers = parameterReader(sapiTransfers);
const readFuturesTransfer = orderReader(sapiFuturesTransfer);
const readFuturesTransfers = parameterReader(sapiFuturesTransfers);

/** Looked through for a page; an account that moves money more often asks by time. */
const rowsMax = 10_000;
const weekMs = 604_800_000;

type TransferType = (typeof transferTypes)[number];

const { funding, spot, perp } = Wallet;

const waysByType: Readonly<Record<TransferType, readonly [from: Wallet, to: Wallet]>> = {
  MAIN_UMFUTURE: [spot, perp],
  UMFUTURE_MAIN: [perp, spot],
  MAIN_FUNDING: [spot, funding],
  FUNDING_MAIN: [funding, spot],
  FUNDING_UMFUTURE: [funding, perp],
  UMFUTURE_FUNDING: [perp, funding],
};

const typesByDirection = { "1": "MAIN_UMFUTURE", "2": "UMFUTURE_MAIN" } as const;

interface AskedPage {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly current: number;
  readonly size: number;
}

class TransferRoutes {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  transfer(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readTransfer(call, parameters);
    if (asked !== null) this.#move(call, caller, asked);
  }

  futures(call: HttpCall, parameters: RequestParameters, caller: Caller): void {
    const asked = readFuturesTransfer(call, parameters);
    if (asked !== null) {
      this.#move(call, caller, { ...asked, type: typesByDirection[asked.type] });
    }
  }

  list(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readTransfers(call, parameters);
    if (asked === null) return;
    const [from, to] = waysByType[asked.type];
    this.#answer(call, account, {
      page: asked,
      isAsked: (row) => row.from === from && row.to === to,
      text: (row) =>
        `{"asset":"${this.#assetName(call, row)}","amount":"${this.#amountText(row)}"` +
        `,"type":"${asked.type}","status":"CONFIRMED","tranId":${row.seq},"timestamp":${msOf(row.tsUs)}}`,
    });
  }

  listFutures(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readFuturesTransfers(call, parameters);
    if (asked === null) return;
    const { table } = this.#context;
    const asset = asked.asset === undefined ? null : assetNamed(table, call.view, asked.asset);
    if (asset === undefined) {
      refuse(call, illegalParameter("asset"));
      return;
    }
    const directionOf = ({ from, to }: TransferRecord) => {
      if (from === spot && to === perp) return "1";
      return from === perp && to === spot ? "2" : undefined;
    };
    this.#answer(call, account, {
      page: asked,
      isAsked: (row) =>
        directionOf(row) !== undefined && (asset === null || row.asset === asset.id),
      text: (row) =>
        `{"asset":"${this.#assetName(call, row)}","tranId":${row.seq}` +
        `,"amount":"${this.#amountText(row)}","type":"${directionOf(row)}"` +
        `,"timestamp":${msOf(row.tsUs)},"status":"CONFIRMED"}`,
    });
  }

  #move(call: HttpCall, { account }: Caller, asked: z.output<typeof sapiTransfer>): void {
    const { table, bridge } = this.#context;
    const asset = assetNamed(table, call.view, asked.asset);
    const [from, to] = waysByType[asked.type];
    const isForPerpetuals = from === perp || to === perp;
    const fits = table.markets.some((market) => isPerpetual(market) && market.quote === asset);
    if (asset === undefined || (isForPerpetuals && !fits)) {
      refuse(call, illegalParameter("asset"));
      return;
    }
    const amount = parseAmount(asked.amount, asset.decimals);
    if (amount === null || amount <= 0n) {
      refuse(call, illegalParameter("amount"));
      return;
    }
    const kind = CommandKind.transfer;
    const ask = { kind, account, from, to, asset: asset.id, amount, key: null } as const;
    const isSent = bridge.send(ask, "orders", ({ reason, subject }) => {
      if (reason === RejectReason.none) call.json(`{"tranId":${subject}}`);
      else refuse(call, spotErrors[reason]);
    });
    if (!isSent) refuse(call, notExecuted);
  }

  #answer(
    call: HttpCall,
    account: number,
    {
      page: { startTime, endTime, current, size },
      isAsked,
      text,
    }: {
      page: AskedPage;
      isAsked: (row: TransferRecord) => boolean;
      text: (row: TransferRecord) => string;
    },
  ): void {
    const { history, clock } = this.#context;
    const endMs = endTime ?? clock.nowMs();
    const startMs = startTime ?? endMs - weekMs;
    if (startMs > endMs) {
      refuse(call, badCombination);
      return;
    }
    const range = { startUs: startMs * 1000, endUs: (endMs + 1) * 1000 };
    const reading = history.transfers({ account, ...range, limit: rowsMax });
    answerLater(this.#context, call, reading, (rows) => {
      const asked = rows.filter(isAsked);
      const shown = asked.slice((current - 1) * size, current * size).map(text);
      call.json(`{"total":${asked.length},"rows":${listText(shown)}}`);
    });
  }

  /** What moved to or from perpetuals has their name for it. */
  #assetName(call: HttpCall, { from, to, asset }: TransferRecord): string {
    const { table } = this.#context;
    const market = table.markets.find(isPerpetual);
    const isForPerpetuals = from === perp || to === perp;
    return isForPerpetuals && market !== undefined
      ? collateralName(market, call.view)
      : table.asset(asset).code;
  }

  #amountText({ asset, amount }: TransferRecord): string {
    return formatScaled(amount, this.#context.table.asset(asset).decimals);
  }
}

/** The routes of transfers between wallets. */
export function sapiTransferRoutes(context: RouteContext): Route[] {
  const routes = new TransferRoutes(context);
  return [
    tradeRoute("POST /sapi/v1/asset/transfer", (call, parameters, caller) =>
      routes.transfer(call, parameters, caller),
    ),
    readRoute("GET /sapi/v1/asset/transfer", (call, parameters, caller) =>
      routes.list(call, parameters, caller),
    ),
    tradeRoute("POST /sapi/v1/futures/transfer", (call, parameters, caller) =>
      routes.futures(call, parameters, caller),
    ),
    readRoute("GET /sapi/v1/futures/transfer", (call, parameters, caller) =>
      routes.listFutures(call, parameters, caller),
    ),
  ];
}
