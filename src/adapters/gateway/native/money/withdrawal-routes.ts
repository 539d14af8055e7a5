// POST /v1/withdrawals and its lists: money from the spot wallet to a party on the ledger, once for each
// idempotency key. The order of what is checked: the key, the request itself, the account, the fee quote,
// the payee, and then clearing, which alone knows the balance. Until clearing is asked nothing is done.

import { createHash } from "node:crypto";
import type * as z from "zod";
import { depositsQuery, withdrawalBody } from "../../../../../schemas/http/native-money.ts";
import { AccountFlag } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, parsePublicId, publicId } from "../../../../core/ids/public-id.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { toLedgerAmount } from "../../../../core/money/ledger-amount.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import {
  type CustodyPlace,
  type PayeeAnswer,
  type WithdrawalRow,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import { notExecuted, type SurfaceError, unexpected } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { amountBelow, nativeErrors, nativeFaults } from "../error-map.ts";
import {
  afterwards,
  answerWith,
  askClearing,
  isoOfMs,
  type NativeContext,
  type Outcome,
} from "../native-context.ts";
import { type NativeAsk, type NativeRoute, sessionRoute, uuidRoute } from "../native-route.ts";
import { pageText } from "../page-text.ts";
import { bodyReader, queryReader } from "../read-body.ts";
import { isKeyText, requestKeyOf } from "../trading/request-key.ts";
import { type Sum, sumOf } from "./money-request.ts";

type Asked = z.output<typeof withdrawalBody>;

const readWithdrawal = bodyReader(withdrawalBody);
const readList = queryReader(depositsQuery);

const partyForm = /^[A-Za-z0-9_.-]{1,120}::1220[0-9a-f]{64}$/;

const stageNames: Readonly<Record<WithdrawalStage, string>> = {
  [WithdrawalStage.asked]: "requested",
  [WithdrawalStage.requested]: "requested",
  [WithdrawalStage.underWay]: "processing",
  [WithdrawalStage.paid]: "processing",
  [WithdrawalStage.givenUp]: "processing",
  [WithdrawalStage.completed]: "completed",
  [WithdrawalStage.failed]: "failed",
};

const payeeFaults: Readonly<Record<Exclude<PayeeAnswer, "able">, SurfaceError>> = {
  unable: nativeFaults.destinationUnable,
  unknown: nativeFaults.destinationUnknown,
  unavailable: nativeFaults.eligibilityUnavailable,
  timeout: nativeFaults.withdrawalTimeout,
  unmapped: nativeFaults.bridgeFault,
};

/** What of a withdrawal its client is shown. */
type ShownWithdrawal = Pick<
  WithdrawalRow,
  "withdrawalId" | "createdMs" | "stage" | "asset" | "amount" | "fee" | "destination" | "updateId"
>;

/** Whether the client has been told that its request took too long. */
interface RequestTime {
  isOver: boolean;
}

class WithdrawalRoutes {
  readonly #context: NativeContext;

  constructor(context: NativeContext) {
    this.#context = context;
  }

  request(call: HttpCall, { account }: SessionState): void {
    const asked = readWithdrawal(call);
    if (asked === null) return;
    const { withdrawalTimeoutMs } = this.#context;
    const time: RequestTime = { isOver: false };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => {
        time.isOver = true;
        resolve(nativeFaults.withdrawalTimeout);
      }, withdrawalTimeoutMs);
    });
    const work = this.#request(account, asked, time).finally(() => clearTimeout(timer));
    // What clearing was asked before the time goes on, and is found again under the same key.
    answerWith(this.#context, call, Promise.race([work, late]));
  }

  show(call: HttpCall, { path }: NativeAsk, { account }: SessionState): void {
    answerWith(this.#context, call, this.#show(account, path["wid"] ?? ""));
  }

  list(call: HttpCall, asked: NativeAsk, { account }: SessionState): void {
    const query = readList(call, asked.parameters);
    if (query === null) return;
    const { limit, cursor } = query;
    answerWith(this.#context, call, this.#list(account, limit, cursor ?? null));
  }

  async #request(account: number, asked: Asked, time: RequestTime): Promise<Outcome> {
    const { custody, table } = this.#context;
    const { idempotency_key: key, destination } = asked;
    if (!isKeyText(key)) return nativeFaults.badIdempotencyKey;
    const sum = sumOf(table, asked);
    const earlier = await custody.withdrawalByKey(account, key);
    if (earlier !== null) return this.#again(earlier, sum, destination);
    if ("status" in sum) return sum;
    if (!partyForm.test(destination)) return nativeFaults.badDestination;
    const refusal = this.#standingFault(account);
    if (refusal !== undefined) return refusal;
    const place = await this.#quote(sum);
    if ("status" in place) return place;
    if (destination === place.custody) return nativeFaults.badDestination;
    if (sum.amount < place.withdrawalMin)
      return amountBelow(place.withdrawalMin, sum.asset.decimals);
    const units = toLedgerAmount(sum.amount - place.withdrawalFee, sum.asset.decimals);
    const payee = await this.#context.payees.ask(place, destination, units);
    if (payee !== "able") return payeeFaults[payee];
    // Its client was told that it timed out: what had not begun by then never does.
    if (time.isOver) return nativeFaults.withdrawalTimeout;
    return this.#ask(account, key, sum, place.withdrawalFee, destination);
  }

  /** Said before anything is asked of the ledger; clearing says it again. */
  #standingFault(account: number): SurfaceError | undefined {
    const { accounts } = this.#context.model.state;
    if (accounts.isWallet(account)) return nativeFaults.spotWithdrawalsDisabled;
    if (!accounts.has(account, AccountFlag.canWithdraw)) return nativeFaults.withdrawalDenied;
    const isFrozen = accounts.isFrozen(account);
    return isFrozen ? nativeErrors[RejectReason.accountFrozen] : undefined;
  }

  /** The venue's terms, while the ledger has answered of late. */
  async #quote({ asset }: Sum): Promise<CustodyPlace | SurfaceError> {
    const { custody, clock, quoteMaxAgeMs } = this.#context;
    const place = await custody.place(asset.id);
    const isFresh = place !== null && clock.nowMs() - place.quotedMs <= quoteMaxAgeMs;
    return isFresh ? place : nativeFaults.feeQuoteUnavailable;
  }

  async #ask(
    account: number,
    key: string,
    { asset, amount }: Sum,
    fee: bigint,
    destination: string,
  ): Promise<Outcome> {
    const { custody, clock, bridge } = this.#context;
    const createdMs = clock.nowMs();
    const terms = { asset: asset.id, amount, fee };
    const row = { account, key, ...terms, destination, createdMs };
    const withdrawalId = await custody.addWithdrawal(row);
    const digest = createHash("sha256").update(destination).digest();
    const answer = await askClearing(bridge, {
      kind: CommandKind.requestWithdrawal,
      account,
      withdrawalId,
      ...terms,
      destinationHigh: digest.readBigInt64BE(0),
      destinationLow: digest.readBigInt64BE(8),
      key: requestKeyOf("withdrawal", key, `${asset.code} ${amount} ${destination}`),
    });
    if (answer === null || answer.reason !== RejectReason.none) {
      afterwards(this.#context, custody.dropWithdrawal(withdrawalId));
      if (answer === null) return notExecuted;
      return answer.reason === RejectReason.insufficientBalance
        ? nativeFaults.spotBalanceShort
        : nativeErrors[answer.reason];
    }
    if (answer.isRepeated) {
      // Another request with the key was first: this one's row is nobody's.
      afterwards(this.#context, custody.dropWithdrawal(withdrawalId));
      const first = await custody.withdrawalAt(account, answer.subject);
      return first === null ? unexpected : this.#again(first, { asset, amount }, destination);
    }
    // It is committed: settlement takes the row where this cannot.
    const taking = custody.takeWithdrawal(withdrawalId, answer.subject);
    await taking.catch((fault: unknown) => {
      this.#context.log.error({ err: fault, withdrawalId }, "settlement takes the withdrawal");
    });
    const { requested: stage } = WithdrawalStage;
    return JSON.stringify(this.#shown({ ...row, withdrawalId, stage, updateId: null }));
  }

  /** The original, where the request is the same one. */
  #again(earlier: WithdrawalRow, sum: Sum | SurfaceError, destination: string): Outcome {
    const isSame =
      !("status" in sum) &&
      earlier.asset === sum.asset.id &&
      earlier.amount === sum.amount &&
      earlier.destination === destination;
    return isSame ? JSON.stringify(this.#shown(earlier)) : nativeFaults.withdrawalKeyReused;
  }

  async #show(account: number, id: string): Promise<Outcome> {
    const named = parsePublicId(PublicIdKind.withdrawal, id);
    const row =
      named === null ? null : await this.#context.custody.withdrawal(account, named.number);
    if (row === null || row.createdMs !== named?.bornMs) return nativeFaults.withdrawalUnknown;
    return JSON.stringify(this.#shown(row));
  }

  async #list(account: number, limit: number, before: number | null): Promise<Outcome> {
    const rows = await this.#context.custody.withdrawals({ account, before, limit: limit + 1 });
    return pageText(
      rows,
      limit,
      (row) => this.#shown(row),
      ({ withdrawalId }) => withdrawalId,
    );
  }

  #shown(row: ShownWithdrawal): object {
    const { code, decimals } = this.#context.table.asset(row.asset);
    return {
      withdrawal_id: publicId(PublicIdKind.withdrawal, row.withdrawalId, row.createdMs),
      status: stageNames[row.stage],
      asset: code,
      amount: formatScaled(row.amount, decimals),
      fee: formatScaled(row.fee, decimals),
      destination: row.destination,
      created_at: isoOfMs(row.createdMs),
      update_id: row.updateId,
    };
  }
}

/** Asking for withdrawals, and what became of them. */
export function withdrawalRoutes(context: NativeContext): NativeRoute[] {
  const routes = new WithdrawalRoutes(context);
  return [
    sessionRoute("POST /v1/withdrawals", (call, _, session) => routes.request(call, session), {
      weight: 5,
    }),
    sessionRoute(
      "GET /v1/withdrawals",
      (call, asked, session) => routes.list(call, asked, session),
      { weight: 5 },
    ),
    uuidRoute("GET /v1/withdrawals/{wid}", (call, asked, session) =>
      routes.show(call, asked, session),
    ),
  ];
}
