// Sub-accounts with the names of Binance's wallet routes, called with a key of the owner. Binance names a sub-account by an
// e-mail address; here the address is made of its label, and nobody receives mail there. Spec SUB-10.

import type * as z from "zod";
import {
  sapiSubAccount,
  sapiSubAccountAssets,
  sapiSubAccounts,
  sapiUniversalTransfer,
} from "../../../../schemas/http/sapi.ts";
import { isSubAccountLabel, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import type { Reply } from "../../../core/generated/messages.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import type { SubAccount } from "../../../engine/state/tables/account-table.ts";
import { answerCommand } from "../orders/answered-command.ts";
import { msOf } from "../orders/order-format.ts";
import { requestKeyOf } from "../requests/request-key.ts";
import { type Caller, readRoute, routeGroup, transferRoute } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  authErrors,
  badCombination,
  illegalParameter,
  refused,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import { listText } from "./render.ts";
import { movedSum } from "./transfer-routes.ts";

const walletsByType = { SPOT: Wallet.spot, USDT_FUTURE: Wallet.perp } as const;

/** The domain is reserved for names that do not exist (RFC 2606). */
const domain = "_virtual@sub-account.invalid";

function emailOf({ label }: SubAccount): string {
  return `${label.toLowerCase()}${domain}`;
}

/** A key of a sub-account sees only its own account. */
function ownersOnly({ model }: RouteContext, { account }: Caller): void {
  if (model.state.accounts.isSubAccount(account)) refused(authErrors.keyUnknown);
}

/** The account that an e-mail names: without one the owner's. */
function accountOf(
  { model }: RouteContext,
  owner: number,
  email: string | undefined,
  name: string,
): number {
  if (email === undefined) return owner;
  const own = model.state.accounts.subAccountsOf(owner);
  const found = own.find((one) => emailOf(one) === email.toLowerCase());
  return found?.account ?? refused(illegalParameter(name));
}

function open({ bridge }: RouteContext, call: HttpCall, account: number, label: string): void {
  if (!isSubAccountLabel(label)) refused(illegalParameter("subAccountString"));
  const kind = CommandKind.openSubAccount;
  const answer = ({ subject }: Reply) =>
    JSON.stringify({ email: emailOf({ account: subject, owner: account, label }) });
  answerCommand(bridge, call, { kind, account, label }, { errors: spotErrors, answer });
}

function move(
  context: RouteContext,
  call: HttpCall,
  owner: number,
  params: z.output<typeof sapiUniversalTransfer>,
): void {
  const { table, bridge } = context;
  const account = accountOf(context, owner, params.fromEmail, "fromEmail");
  const receiver = accountOf(context, owner, params.toEmail, "toEmail");
  if (account === receiver) refused(badCombination);
  const [from, to] = [walletsByType[params.fromAccountType], walletsByType[params.toAccountType]];
  const sum = movedSum(table, call.view, params, [from, to]);
  const kind = CommandKind.moveBetweenAccounts;
  const { clientTranId } = params;
  // A client that lost the answer sends the same name again and gets the first transfer.
  const key =
    clientTranId === undefined
      ? null
      : requestKeyOf("universal-transfer", clientTranId, JSON.stringify(params));
  const command = { kind, account, receiver, from, to, ...sum, key } as const;
  const answer = ({ subject }: Reply) => JSON.stringify({ tranId: subject, clientTranId });
  answerCommand(bridge, call, command, { errors: spotErrors, answer });
}

function listedText({ model }: RouteContext, one: SubAccount): string {
  const { accounts } = model.state;
  return JSON.stringify({
    subUserId: one.account,
    email: emailOf(one),
    remark: one.label,
    isFreeze: accounts.isFrozen(one.account),
    createTime: msOf(accounts.openedUsOf(one.account)),
    isManagedSubAccount: false,
    isAssetManagementSubAccount: false,
  });
}

function assetsText({ table, model }: RouteContext, account: number): string {
  const { balances } = model.state;
  const rows = table.assets.map(({ id, code, decimals }) => {
    const free = formatScaled(balances.free(account, Wallet.spot, id), decimals);
    const locked = formatScaled(balances.reserved(account, Wallet.spot, id), decimals);
    return `{"asset":"${code}","free":"${free}","locked":"${locked}"}`;
  });
  return `{"balances":${listText(rows)}}`;
}

/** The routes of sub-accounts under /sapi. */
export const sapiSubAccountRoutes = routeGroup((context) => context)([
  transferRoute("POST /sapi/v1/sub-account/virtualSubAccount", {
    summary: "Opens a sub-account, for good.",
    reads: sapiSubAccount,
    example: "subAccountString=team-2",
    isStrict: true,
    before: ownersOnly,
    handle: (context, call, params, { account }) =>
      open(context, call, account, params.subAccountString),
  }),
  readRoute("GET /sapi/v1/sub-account/list", {
    summary: "The owner's sub-accounts, oldest first.",
    reads: sapiSubAccounts,
    before: ownersOnly,
    answer: (context, _, { email, page, limit }, { account }) => {
      const own = context.model.state.accounts.subAccountsOf(account);
      const named = own.filter(
        (one) => email === undefined || emailOf(one) === email.toLowerCase(),
      );
      const shown = named.slice((page - 1) * limit, page * limit);
      return `{"subAccounts":${listText(shown.map((one) => listedText(context, one)))}}`;
    },
  }),
  readRoute("GET /sapi/v3/sub-account/assets", {
    summary: "Spot balances of a sub-account.",
    weight: 60,
    reads: sapiSubAccountAssets,
    example: "email=team-2_virtual%40sub-account.invalid",
    before: ownersOnly,
    answer: (context, _, { email }, { account }) =>
      assetsText(context, accountOf(context, account, email, "email")),
  }),
  transferRoute("POST /sapi/v1/sub-account/universalTransfer", {
    summary: "Moves money between the owner's account and its sub-accounts.",
    reads: sapiUniversalTransfer,
    exampleLine:
      'signed POST /sapi/v1/sub-account/universalTransfer "toEmail=$(encoded "$(signed POST ' +
      '/sapi/v1/sub-account/virtualSubAccount subAccountString=team-3 | field .email)")' +
      '&fromAccountType=SPOT&toAccountType=SPOT&asset=USDC&amount=1"',
    isStrict: true,
    before: ownersOnly,
    handle: (context, call, params, { account }) => move(context, call, account, params),
  }),
]);
