// Deposits and withdrawals. The deposit routes show the address and reference to use, and the state of deposits that
// arrived; the settlement thread credits deposits. The withdrawal routes pay from the spot wallet to a party on the
// ledger, once per idempotency key. A withdrawal is checked in this order: idempotency key, request, account, fee
// quote, payee. Then clearing checks the balance. Nothing is changed before the command is sent to clearing.

import { createHash } from "node:crypto";
import type * as z from "zod";
import { addressQuery, depositsQuery, withdrawalBody } from "../../../../../schemas/http/native.ts";
import { AccountFlag } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { depositReference } from "../../../../core/ids/deposit-reference.ts";
import { partyForm } from "../../../../core/ids/party-form.ts";
import { PublicIdKind, parsePublicId, publicId } from "../../../../core/ids/public-id.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { toLedgerAmount } from "../../../../core/money/ledger-amount.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import {
  type CustodyAsset,
  type DepositRow,
  DepositState,
  type NewWithdrawal,
  type PayeeAnswer,
  type WithdrawalRow,
  WithdrawalStage,
} from "../../../../ports/ledger/custody.ts";
import { requestKeyOf } from "../../requests/request-key.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import {
  notExecuted,
  refused,
  type SurfaceError,
  unexpected,
} from "../../requests/surface-error.ts";
import { amountBelow, nativeErrors, nativeFaults } from "../error-map.ts";
import { afterwards, isKeyText, isoOfMs, pageText, submitCommand } from "../native-context.ts";
import { type Sum, sumOf } from "./money-request.ts";

type WithdrawalBody = z.output<typeof withdrawalBody>;

const stageNames: Readonly<Record<WithdrawalStage, string>> = {
  [WithdrawalStage.submitted]: "requested",
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

/** The fields of a withdrawal that its client sees. */
type ShownWithdrawal = Pick<
  WithdrawalRow,
  "withdrawalId" | "createdMs" | "stage" | "asset" | "amount" | "fee" | "destination" | "updateId"
>;

/** `isOver` becomes true when the client has received the timeout error, `isSent` when clearing may get the command. */
interface RequestTime {
  isOver: boolean;
  isSent: boolean;
}

/** Refusals that are the ledger's, not the client's. The operator sees how many there were. Spec OPS-124. */
const ledgerFaults: ReadonlySet<Outcome> = new Set([
  nativeFaults.feeQuoteUnavailable,
  nativeFaults.eligibilityUnavailable,
  nativeFaults.withdrawalTimeout,
  nativeFaults.withdrawalUnanswered,
  nativeFaults.bridgeFault,
]);

/** So many refused withdrawals are remembered, so that each counts once. */
const refusedMax = 1_000;

class Withdrawals {
  readonly #context: RouteContext;
  /** Refused for the ledger: account and idempotency key. */
  readonly #refused = new Set<string>();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  request(account: number, params: WithdrawalBody): Promise<Outcome> {
    const { withdrawalTimeoutMs } = this.#context;
    const time: RequestTime = { isOver: false, isSent: false };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Outcome>((resolve) => {
      timer = setTimeout(() => {
        time.isOver = true;
        const { withdrawalUnanswered, withdrawalTimeout } = nativeFaults;
        resolve(time.isSent ? withdrawalUnanswered : withdrawalTimeout);
      }, withdrawalTimeoutMs);
    });
    const attempt = () => this.#request(account, params, time);
    // Clearing books one withdrawal for each idempotency key, so the work may be repeated.
    const work = this.#context.storeWait
      .result(time, attempt(), attempt)
      .finally(() => clearTimeout(timer));
    // A command already sent to clearing continues after the timeout, and a retry with the same idempotency key
    // returns its result.
    return Promise.race([work, late]).then((outcome) => {
      if (ledgerFaults.has(outcome)) this.#noteRefusal(`${account} ${params.idempotency_key}`);
      return outcome;
    });
  }

  /** Counts a withdrawal once, however often it is asked for with the same key. */
  #noteRefusal(withdrawal: string): void {
    if (this.#refused.has(withdrawal)) return;
    if (this.#refused.size >= refusedMax) this.#refused.clear();
    this.#refused.add(withdrawal);
    this.#context.ledgerRefusals.count++;
  }

  async #request(account: number, params: WithdrawalBody, time: RequestTime): Promise<Outcome> {
    const { custody, table } = this.#context;
    const { idempotency_key: key, destination } = params;
    if (!isKeyText(key)) return nativeFaults.badIdempotencyKey;
    const sum = sumOf(table, params);
    const earlier = await custody.withdrawalByKey(account, key);
    if (earlier !== null) return this.#again(earlier, sum, destination);
    if ("status" in sum) return sum;
    if (!partyForm.test(destination)) return nativeFaults.badDestination;
    const refusal = this.#accountFault(account);
    if (refusal !== undefined) return refusal;
    const terms = await this.#quote(sum);
    if ("status" in terms) return terms;
    if (destination === terms.custody) return nativeFaults.badDestination;
    if (sum.amount < terms.withdrawalMin)
      return amountBelow(terms.withdrawalMin, sum.asset.decimals);
    const units = toLedgerAmount(sum.amount - terms.withdrawalFee, sum.asset.decimals);
    const payee = await this.#context.payees.check(terms, destination, units);
    if (payee !== "able") return payeeFaults[payee];
    // The client has already received the timeout error, so do not start the withdrawal now.
    if (time.isOver) return nativeFaults.withdrawalTimeout;
    time.isSent = true;
    const requested = { account, key, destination, fee: terms.withdrawalFee };
    return this.#submit(requested, sum, time);
  }

  /**
   * Returns the fault if the account is not allowed to withdraw. This is checked before the ledger is queried, and
   * again by clearing.
   */
  #accountFault(account: number): SurfaceError | undefined {
    const { accounts } = this.#context.model.state;
    if (accounts.isWallet(account)) return nativeFaults.spotWithdrawalsDisabled;
    if (!accounts.has(account, AccountFlag.canWithdraw)) return nativeFaults.withdrawalDenied;
    const isFrozen = accounts.isFrozen(account);
    return isFrozen ? nativeErrors[RejectReason.accountFrozen] : undefined;
  }

  /** The venue's withdrawal terms, or the fault if the ledger has not answered recently. */
  async #quote({ asset }: Sum): Promise<CustodyAsset | SurfaceError> {
    const { custody, clock, quoteMaxAgeMs } = this.#context;
    const terms = await custody.asset(asset.id);
    const isFresh = terms !== null && clock.nowMs() - terms.quotedMs <= quoteMaxAgeMs;
    return isFresh ? terms : nativeFaults.feeQuoteUnavailable;
  }

  async #submit(
    {
      account,
      key,
      destination,
      fee,
    }: Pick<NewWithdrawal, "account" | "key" | "destination" | "fee">,
    { asset, amount }: Sum,
    time: RequestTime,
  ): Promise<Outcome> {
    const { custody, clock, bridge, storeWait } = this.#context;
    const createdMs = clock.nowMs();
    const terms = { asset: asset.id, amount, fee };
    const row = { account, key, ...terms, destination, createdMs };
    const withdrawalId = await custody.addWithdrawal(row);
    const digest = createHash("sha256").update(destination).digest();
    const answer = await submitCommand(bridge, {
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
      // Another request with the same idempotency key was stored first, so this row is unused.
      afterwards(this.#context, custody.dropWithdrawal(withdrawalId));
      const first = await custody.withdrawalAt(account, answer.subject);
      return first === null ? unexpected : this.#again(first, { asset, amount }, destination);
    }
    // The withdrawal is committed, and it can be read once its row is marked as accepted. If the database stays away,
    // settlement marks the row later.
    const take = () => custody.takeWithdrawal(withdrawalId, answer.subject);
    await storeWait.result(time, take(), take).catch((fault: unknown) => {
      this.#context.log.error(
        { err: fault, withdrawalId },
        "failed to mark a withdrawal as accepted; settlement retries",
      );
    });
    const { requested: stage } = WithdrawalStage;
    return JSON.stringify(this.#shown({ ...row, withdrawalId, stage, updateId: null }));
  }

  /** The earlier withdrawal with this idempotency key; a fault if this request has other content. */
  #again(earlier: WithdrawalRow, sum: Sum | SurfaceError, destination: string): Outcome {
    const isSame =
      !("status" in sum) &&
      earlier.asset === sum.asset.id &&
      earlier.amount === sum.amount &&
      earlier.destination === destination;
    return isSame ? JSON.stringify(this.#shown(earlier)) : nativeFaults.withdrawalKeyReused;
  }

  async show(account: number, id: string): Promise<Outcome> {
    const named = parsePublicId(PublicIdKind.withdrawal, id);
    const row =
      named === null ? null : await this.#context.custody.withdrawal(account, named.number);
    if (row === null || row.createdMs !== named?.bornMs) return nativeFaults.withdrawalUnknown;
    return JSON.stringify(this.#shown(row));
  }

  async list(account: number, limit: number, before: number | null): Promise<Outcome> {
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

const depositStates: Readonly<Record<DepositState, string>> = {
  [DepositState.pending]: "pending",
  [DepositState.credited]: "credited",
  [DepositState.unclaimed]: "unclaimed",
  [DepositState.tooSmall]: "below_minimum",
  [DepositState.returning]: "returning",
  [DepositState.returned]: "returned",
};

function shownDeposit({ table }: RouteContext, row: DepositRow): object {
  const { depositId, asset, amount, state, updateId, recordedMs } = row;
  const { code, decimals } = table.asset(asset);
  return {
    deposit_id: publicId(PublicIdKind.deposit, depositId, recordedMs),
    asset: code,
    amount: formatScaled(amount, decimals),
    status: depositStates[state],
    update_id: updateId,
    created_at: isoOfMs(recordedMs),
  };
}

/** Deposit addresses, and deposits with their state. */
export const depositRoutes = routeGroup((context) => context)([
  sessionRoute("GET /v1/deposits/address", {
    summary: "Deposit address and reference.",
    reads: addressQuery,
    faults: { 503: "The ledger network is unreachable; nothing was done." },
    example: "?asset=USDC",
    answer: async ({ table, custody }, _, { asset: code }, { account }) => {
      const asset = table.findAsset(code) ?? refused(nativeFaults.unknownAsset);
      const terms = (await custody.asset(asset.id)) ?? refused(nativeFaults.noLedger);
      return JSON.stringify({
        party_id: terms.custody,
        reference: depositReference(account),
        asset: asset.code,
        minimum: formatScaled(terms.depositMin, asset.decimals),
      });
    },
  }),
  sessionRoute("GET /v1/deposits", {
    summary: "The user's deposits, newest first.",
    reads: depositsQuery,
    weight: 5,
    answer: async (context, _, { limit, cursor: before = null }, { account }) => {
      const rows = await context.custody.deposits({ account, before, limit: limit + 1 });
      const show = (row: DepositRow) => shownDeposit(context, row);
      return pageText(rows, limit, show, ({ depositId }) => depositId);
    },
  }),
]);

/** Withdrawal requests, and withdrawals with their state. */
export const withdrawalRoutes = routeGroup((context) => new Withdrawals(context))([
  sessionRoute("POST /v1/withdrawals", {
    summary: "Withdraws from the spot wallet, once per idempotency key.",
    body: withdrawalBody,
    faults: {
      403: "The account may not withdraw, or is wallet-funded.",
      "409":
        "Insufficient spot balance, too many withdrawals in progress, or a destination that cannot receive it.",
      "502":
        "The idempotency_key was used for another withdrawal, or the ledger gave an unexpected answer.",
      503: "The fee quote or eligibility check is unavailable, or the ledger is unreachable; nothing was done.",
      504: "The ledger did not answer in time; query the withdrawal.",
    },
    example:
      '{"asset":"USDC","amount":"25","destination":"you::1220…","idempotency_key":"withdrawal-1"}',
    exampleNeeds: {
      what: "the party that receives the coins, instead of you::1220…, and coins in a wallet enrolled with the ledger",
      refusal: nativeFaults.badDestination.msg,
    },
    weight: 5,
    answer: (withdrawals, _, params, { account }) => withdrawals.request(account, params),
  }),
  sessionRoute("GET /v1/withdrawals", {
    summary: "The user's withdrawals, newest first.",
    reads: depositsQuery,
    weight: 5,
    answer: (withdrawals, _, { limit, cursor = null }, { account }) =>
      withdrawals.list(account, limit, cursor),
  }),
  sessionRoute("GET /v1/withdrawals/{wid}", {
    summary: "One withdrawal.",
    exampleName: "$(own GET /v1/withdrawals | field .items[0].withdrawal_id)",
    exampleNeeds: { what: "a withdrawal of the account", refusal: nativeFaults.notFound.msg },
    isByUuid: true,
    answer: (withdrawals, _, { wid }, { account }) => withdrawals.show(account, wid),
  }),
]);
