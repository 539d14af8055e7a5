// Binance's wallet routes: deposits and withdrawals, terms of assets, deposit addresses, the rights of the request's
// key. This file also has other routes that clients call, some of them at every start (ccxt in loadMarkets): margin
// pairs and coin-margined markets, of which this venue has none, the system status, and fees. Without a ledger no
// deposits are possible, and the terms of the assets say so.

import { maybeSymbol } from "../../../../schemas/http/common.ts";
import {
  sapiAddress,
  sapiAssets,
  sapiDeposits,
  sapiWithdrawals,
} from "../../../../schemas/http/sapi.ts";
import { AccountFlag, isPermitted, KeyPermission, Wallet } from "../../../core/accounts.ts";
import { depositReference } from "../../../core/ids/deposit-reference.ts";
import { PublicIdKind, publicId } from "../../../core/ids/public-id.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import {
  type CustodyAsset,
  type DepositRow,
  DepositState,
  type PageQuery,
  type WithdrawalRow,
  WithdrawalStage,
} from "../../../ports/ledger/custody.ts";
import { assetNamed, type NamedAsset, namedAssets } from "../fapi/collateral-name.ts";
import { marketsOf } from "../requests/read-request.ts";
import { openRoute, readRoute, routeGroup } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { illegalParameter, ledgerUnreached, refused } from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { ratesOf } from "./commission-text.ts";
import { listText } from "./render.ts";

/** Name of the only network, as clients show it. */
const network = "CANTON";

/** An answer takes at most `pagesMax` statements, each of which reads at most `pageRows` rows. */
const pageRows = 1000;
const pagesMax = 10;

/** Time range of a query without a start time (Binance: 90 days). */
const rangeMs = 7_776_000_000;

/** Binance's codes of deposit states: 0 pending, 1 credited, 2 rejected, 7 waiting for the operator. */
const depositCodes: Readonly<Record<DepositState, number>> = {
  [DepositState.pending]: 0,
  [DepositState.credited]: 1,
  [DepositState.unclaimed]: 7,
  [DepositState.tooSmall]: 7,
  [DepositState.returning]: 7,
  [DepositState.returned]: 2,
};

/** Binance's codes of withdrawal states: 2 awaiting, 4 processing, 5 failed, 6 completed. */
const withdrawalCodes: Readonly<Record<WithdrawalStage, number>> = {
  [WithdrawalStage.submitted]: 2,
  [WithdrawalStage.requested]: 2,
  [WithdrawalStage.underWay]: 4,
  [WithdrawalStage.paid]: 4,
  [WithdrawalStage.givenUp]: 4,
  [WithdrawalStage.completed]: 6,
  [WithdrawalStage.failed]: 5,
};

interface MoveFilter {
  readonly coin?: string | undefined;
  readonly status?: number | undefined;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** One deposit or withdrawal, as these routes use it. */
interface Move {
  readonly id: number;
  readonly asset: number;
  readonly code: number;
  readonly atMs: number;
  readonly text: string;
}

/** A time as `YYYY-MM-DD HH:MM:SS`, UTC. */
function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

function coinText(
  { model }: RouteContext,
  { name, asset }: NamedAsset,
  terms: CustodyAsset | null,
  account: number,
): string {
  const { balances } = model.state;
  const amount = (units: bigint) => formatScaled(units, asset.decimals);
  const isAlias = name !== asset.code;
  // USDC has a second row, under the name that perpetuals give it. That row shows the balance in the perp wallet.
  const wallet = isAlias ? Wallet.perp : Wallet.spot;
  const locked = balances.reserved(account, wallet, asset.id);
  const free = balances.total(account, wallet, asset.id) - locked;
  const isOpen = terms !== null;
  const step = amount(1n);
  const networkText =
    `{"network":"${network}","coin":"${name}","name":"${network}","isDefault":true` +
    `,"depositEnable":${isOpen},"withdrawEnable":${isOpen}` +
    `,"withdrawFee":"${amount(terms?.withdrawalFee ?? 0n)}"` +
    `,"withdrawMin":"${amount(terms?.withdrawalMin ?? 1n)}","withdrawMax":"9999999999"` +
    `,"withdrawIntegerMultiple":"${step}","depositDust":"${amount(terms?.depositMin ?? 1n)}"}`;
  return (
    `{"coin":"${name}","name":"${name}","trading":true,"isLegalMoney":false` +
    `,"depositAllEnable":${isOpen},"withdrawAllEnable":${isOpen},"free":"${amount(free)}"` +
    `,"locked":"${amount(locked)}","freeze":"${amount(0n)}","withdrawing":"${amount(0n)}"` +
    `,"ipoing":"${amount(0n)}","ipoable":"${amount(0n)}","storage":"${amount(0n)}"` +
    `,"networkList":[${networkText}]}`
  );
}

function depositMove({ table }: RouteContext, row: DepositRow): Move {
  const { depositId, asset, amount, state, updateId, recordedMs } = row;
  const { code, decimals } = table.asset(asset);
  const status = depositCodes[state];
  const text =
    `{"id":"${publicId(PublicIdKind.deposit, depositId, recordedMs)}"` +
    `,"amount":"${formatScaled(amount, decimals)}","coin":"${code}","network":"${network}"` +
    `,"status":${status},"address":"","addressTag":"","txId":${JSON.stringify(updateId)}` +
    `,"insertTime":${recordedMs},"completeTime":${recordedMs},"transferType":0` +
    `,"confirmTimes":"1/1","unlockConfirm":0,"walletType":1}`;
  return { id: depositId, asset, code: status, atMs: recordedMs, text };
}

function withdrawalMove({ table }: RouteContext, row: WithdrawalRow): Move {
  const { withdrawalId, asset, amount, fee, destination, createdMs, stage, updateId } = row;
  const { code, decimals } = table.asset(asset);
  const status = withdrawalCodes[stage];
  const text =
    `{"id":"${publicId(PublicIdKind.withdrawal, withdrawalId, createdMs)}"` +
    `,"amount":"${formatScaled(amount - fee, decimals)}","transactionFee":"${formatScaled(fee, decimals)}"` +
    `,"coin":"${code}","status":${status},"address":${JSON.stringify(destination)}` +
    `,"txId":${JSON.stringify(updateId ?? "")},"applyTime":"${clockText(createdMs)}"` +
    `,"network":"${network}","transferType":0,"withdrawOrderId":"","info":"","confirmNo":1` +
    `,"walletType":0,"txKey":""}`;
  return { id: withdrawalId, asset, code: status, atMs: createdMs, text };
}

/** The deposits or withdrawals that match the query, newest first. */
async function movesText(
  { table, clock }: RouteContext,
  { view }: HttpCall,
  { coin, status, offset, limit, startTime, endTime }: MoveFilter,
  read: (page: Omit<PageQuery, "account">) => Promise<Move[]>,
): Promise<string> {
  const asset = coin === undefined ? null : assetNamed(table, view, coin);
  if (asset === undefined) refused(illegalParameter("coin"));
  const endMs = endTime ?? clock.nowMs();
  const startMs = startTime ?? endMs - rangeMs;
  const isRequested = ({ asset: id, code, atMs }: Move) =>
    (asset === null || id === asset.id) &&
    (status === undefined || code === status) &&
    atMs >= startMs &&
    atMs <= endMs;
  const moves = await movesOf(read, { isRequested, startMs, count: offset + limit });
  return listText(moves.slice(offset, offset + limit).map(({ text }) => text));
}

/** The newest matching deposits or withdrawals, read in at most `pagesMax` pages until `count` are found. */
async function movesOf(
  read: (page: Omit<PageQuery, "account">) => Promise<Move[]>,
  {
    isRequested,
    startMs,
    count,
  }: { isRequested: (move: Move) => boolean; startMs: number; count: number },
): Promise<Move[]> {
  const found: Move[] = [];
  let before: number | null = null;
  for (let page = 0; page < pagesMax && found.length < count; page++) {
    const rows: Move[] = await read({ before, limit: pageRows });
    found.push(...rows.filter(isRequested));
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows || last.atMs < startMs) break;
    before = last.id;
  }
  return found;
}

/** A rate with four decimals: one basis point is 0.0001. */
function shortRate(bps: number): string {
  return formatScaled(bps, 4);
}

function feeText({ model }: RouteContext, account: number, market: Market): string {
  const { makerBps, takerBps } = ratesOf(model.state, account, market);
  return (
    `{"symbol":"${market.symbol}","makerCommission":"${shortRate(makerBps)}"` +
    `,"takerCommission":"${shortRate(takerBps)}"}`
  );
}

function termsOf({ custody }: RouteContext, named: readonly NamedAsset[]) {
  return Promise.all(named.map(({ asset }) => custody.asset(asset.id)));
}

/** The routes under /sapi that move no money, and the one under /dapi. */
export const sapiWalletRoutes = routeGroup((context) => context)([
  readRoute("GET /sapi/v1/margin/allPairs", {
    summary: "Always empty: the venue has no margin trading.",
    answer: () => "[]",
  }),
  readRoute("GET /sapi/v1/margin/isolated/allPairs", {
    summary: "Always empty: the venue has no margin trading.",
    answer: () => "[]",
  }),
  openRoute("GET /sapi/v1/system/status", {
    summary: "System status.",
    answer: () => '{"status":0,"msg":"normal"}',
  }),
  readRoute("GET /sapi/v1/asset/tradeFee", {
    summary: "Commission rates.",
    reads: maybeSymbol,
    answer: (context, _, { symbol }, { account }) =>
      listText(
        marketsOf(context.table, MarketKind.spot, symbol).map((market) =>
          feeText(context, account, market),
        ),
      ),
  }),
  readRoute("GET /sapi/v1/capital/config/getall", {
    summary: "Assets, their network, and spot balances.",
    answer: async (context, { view }, _, { account }) => {
      const named = namedAssets(context.table, view);
      const allTerms = await termsOf(context, named);
      return listText(
        named.map((one, at) => coinText(context, one, allTerms[at] ?? null, account)),
      );
    },
  }),
  readRoute("GET /sapi/v1/asset/assetDetail", {
    summary: "Deposit and withdrawal terms of assets.",
    reads: sapiAssets,
    form: "byAsset",
    answer: async (context, { view }, params) => {
      const all = namedAssets(context.table, view);
      const named = all.filter(({ name }) => params.asset === undefined || name === params.asset);
      if (named.length === 0) refused(illegalParameter("asset"));
      const allTerms = await termsOf(context, named);
      const rows = named.map(({ name, asset }, at) => {
        const terms = allTerms[at] ?? null;
        const amount = (units: bigint | undefined) => formatScaled(units ?? 0n, asset.decimals);
        return (
          `"${name}":{"minWithdrawAmount":"${amount(terms?.withdrawalMin)}"` +
          `,"depositStatus":${terms !== null},"withdrawFee":${Number(amount(terms?.withdrawalFee))}` +
          `,"withdrawStatus":${terms !== null}}`
        );
      });
      return `{${rows.join(",")}}`;
    },
  }),
  readRoute("GET /sapi/v1/capital/deposit/address", {
    summary: "Deposit address and reference of an asset.",
    weight: 10,
    reads: sapiAddress,
    example: "coin=USDC",
    answer: async ({ table, custody }, { view }, { coin }, { account }) => {
      const asset = assetNamed(table, view, coin) ?? refused(illegalParameter("coin"));
      const terms = (await custody.asset(asset.id)) ?? refused(ledgerUnreached);
      const address = JSON.stringify(terms.custody);
      const tag = depositReference(account);
      return `{"address":${address},"coin":"${coin}","tag":"${tag}","url":""}`;
    },
  }),
  readRoute("GET /sapi/v1/capital/deposit/hisrec", {
    summary: "Deposits of the account, newest first.",
    weight: 10,
    reads: sapiDeposits,
    answer: (context, call, params, { account }) =>
      movesText(context, call, params, async (page) => {
        const rows = await context.custody.deposits({ account, ...page });
        return rows.map((row) => depositMove(context, row));
      }),
  }),
  readRoute("GET /sapi/v1/capital/withdraw/history", {
    summary: "Withdrawals of the account, newest first.",
    weight: 10,
    reads: sapiWithdrawals,
    answer: (context, call, params, { account }) =>
      movesText(context, call, params, async (page) => {
        const rows = await context.custody.withdrawals({ account, ...page });
        return rows.map((row) => withdrawalMove(context, row));
      }),
  }),
  readRoute("GET /sapi/v1/account/apiRestrictions", {
    summary: "Permissions, address restrictions and expiry of the key.",
    answer: async ({ model: { state }, keys }, _, __, { account, keyId }) => {
      const { permissions = 0, expiresUs = 0 } = state.keys.get(keyId) ?? {};
      const may = (permission: number) => isPermitted(permissions, permission);
      const isFree = state.accounts.has(account, AccountFlag.canWithdraw);
      const key = await keys.find(keyId);
      const createdMs = Math.floor((key?.createdUs ?? 0) / 1000);
      const transfers = may(KeyPermission.transfer);
      const expiry =
        expiresUs === 0 ? "" : `,"tradingAuthorityExpirationTime":${Math.floor(expiresUs / 1000)}`;
      return (
        `{"ipRestrict":${(key?.allowedRanges.length ?? 0) > 0},"createTime":${createdMs}` +
        `,"enableReading":${may(KeyPermission.read)},"enableSpotAndMarginTrading":${may(KeyPermission.tradeSpot)}` +
        `,"enableFutures":${may(KeyPermission.tradePerpetual)},"enableWithdrawals":${may(KeyPermission.withdraw) && isFree}` +
        `,"enableInternalTransfer":${transfers},"permitsUniversalTransfer":${transfers},"enableMargin":false` +
        `,"enableVanillaOptions":false,"enablePortfolioMarginTrading":false` +
        `,"enableFixApiTrade":false,"enableFixReadOnly":false${expiry}}`
      );
    },
  }),
  openRoute("GET /dapi/v1/exchangeInfo", {
    summary:
      "Always empty: the venue has no coin-margined markets. ccxt calls this route while it loads markets.",
    answer: () => '{"symbols":[]}',
  }),
]);
