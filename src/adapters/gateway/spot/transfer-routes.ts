// Transfers between an account's wallets with the names of Binance's wallet routes: MAIN is the spot wallet and
// UMFUTURE is the perp wallet. Clearing decides whether the account has the money and may move it.

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
import type { Reply } from "../../../core/generated/messages.ts";
import { isPerpetual, type MarketTable } from "../../../core/markets.ts";
import { formatScaled, parseAmount } from "../../../core/money/amounts.ts";
import type { TransferRecord } from "../../../ports/journal/history-store.ts";
import { assetNamed, collateralName } from "../fapi/collateral-name.ts";
import { answerCommand } from "../orders/answered-command.ts";
import { msOf } from "../orders/order-format.ts";
import { type Caller, readRoute, routeGroup, transferRoute } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { badCombination, illegalParameter, refused } from "../requests/surface-error.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import type { HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import { listText } from "./render.ts";

/** Maximum number of rows that are searched for one page. An account with more transfers must query by time. */
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

interface PageParams {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly current: number;
  readonly size: number;
}

/** The asset and the minor units that move between these wallets; refuses what is unknown or cannot be there. */
export function movedSum(
  table: MarketTable,
  view: SurfaceView,
  sent: { readonly asset: string; readonly amount: string },
  wallets: readonly Wallet[],
): { readonly asset: number; readonly amount: bigint } {
  const asset = assetNamed(table, view, sent.asset);
  const fits = asset !== undefined && (!wallets.includes(perp) || table.isMargin(asset.id));
  if (!fits) return refused(illegalParameter("asset"));
  const amount = parseAmount(sent.amount, asset.decimals);
  if (amount === null || amount <= 0n) return refused(illegalParameter("amount"));
  return { asset: asset.id, amount };
}

function move(
  { table, bridge }: RouteContext,
  call: HttpCall,
  { account }: Caller,
  params: z.output<typeof sapiTransfer>,
): void {
  const [from, to] = waysByType[params.type];
  const sum = movedSum(table, call.view, params, [from, to]);
  const command = { kind: CommandKind.transfer, account, from, to, ...sum, key: null } as const;
  const answer = ({ subject }: Reply) => `{"tranId":${subject}}`;
  answerCommand(bridge, call, command, { errors: spotErrors, answer });
}

/** The rows of one page that match the query, newest first. */
async function pageOf(
  { history, marketClock }: RouteContext,
  account: number,
  { startTime, endTime, current, size }: PageParams,
  {
    isRequested,
    text,
  }: {
    readonly isRequested: (row: TransferRecord) => boolean;
    readonly text: (row: TransferRecord) => string;
  },
): Promise<string> {
  const endMs = endTime ?? marketClock.nowMs();
  const startMs = startTime ?? endMs - weekMs;
  if (startMs > endMs) refused(badCombination);
  const range = { startUs: startMs * 1000, endUs: (endMs + 1) * 1000 };
  const rows = await history.transfers({ account, ...range, limit: rowsMax });
  const matching = rows.filter(isRequested);
  const shown = matching.slice((current - 1) * size, current * size).map(text);
  return `{"total":${matching.length},"rows":${listText(shown)}}`;
}

/**
 * The name of a transfer's asset. In transfers to or from the perp wallet, it is the name that perpetuals give their
 * collateral in this view (FAP-17).
 */
function assetName(
  { table }: RouteContext,
  { view }: HttpCall,
  { from, to, asset }: TransferRecord,
): string {
  const market = table.markets.find(isPerpetual);
  const isForPerpetuals = from === perp || to === perp;
  return isForPerpetuals && market !== undefined
    ? collateralName(market, view)
    : table.asset(asset).code;
}

function amountText({ table }: RouteContext, { asset, amount }: TransferRecord): string {
  return formatScaled(amount, table.asset(asset).decimals);
}

function directionOf({ from, to }: TransferRecord): "1" | "2" | undefined {
  if (from === spot && to === perp) return "1";
  return from === perp && to === spot ? "2" : undefined;
}

/** The routes of transfers between wallets. */
export const sapiTransferRoutes = routeGroup((context) => context)([
  transferRoute("POST /sapi/v1/asset/transfer", {
    summary: "Transfers money between the account's wallets.",
    reads: sapiTransfer,
    example: "type=MAIN_UMFUTURE&asset=USDC&amount=10",
    isStrict: true,
    handle: (context, call, params, caller) => move(context, call, caller, params),
  }),
  readRoute("GET /sapi/v1/asset/transfer", {
    summary: "Transfers in one direction, newest first.",
    weight: 10,
    reads: sapiTransfers,
    example: "type=MAIN_UMFUTURE",
    answer: (context, call, params, { account }) => {
      const [from, to] = waysByType[params.type];
      return pageOf(context, account, params, {
        isRequested: (row) => row.from === from && row.to === to,
        text: (row) =>
          `{"asset":"${assetName(context, call, row)}","amount":"${amountText(context, row)}"` +
          `,"type":"${params.type}","status":"CONFIRMED","tranId":${row.seq},"timestamp":${msOf(row.tsUs)}}`,
      });
    },
  }),
  transferRoute("POST /sapi/v1/futures/transfer", {
    summary: "Transfers money between the spot and the perpetual wallet.",
    reads: sapiFuturesTransfer,
    example: "asset=USDC&amount=5&type=2",
    isStrict: true,
    handle: (context, call, params, caller) =>
      move(context, call, caller, { ...params, type: typesByDirection[params.type] }),
  }),
  readRoute("GET /sapi/v1/futures/transfer", {
    summary: "Transfers between the spot and the perpetual wallet, newest first.",
    weight: 10,
    reads: sapiFuturesTransfers,
    answer: (context, call, params, { account }) => {
      const { asset: name } = params;
      const asset = name === undefined ? null : assetNamed(context.table, call.view, name);
      if (asset === undefined) return refused(illegalParameter("asset"));
      return pageOf(context, account, params, {
        isRequested: (row) =>
          directionOf(row) !== undefined && (asset === null || row.asset === asset.id),
        text: (row) =>
          `{"asset":"${assetName(context, call, row)}","tranId":${row.seq}` +
          `,"amount":"${amountText(context, row)}","type":"${directionOf(row)}"` +
          `,"timestamp":${msOf(row.tsUs)},"status":"CONFIRMED"}`,
      });
    },
  }),
]);
