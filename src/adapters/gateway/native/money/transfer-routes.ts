// POST /v1/transfers: money between an account's own wallets, once for each idempotency key. A repeated
// request gets the very transfer that the first one made, read from the journal.

import type * as z from "zod";
import { transferBody } from "../../../../../schemas/http/native-money.ts";
import { Wallet, walletNames } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import type { TransferRecord } from "../../../../ports/journal/history-store.ts";
import { msOf } from "../../orders/order-words.ts";
import { type SurfaceError, unexpected } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import {
  answerWith,
  askWithTime,
  isoOfUs,
  type NativeContext,
  type Outcome,
  refusalOf,
} from "../native-context.ts";
import { type NativeRoute, sessionRoute } from "../native-route.ts";
import { bodyReader } from "../read-body.ts";
import { isKeyText, requestKeyOf } from "../trading/request-key.ts";
import { fitsWallet, sumOf, walletOf } from "./money-request.ts";

type AskedTransfer = z.output<typeof transferBody>;

/** A transfer in codes and minor units. */
interface Terms {
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
}

const readTransfer = bodyReader(transferBody);

/** Moves nothing: asks whether there is something under the key. */
const nothing: Terms = { from: Wallet.funding, to: Wallet.funding, asset: 0, amount: 0n };

class TransferRoutes {
  readonly #context: NativeContext;

  constructor(context: NativeContext) {
    this.#context = context;
  }

  transfer(call: HttpCall, { account }: SessionState): void {
    const asked = readTransfer(call);
    if (asked !== null) answerWith(this.#context, call, this.#transfer(account, asked));
  }

  async #transfer(account: number, asked: AskedTransfer): Promise<Outcome> {
    const text = asked.idempotency_key;
    if (!isKeyText(text)) return nativeFaults.badIdempotencyKey;
    const terms = this.#termsOf(asked);
    const fault = "status" in terms ? terms : undefined;
    const ask = {
      kind: CommandKind.transfer,
      account,
      key: requestKeyOf("transfer", text, JSON.stringify(asked)),
      ...("status" in terms ? nothing : terms),
    } as const;
    const answer = await askWithTime(this.#context, ask);
    // A repeated request is answered whatever it asks; only a first one must make sense.
    if (fault !== undefined && answer?.isRepeated !== true) return fault;
    const refusal = refusalOf(answer);
    if (refusal !== undefined || answer === null) return refusal ?? unexpected;
    const { subject: seq, isRepeated, endedUs } = answer;
    // What was done just now needs no row: one that cannot be read would deny what is committed.
    if (!("status" in terms) && !isRepeated && endedUs !== null)
      return this.#shown({ ...terms, seq, tsUs: endedUs }, false);
    const moved = await this.#context.history.transferAt(account, seq);
    return moved === null ? unexpected : this.#shown(moved, isRepeated);
  }

  #termsOf(asked: AskedTransfer): Terms | SurfaceError {
    const { table } = this.#context;
    const from = walletOf(asked.from);
    const to = walletOf(asked.to);
    if (from === undefined || to === undefined) return nativeFaults.badTransferWallet;
    if (from === to) return nativeFaults.sameWallet;
    const sum = sumOf(table, asked);
    if ("status" in sum) return sum;
    const fits = fitsWallet(table, from, sum.asset) && fitsWallet(table, to, sum.asset);
    if (!fits) return nativeFaults.perpWalletAsset;
    return { from, to, asset: sum.asset.id, amount: sum.amount };
  }

  #shown(moved: TransferRecord, isRepeated: boolean): string {
    const asset = this.#context.table.asset(moved.asset);
    return JSON.stringify({
      transfer_id: transferIdOf(moved),
      from: walletNames[moved.from],
      to: walletNames[moved.to],
      asset: asset.code,
      amount: formatScaled(moved.amount, asset.decimals),
      created_at: isoOfUs(moved.tsUs),
      replayed: isRepeated,
    });
  }
}

function transferIdOf({ seq, tsUs }: TransferRecord): string {
  return publicId(PublicIdKind.transfer, seq, msOf(tsUs));
}

/** The route of transfers. */
export function transferRoutes(context: NativeContext): NativeRoute[] {
  const routes = new TransferRoutes(context);
  return [sessionRoute("POST /v1/transfers", (call, _, session) => routes.transfer(call, session))];
}
