// Decisions about sub-accounts: opening them, and moving money between accounts of one owner. An owner is a standard
// account that has had money, so that nobody can fill the account table for nothing. A sub-account has no sub-accounts,
// withdraws nothing, and is never closed. Spec SUB-1 to SUB-5.

import { AccountType, isSubAccountLabel, subAccountsPerOwnerMax } from "../../../core/accounts.ts";
import {
  CommandKind,
  type MoveBetweenAccounts,
  type OpenSubAccount,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import { refusalOfMove } from "./wallet-moves.ts";

/** The function that decides each kind of command; it returns a refusal or an event. */
export const subAccountDecisions = {
  [CommandKind.openSubAccount]: decideSubAccount,
  [CommandKind.moveBetweenAccounts]: decideMove,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

function decideSubAccount(
  { accounts }: VenueState,
  { account: owner, label }: OpenSubAccount,
): RejectReason | NonOrderEvent {
  if (!accounts.isCustomer(owner)) return RejectReason.unknownAccount;
  if (accounts.isSubAccount(owner)) return RejectReason.accountInFamily;
  if (accounts.typeOf(owner) !== AccountType.standard) return RejectReason.walletNotAllowed;
  if (accounts.isFrozenByOperator(owner)) return RejectReason.accountFrozen;
  if (!accounts.hasHadMoney(owner)) return RejectReason.insufficientBalance;
  const own = accounts.subAccountsOf(owner);
  const isTaken = own.some((one) => one.label.toLowerCase() === label.toLowerCase());
  if (isTaken || !isSubAccountLabel(label)) return RejectReason.subAccountLabel;
  if (own.length >= subAccountsPerOwnerMax) return RejectReason.tooManySubAccounts;
  if (!accounts.hasRoom()) return RejectReason.tooManyAccounts;
  const account = accounts.nextNumber();
  return { ...unnumbered, kind: EventKind.subAccountOpened, account, owner, label };
}

/** Both accounts must be of one owner; the sender is limited as in a transfer between its own wallets. */
function decideMove(
  state: VenueState,
  command: MoveBetweenAccounts,
  { floor }: { readonly floor: MarginFloor },
): RejectReason | NonOrderEvent {
  const { account, receiver, from, to, asset, amount } = command;
  const { accounts } = state;
  const areKnown = accounts.isCustomer(account) && accounts.isCustomer(receiver);
  const areOfOne = accounts.ownerOf(account) === accounts.ownerOf(receiver);
  if (!areKnown || !areOfOne || account === receiver) return RejectReason.unknownAccount;
  const refusal = refusalOfMove(state, command, floor);
  if (refusal !== RejectReason.none) return refusal;
  const kind = EventKind.movedBetweenAccounts;
  return { ...unnumbered, kind, account, receiver, from, to, asset, amount };
}
