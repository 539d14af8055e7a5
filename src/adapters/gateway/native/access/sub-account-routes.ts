// Sub-accounts of the user: open and list them, read them, move money to and from them, create their keys. Their traders use
// these keys on the signed surfaces and see nothing else; only the owner has a session. Keys of sub-accounts are revoked
// and restricted as the owner's own. Spec SUB-1 to SUB-5.

import type * as z from "zod";
import {
  createKeyBody,
  listKeysQuery,
  subAccountBody,
  subAccountTransferBody,
} from "../../../../../schemas/http/native.ts";
import { isSubAccountLabel, type Wallet, walletNames } from "../../../../core/accounts.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { PublicIdKind, parsePublicId, publicId } from "../../../../core/ids/public-id.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import type { SubAccount } from "../../../../engine/state/tables/account-table.ts";
import type { TransferRecord } from "../../../../ports/journal/history-store.ts";
import { msOf } from "../../orders/order-format.ts";
import { requestKeyOf } from "../../requests/request-key.ts";
import { type Outcome, routeGroup, sessionRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused, type SurfaceError, unexpected } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import { Accounts } from "../money/account-routes.ts";
import { fitsWallet, sumOf, walletOf } from "../money/money-request.ts";
import {
  isKeyText,
  isoOfUs,
  refusalOf,
  submitCommand,
  submitCommandWithTime,
} from "../native-context.ts";
import { ApiKeys, createKeyWeight } from "./api-key-routes.ts";
import { userIdOf } from "./session-routes.ts";

/** A sub-account is never closed, so opening one is rare. */
const openWeight = 20;

/** A transfer in codes and minor units. */
interface Terms {
  readonly receiver: number;
  readonly from: Wallet;
  readonly to: Wallet;
  readonly asset: number;
  readonly amount: bigint;
}

class SubAccounts {
  readonly keys: ApiKeys;
  readonly accounts: Accounts;
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
    this.keys = new ApiKeys(context);
    this.accounts = new Accounts(context);
  }

  list(owner: number): string {
    const { accounts } = this.#context.model.state;
    const shown = accounts.subAccountsOf(owner).map((one) => this.#record(one));
    return JSON.stringify({ sub_accounts: shown });
  }

  async open(owner: number, label: string): Promise<Outcome> {
    const { bridge } = this.#context;
    if (!isSubAccountLabel(label)) return nativeFaults.subAccountLabel;
    const kind = CommandKind.openSubAccount;
    const answer = await submitCommand(bridge, { kind, account: owner, label });
    const refusal = refusalOf(answer);
    if (refusal !== undefined || answer === null) return refusal ?? unexpected;
    return JSON.stringify(this.#record({ account: answer.subject, owner, label }));
  }

  /** The sub-account of the owner with that id; refuses any other id. */
  of(owner: number, id: string): number {
    const account = this.#family(owner, id);
    return account === owner ? refused(nativeFaults.subAccountUnknown) : account;
  }

  async transfer(owner: number, params: z.output<typeof subAccountTransferBody>): Promise<Outcome> {
    if (!isKeyText(params.idempotency_key)) return nativeFaults.badIdempotencyKey;
    const account = this.#family(owner, params.from_account);
    const terms = this.#termsOf(owner, params);
    if ("status" in terms) return terms;
    if (terms.receiver === account) return nativeFaults.sameAccount;
    const key = requestKeyOf("sub-account", params.idempotency_key, JSON.stringify(params));
    const command = { kind: CommandKind.moveBetweenAccounts, account, key, ...terms } as const;
    const answer = await submitCommandWithTime(this.#context, command);
    const refusal = refusalOf(answer);
    if (refusal !== undefined || answer === null) return refusal ?? unexpected;
    const { subject: seq, isRepeated, endedUs } = answer;
    // As in transfers between wallets, a new one is answered from memory, and a repeated one from the journal.
    if (!isRepeated && endedUs !== null)
      return this.#moved(account, { ...terms, seq, tsUs: endedUs }, false);
    const moved = await this.#context.history.transferAt(account, seq);
    return moved === null ? unexpected : this.#moved(account, moved, isRepeated);
  }

  /** The owner's account or one of its sub-accounts, by its user id; refuses any other id. */
  #family(owner: number, id: string): number {
    const { accounts } = this.#context.model.state;
    const account = parsePublicId(PublicIdKind.user, id)?.number ?? 0;
    const isOwn = accounts.isCustomer(account) && accounts.ownerOf(account) === owner;
    const isNamed = isOwn && userIdOf(this.#context, account) === id.toLowerCase();
    return isNamed ? account : refused(nativeFaults.subAccountUnknown);
  }

  #termsOf(owner: number, params: z.output<typeof subAccountTransferBody>): Terms | SurfaceError {
    const { table } = this.#context;
    const receiver = this.#family(owner, params.to_account);
    const [from, to] = [walletOf(params.from), walletOf(params.to)];
    if (from === undefined || to === undefined) return nativeFaults.badTransferWallet;
    const sum = sumOf(table, params);
    if ("status" in sum) return sum;
    const fits = fitsWallet(table, from, sum.asset) && fitsWallet(table, to, sum.asset);
    if (!fits) return nativeFaults.perpWalletAsset;
    return { receiver, from, to, asset: sum.asset.id, amount: sum.amount };
  }

  #moved(account: number, moved: TransferRecord, isRepeated: boolean): string {
    const { receiver = account, seq, tsUs, from, to, amount } = moved;
    const asset = this.#context.table.asset(moved.asset);
    return JSON.stringify({
      transfer_id: publicId(PublicIdKind.transfer, seq, msOf(tsUs)),
      from_account: userIdOf(this.#context, account),
      to_account: userIdOf(this.#context, receiver),
      from: walletNames[from],
      to: walletNames[to],
      asset: asset.code,
      amount: formatScaled(amount, asset.decimals),
      created_at: isoOfUs(tsUs),
      replayed: isRepeated,
    });
  }

  #record({ account, label }: SubAccount): object {
    const { accounts } = this.#context.model.state;
    return {
      id: userIdOf(this.#context, account),
      label,
      created_at: isoOfUs(accounts.openedUsOf(account)),
      frozen: accounts.isFrozen(account),
    };
  }
}

/** Shell text for the id of the user's first sub-account. */
const first = "$(own GET /v1/sub-accounts | field '.sub_accounts[0].id')";
const faults = { 404: "The user has no such sub-account." };

/** The routes of sub-accounts. */
export const subAccountRoutes = routeGroup((context) => new SubAccounts(context))([
  sessionRoute("GET /v1/sub-accounts", {
    summary: "The user's sub-accounts, oldest first.",
    answer: (own, _, __, { account }) => own.list(account),
  }),
  sessionRoute("POST /v1/sub-accounts", {
    summary: "Opens a sub-account, for good.",
    body: subAccountBody,
    faults: { 409: "The label is taken, or the user has the maximum of sub-accounts." },
    example: '{"label":"team-1"}',
    weight: openWeight,
    answer: (own, _, { label }, { account }) => own.open(account, label),
  }),
  sessionRoute("GET /v1/sub-accounts/{id}/balances", {
    summary: "Balances of a sub-account by wallet and asset.",
    faults,
    exampleName: first,
    isByUuid: true,
    answer: (own, _, { id }, { account }) => own.accounts.balances(own.of(account, id)),
  }),
  sessionRoute("GET /v1/sub-accounts/{id}/positions", {
    summary: "Open positions of a sub-account.",
    faults,
    exampleName: first,
    isByUuid: true,
    answer: (own, _, { id }, { account }) => own.accounts.positions(own.of(account, id)),
  }),
  sessionRoute("GET /v1/sub-accounts/{id}/api-keys", {
    summary: "API keys of a sub-account.",
    reads: listKeysQuery,
    faults,
    exampleName: first,
    isByUuid: true,
    answer: (own, _, { id, include_revoked: withRevoked }, { account }) =>
      own.keys.list(own.of(account, id), withRevoked),
  }),
  sessionRoute("POST /v1/sub-accounts/{id}/api-keys", {
    summary: "Creates an API key of a sub-account; its secret is shown only once.",
    body: createKeyBody,
    faults: { ...faults, 409: "The sub-account has ten active keys." },
    example: '{"label":"trader"}',
    exampleName: first,
    isByUuid: true,
    isRepeatable: true,
    weight: createKeyWeight,
    answer: (own, _, { id, ...params }, { account }) =>
      own.keys.create(own.of(account, id), params),
  }),
  sessionRoute("POST /v1/sub-accounts/transfers", {
    summary:
      "Moves money between the user's account and its sub-accounts, once per idempotency key.",
    body: subAccountTransferBody,
    faults: {
      ...faults,
      409: "Aborted: a request with this idempotency_key is still in flight.",
    },
    exampleLine:
      `own POST /v1/sub-accounts/transfers '{"from_account":"'$ME'","to_account":"'"${first}"'",` +
      '"from":"funding","to":"perp","asset":"USDC","amount":"1","idempotency_key":"sub-1"}\'',
    isRepeatable: true,
    answer: (own, _, params, { account }) => own.transfer(account, params),
  }),
]);
