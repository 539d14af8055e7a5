// POST /v1/transfers: money between an account's own wallets, once per idempotency key. A repeated request
// returns the first transfer, read from the journal.

import type * as z from "zod";
import { transferBody, transfersQuery } from "../../../../../schemas/http/native.ts";
import { Wallet, walletNames } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import type { TransferRecord } from "../../../../ports/journal/history-store.ts";
import { msOf } from "../../orders/order-format.ts";
import { requestKeyOf } from "../../requests/request-key.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { type SurfaceError, unexpected } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import {
  isKeyText,
  isoOfUs,
  pageText,
  refusalOf,
  submitCommandWithTime,
} from "../native-context.ts";
import { fitsWallet, sumOf, walletOf } from "./money-request.ts";

type TransferBody = z.output<typeof transferBody>;

/** A transfer in codes and minor units. */
interface Terms {
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
}

/** Terms that move nothing: clearing then only looks up the idempotency key. */
const nothing: Terms = { from: Wallet.funding, to: Wallet.funding, asset: 0, amount: 0n };

class Transfers {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  async transfer(account: number, params: TransferBody): Promise<Outcome> {
    const text = params.idempotency_key;
    if (!isKeyText(text)) return nativeFaults.badIdempotencyKey;
    const terms = this.#termsOf(params);
    const fault = "status" in terms ? terms : undefined;
    const command = {
      kind: CommandKind.transfer,
      account,
      key: requestKeyOf("transfer", text, JSON.stringify(params)),
      ...("status" in terms ? nothing : terms),
    } as const;
    const answer = await submitCommandWithTime(this.#context, command);
    // A repeated request gets the first answer, whatever its fields contain. Only the first request must be valid.
    if (fault !== undefined && answer?.isRepeated !== true) return fault;
    const refusal = refusalOf(answer);
    if (refusal !== undefined || answer === null) return refusal ?? unexpected;
    const { subject: seq, isRepeated, endedUs } = answer;
    // A new transfer is answered from memory: if reading its row failed, the client would get an error for a committed
    // transfer.
    if (!("status" in terms) && !isRepeated && endedUs !== null)
      return this.#shown({ ...terms, seq, tsUs: endedUs }, false);
    const moved = await this.#context.history.transferAt(account, seq);
    return moved === null ? unexpected : this.#shown(moved, isRepeated);
  }

  #termsOf(params: TransferBody): Terms | SurfaceError {
    const { table } = this.#context;
    const from = walletOf(params.from);
    const to = walletOf(params.to);
    if (from === undefined || to === undefined) return nativeFaults.badTransferWallet;
    if (from === to) return nativeFaults.sameWallet;
    const sum = sumOf(table, params);
    if ("status" in sum) return sum;
    const fits = fitsWallet(table, from, sum.asset) && fitsWallet(table, to, sum.asset);
    if (!fits) return nativeFaults.perpWalletAsset;
    return { from, to, asset: sum.asset.id, amount: sum.amount };
  }

  /** A page of the account's transfers, newest first. The time of an event identifies it among those of its account. */
  async list(account: number, params: z.output<typeof transfersQuery>): Promise<Outcome> {
    const { start_ms: startMs = 0, end_ms: endMs, cursor, limit } = params;
    const latestUs = endMs === undefined ? Number.MAX_SAFE_INTEGER : (endMs + 1) * 1000;
    const range = { startUs: startMs * 1000, endUs: Math.min(latestUs, cursor ?? latestUs) };
    const rows = await this.#context.history.transfers({ account, ...range, limit: limit + 1 });
    const show = (row: TransferRecord) => this.#fields(row);
    return pageText(rows, limit, show, ({ tsUs }) => tsUs);
  }

  #shown(moved: TransferRecord, isRepeated: boolean): string {
    return JSON.stringify({ ...this.#fields(moved), replayed: isRepeated });
  }

  #fields(moved: TransferRecord) {
    const asset = this.#context.table.asset(moved.asset);
    return {
      transfer_id: transferIdOf(moved),
      from: walletNames[moved.from],
      to: walletNames[moved.to],
      asset: asset.code,
      amount: formatScaled(moved.amount, asset.decimals),
      created_at: isoOfUs(moved.tsUs),
    };
  }
}

function transferIdOf({ seq, tsUs }: TransferRecord): string {
  return publicId(PublicIdKind.transfer, seq, msOf(tsUs));
}

/** The routes of transfers between an account's own wallets. */
export const transferRoutes = routeGroup((context) => new Transfers(context))([
  sessionRoute("GET /v1/transfers", {
    summary: "The user's transfers between wallets, newest first.",
    reads: transfersQuery,
    example: "?limit=10",
    weight: 5,
    answer: (transfers, _, params, { account }) => transfers.list(account, params),
  }),
  sessionRoute("POST /v1/transfers", {
    summary: "Transfers money between the user's wallets, once per idempotency key.",
    body: transferBody,
    faults: {
      403: "The spot wallet of a wallet-funded account is on the ledger; transfers cannot use it.",
      409: "Aborted: a request with this idempotency_key is still in flight.",
    },
    example:
      '{"from":"funding","to":"perp","asset":"USDC","amount":"10","idempotency_key":"transfer-1"}',
    isRepeatable: true,
    answer: (transfers, _, params, { account }) => transfers.transfer(account, params),
  }),
]);
