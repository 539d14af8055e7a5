// GET /v1/deposits/address and GET /v1/deposits: where coins go, with which reference, and what came of
// those that arrived. Crediting is the settlement thread's business.

import { addressQuery, depositsQuery } from "../../../../../schemas/http/native-money.ts";
import { depositReference } from "../../../../core/ids/deposit-reference.ts";
import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import { type DepositRow, DepositState } from "../../../../ports/ledger/custody.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import { answerWith, isoOfMs, type NativeContext, type Outcome } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, sessionRoute } from "../native-route.ts";
import { pageText } from "../page-text.ts";
import { queryReader } from "../read-body.ts";

const readAddress = queryReader(addressQuery);
const readDeposits = queryReader(depositsQuery);

const stateNames: Readonly<Record<DepositState, string>> = {
  [DepositState.pending]: "pending",
  [DepositState.credited]: "credited",
  [DepositState.unclaimed]: "unclaimed",
  [DepositState.tooSmall]: "below_minimum",
  [DepositState.returning]: "returning",
  [DepositState.returned]: "returned",
};

class DepositRoutes {
  readonly #context: NativeContext;

  constructor(context: NativeContext) {
    this.#context = context;
  }

  address(call: HttpCall, asked: NativeAsk, { account }: SessionState): void {
    const query = readAddress(call, asked.parameters);
    if (query !== null) answerWith(this.#context, call, this.#address(account, query.asset));
  }

  list(call: HttpCall, asked: NativeAsk, { account }: SessionState): void {
    const query = readDeposits(call, asked.parameters);
    if (query === null) return;
    const { limit, cursor } = query;
    answerWith(this.#context, call, this.#list(account, limit, cursor ?? null));
  }

  async #address(account: number, code: string): Promise<Outcome> {
    const asset = this.#context.table.findAsset(code);
    if (asset === undefined) return nativeFaults.unknownAsset;
    const place = await this.#context.custody.place(asset.id);
    if (place === null) return nativeFaults.noLedger;
    return JSON.stringify({
      party_id: place.custody,
      reference: depositReference(account),
      asset: asset.code,
      minimum: formatScaled(place.depositMin, asset.decimals),
    });
  }

  async #list(account: number, limit: number, before: number | null): Promise<Outcome> {
    const rows = await this.#context.custody.deposits({ account, before, limit: limit + 1 });
    return pageText(
      rows,
      limit,
      (row) => this.#shown(row),
      ({ depositId }) => depositId,
    );
  }

  #shown({ depositId, asset, amount, state, updateId, recordedMs }: DepositRow): object {
    const { code, decimals } = this.#context.table.asset(asset);
    return {
      deposit_id: publicId(PublicIdKind.deposit, depositId, recordedMs),
      asset: code,
      amount: formatScaled(amount, decimals),
      status: stateNames[state],
      update_id: updateId,
      created_at: isoOfMs(recordedMs),
    };
  }
}

/** Where deposits go, and what came of them. */
export function depositRoutes(context: NativeContext): NativeRoute[] {
  const routes = new DepositRoutes(context);
  return [
    sessionRoute("GET /v1/deposits/address", (call, asked, session) =>
      routes.address(call, asked, session),
    ),
    sessionRoute("GET /v1/deposits", (call, asked, session) => routes.list(call, asked, session), {
      weight: 5,
    }),
  ];
}
