// What came from the ledger and went to it, as Binance's wallet routes show it: terms of assets, where deposits go,
// deposits and withdrawals; and what the key of a request may do. Where there is no ledger nothing can be deposited,
// and the terms say so.

import {
  sapiAddress,
  sapiAssets,
  sapiDeposits,
  sapiWithdrawals,
} from "../../../../schemas/http/sapi.ts";
import { AccountFlag, KeyPermission, Wallet } from "../../../core/accounts.ts";
import { depositReference } from "../../../core/ids/deposit-reference.ts";
import { PublicIdKind, publicId } from "../../../core/ids/public-id.ts";
import { formatScaled } from "../../../core/money/decimal.ts";
import type { KeyStore } from "../../../ports/access/key-store.ts";
import {
  type CustodyDoor,
  type CustodyPlace,
  type DepositRow,
  DepositState,
  type PageQuery,
  type WithdrawalRow,
  WithdrawalStage,
} from "../../../ports/ledger/custody.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { answerLater } from "../requests/answer-later.ts";
import { parameterReader } from "../requests/read-parameters.ts";
import type { Caller, Route, RouteContext } from "../requests/route.ts";
import { illegalParameter, ledgerUnreached, refuse } from "../requests/surface-error.ts";
import { readRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { assetNamed, type NamedAsset, namedAssets } from "./collateral-alias.ts";
import { listText } from "./render.ts";

const readAssets = parameterReader(sapiAssets);
const readAddress = parameterReader(sapiAddress);
const readDeposits = parameterReader(sapiDeposits);
const readWithdrawals = parameterReader(sapiWithdrawals);

/** The one network assets live on, by the name clients show. */
const network = "CANTON";

/** Rows read at once, and at most, for one answer. */
const pageRows = 1000;
const pagesMax = 10;

/** How far back an answer looks that names no time (Binance: 90 days). */
const rangeMs = 7_776_000_000;

/** Binance's codes: 0 pending, 1 credited, 2 rejected, 7 a deposit that needs a word with the operator. */
const depositCodes: Readonly<Record<DepositState, number>> = {
  [DepositState.pending]: 0,
  [DepositState.credited]: 1,
  [DepositState.unclaimed]: 7,
  [DepositState.tooSmall]: 7,
  [DepositState.returning]: 7,
  [DepositState.returned]: 2,
};

/** Binance's codes: 2 awaiting, 4 processing, 5 failed, 6 completed. */
const withdrawalCodes: Readonly<Record<WithdrawalStage, number>> = {
  [WithdrawalStage.asked]: 2,
  [WithdrawalStage.requested]: 2,
  [WithdrawalStage.underWay]: 4,
  [WithdrawalStage.paid]: 4,
  [WithdrawalStage.givenUp]: 4,
  [WithdrawalStage.completed]: 6,
  [WithdrawalStage.failed]: 5,
};

/** What the wallet routes need beside what all routes do. */
export interface WalletStores {
  readonly custody: CustodyDoor;
  readonly keys: Pick<KeyStore, "find">;
}

interface AskedMoves {
  readonly coin?: string | undefined;
  readonly status?: number | undefined;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** One deposit or withdrawal as these routes look at it. */
interface Move {
  readonly id: number;
  readonly asset: number;
  readonly code: number;
  readonly atMs: number;
  readonly text: string;
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

class CustodyRoutes {
  readonly #context: RouteContext;
  readonly #stores: WalletStores;

  constructor(context: RouteContext, stores: WalletStores) {
    this.#context = context;
    this.#stores = stores;
  }

  coins(call: HttpCall, { account }: Caller): void {
    const named = namedAssets(this.#context.table, call.view);
    answerLater(this.#context, call, this.#places(named), (places) =>
      call.json(listText(named.map((one, at) => this.#coinText(one, places[at] ?? null, account)))),
    );
  }

  details(call: HttpCall, parameters: RequestParameters): void {
    const asked = readAssets(call, parameters);
    if (asked === null) return;
    const all = namedAssets(this.#context.table, call.view);
    const named = all.filter(({ name }) => asked.asset === undefined || name === asked.asset);
    if (named.length === 0) {
      refuse(call, illegalParameter("asset"));
      return;
    }
    answerLater(this.#context, call, this.#places(named), (places) => {
      const rows = named.map(({ name, asset }, at) => {
        const place = places[at] ?? null;
        const amount = (units: bigint | undefined) => formatScaled(units ?? 0n, asset.decimals);
        return (
          `"${name}":{"minWithdrawAmount":"${amount(place?.withdrawalMin)}"` +
          `,"depositStatus":${place !== null},"withdrawFee":${Number(amount(place?.withdrawalFee))}` +
          `,"withdrawStatus":${place !== null}}`
        );
      });
      call.json(`{${rows.join(",")}}`);
    });
  }

  address(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readAddress(call, parameters);
    if (asked === null) return;
    const { coin } = asked;
    const asset = assetNamed(this.#context.table, call.view, coin);
    if (asset === undefined) {
      refuse(call, illegalParameter("coin"));
      return;
    }
    answerLater(this.#context, call, this.#stores.custody.place(asset.id), (place) => {
      if (place === null) {
        refuse(call, ledgerUnreached);
        return;
      }
      const address = JSON.stringify(place.custody);
      const tag = depositReference(account);
      call.json(`{"address":${address},"coin":"${coin}","tag":"${tag}","url":""}`);
    });
  }

  deposits(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readDeposits(call, parameters);
    if (asked === null) return;
    this.#answerMoves(call, asked, async (page) => {
      const rows = await this.#stores.custody.deposits({ account, ...page });
      return rows.map((row) => this.#deposit(row));
    });
  }

  withdrawals(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readWithdrawals(call, parameters);
    if (asked === null) return;
    this.#answerMoves(call, asked, async (page) => {
      const rows = await this.#stores.custody.withdrawals({ account, ...page });
      return rows.map((row) => this.#withdrawal(row));
    });
  }

  restrictions(call: HttpCall, { account, keyId }: Caller): void {
    const { state } = this.#context.model;
    const permissions = state.keys.get(keyId)?.permissions ?? 0;
    const may = (permission: number) => (permissions & permission) !== 0;
    const isFree = state.accounts.has(account, AccountFlag.canWithdraw);
    answerLater(this.#context, call, this.#stores.keys.find(keyId), (key) => {
      const createdMs = Math.floor((key?.createdUs ?? 0) / 1000);
      const trades = may(KeyPermission.trade);
      call.json(
        `{"ipRestrict":${(key?.allowedRanges.length ?? 0) > 0},"createTime":${createdMs}` +
          `,"enableReading":${may(KeyPermission.read)},"enableSpotAndMarginTrading":${trades}` +
          `,"enableFutures":${trades},"enableWithdrawals":${may(KeyPermission.withdraw) && isFree}` +
          `,"enableInternalTransfer":${trades},"permitsUniversalTransfer":${trades},"enableMargin":false` +
          `,"enableVanillaOptions":false,"enablePortfolioMarginTrading":false` +
          `,"enableFixApiTrade":false,"enableFixReadOnly":false}`,
      );
    });
  }

  #places(named: readonly NamedAsset[]): Promise<(CustodyPlace | null)[]> {
    return Promise.all(named.map(({ asset }) => this.#stores.custody.place(asset.id)));
  }

  #coinText({ name, asset }: NamedAsset, place: CustodyPlace | null, account: number): string {
    const { balances } = this.#context.model.state;
    const amount = (units: bigint) => formatScaled(units, asset.decimals);
    const isAlias = name !== asset.code;
    // The collateral of perpetuals has the wallet of perpetuals under its other name.
    const wallet = isAlias ? Wallet.perp : Wallet.spot;
    const locked = balances.reserved(account, wallet, asset.id);
    const free = balances.total(account, wallet, asset.id) - locked;
    const isOpen = place !== null;
    const step = amount(1n);
    const networkText =
      `{"network":"${network}","coin":"${name}","name":"${network}","isDefault":true` +
      `,"depositEnable":${isOpen},"withdrawEnable":${isOpen}` +
      `,"withdrawFee":"${amount(place?.withdrawalFee ?? 0n)}"` +
      `,"withdrawMin":"${amount(place?.withdrawalMin ?? 1n)}","withdrawMax":"9999999999"` +
      `,"withdrawIntegerMultiple":"${step}","depositDust":"${amount(place?.depositMin ?? 1n)}"}`;
    return (
      `{"coin":"${name}","name":"${name}","trading":true,"isLegalMoney":false` +
      `,"depositAllEnable":${isOpen},"withdrawAllEnable":${isOpen},"free":"${amount(free)}"` +
      `,"locked":"${amount(locked)}","freeze":"${amount(0n)}","withdrawing":"${amount(0n)}"` +
      `,"ipoing":"${amount(0n)}","ipoable":"${amount(0n)}","storage":"${amount(0n)}"` +
      `,"networkList":[${networkText}]}`
    );
  }

  #deposit({ depositId, asset, amount, state, updateId, recordedMs }: DepositRow): Move {
    const { code, decimals } = this.#context.table.asset(asset);
    const status = depositCodes[state];
    const text =
      `{"id":"${publicId(PublicIdKind.deposit, depositId, recordedMs)}"` +
      `,"amount":"${formatScaled(amount, decimals)}","coin":"${code}","network":"${network}"` +
      `,"status":${status},"address":"","addressTag":"","txId":${JSON.stringify(updateId)}` +
      `,"insertTime":${recordedMs},"completeTime":${recordedMs},"transferType":0` +
      `,"confirmTimes":"1/1","unlockConfirm":0,"walletType":1}`;
    return { id: depositId, asset, code: status, atMs: recordedMs, text };
  }

  #withdrawal(row: WithdrawalRow): Move {
    const { withdrawalId, asset, amount, fee, destination, createdMs, stage, updateId } = row;
    const { code, decimals } = this.#context.table.asset(asset);
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

  #answerMoves(
    call: HttpCall,
    asked: AskedMoves,
    read: (page: Omit<PageQuery, "account">) => Promise<Move[]>,
  ): void {
    const { table, clock } = this.#context;
    const { coin, status, offset, limit } = asked;
    const asset = coin === undefined ? null : assetNamed(table, call.view, coin);
    if (asset === undefined) {
      refuse(call, illegalParameter("coin"));
      return;
    }
    const endMs = asked.endTime ?? clock.nowMs();
    const startMs = asked.startTime ?? endMs - rangeMs;
    const isAsked = ({ asset: id, code, atMs }: Move) =>
      (asset === null || id === asset.id) &&
      (status === undefined || code === status) &&
      atMs >= startMs &&
      atMs <= endMs;
    const reading = movesOf(read, { isAsked, startMs, count: offset + limit });
    answerLater(this.#context, call, reading, (moves) =>
      call.json(listText(moves.slice(offset, offset + limit).map(({ text }) => text))),
    );
  }
}

/** The newest moves that are asked for, read page by page until `count` are found or time has passed them. */
async function movesOf(
  read: (page: Omit<PageQuery, "account">) => Promise<Move[]>,
  { isAsked, startMs, count }: { isAsked: (move: Move) => boolean; startMs: number; count: number },
): Promise<Move[]> {
  const found: Move[] = [];
  let before: number | null = null;
  for (let page = 0; page < pagesMax && found.length < count; page++) {
    const rows: Move[] = await read({ before, limit: pageRows });
    found.push(...rows.filter(isAsked));
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows || last.atMs < startMs) break;
    before = last.id;
  }
  return found;
}

/** The routes about money on the ledger, and about keys. */
export function sapiCustodyRoutes(context: RouteContext, stores: WalletStores): Route[] {
  const routes = new CustodyRoutes(context, stores);
  return [
    readRoute("GET /sapi/v1/capital/config/getall", (call, _, caller) =>
      routes.coins(call, caller),
    ),
    readRoute("GET /sapi/v1/asset/assetDetail", (call, parameters) =>
      routes.details(call, parameters),
    ),
    readRoute("GET /sapi/v1/capital/deposit/address", (call, parameters, caller) =>
      routes.address(call, parameters, caller),
    ),
    readRoute("GET /sapi/v1/capital/deposit/hisrec", (call, parameters, caller) =>
      routes.deposits(call, parameters, caller),
    ),
    readRoute("GET /sapi/v1/capital/withdraw/history", (call, parameters, caller) =>
      routes.withdrawals(call, parameters, caller),
    ),
    readRoute("GET /sapi/v1/account/apiRestrictions", (call, _, caller) =>
      routes.restrictions(call, caller),
    ),
  ];
}
