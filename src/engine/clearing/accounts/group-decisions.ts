// Decisions about maker groups. Each function returns a refusal or the event to write.

import {
  CommandKind,
  type ResetMakerGroup,
  type SetMakerGroup,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { qtyLotsMax } from "../../../core/limits.ts";
import {
  groupFillsMax,
  groupsPerAccountMax,
  groupsPerOwnerLate,
  groupsPerOwnerMax,
  groupWindowUsMax,
  makerGroupsMax,
} from "../../../core/maker-limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import { firstMarketIn, marketsIn } from "../../state/tables/maker-groups.ts";
import type { VenueState } from "../../state/venue-state.ts";

export const groupDecisions = {
  [CommandKind.setMakerGroup]: decideSet,
  [CommandKind.resetMakerGroup]: decideReset,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

/** Sets or, without markets, removes a group. A triggered group must be reset first. Spec MMP-1, MMP-2. */
function decideSet(state: VenueState, command: SetMakerGroup): RejectReason | NonOrderEvent {
  const { makerGroups, accounts } = state;
  const { account, group, markets, windowUs, qtyLimit, valueLimit, countLimit } = command;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (!isWithin(group, 1, groupsPerAccountMax)) return RejectReason.unknownGroup;
  const found = makerGroups.get(account, group);
  if (found !== undefined && found.triggeredUs > 0) return RejectReason.groupTriggered;
  const event = { ...unnumbered, kind: EventKind.makerGroupSet, account, group, markets };
  if (markets === 0) {
    if (found === undefined) return RejectReason.unknownGroup;
    const none = { windowUs: 0, qtyLimit: 0, valueLimit: 0n, countLimit: 0 };
    return { ...event, ...none, market: firstMarketIn(found.terms.markets) };
  }
  // Otherwise accounts that cost nothing could take all groups.
  if (!accounts.hasHadMoney(account)) return RejectReason.insufficientBalance;
  if (!isSound(state, command)) return RejectReason.groupTermsInvalid;
  const isTaken = marketsIn(markets).some((market) => {
    const other = makerGroups.of(account, market);
    return other !== undefined && other !== found;
  });
  if (isTaken) return RejectReason.marketInGroup;
  const roomless = found === undefined ? refusalOfAnother(state, account) : RejectReason.none;
  if (roomless !== RejectReason.none) return roomless;
  const terms = { windowUs, qtyLimit, valueLimit, countLimit };
  return { ...event, ...terms, market: firstMarketIn(markets) };
}

/** Why the account can not have another group; none if it can. Spec MMP-10. */
function refusalOfAnother({ makerGroups, accounts }: VenueState, account: number): RejectReason {
  if (makerGroups.count >= makerGroupsMax) return RejectReason.venueFull;
  const owner = accounts.ownerOf(account);
  const family = [owner, ...accounts.subAccountsOf(owner).map((one) => one.account)];
  const count = family.reduce((sum, one) => sum + makerGroups.ofAccount(one).length, 0);
  const isLate = makerGroups.count >= makerGroupsMax / 2;
  const isFull = count >= (isLate ? groupsPerOwnerLate : groupsPerOwnerMax);
  return isFull ? RejectReason.tooManyGroups : RejectReason.none;
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** Whether the markets exist, the numbers are in their ranges, and each limit is in one unit for all markets. */
function isSound(
  { table }: VenueState,
  { markets, windowUs, qtyLimit, valueLimit, countLimit }: SetMakerGroup,
): boolean {
  const listed = marketsIn(markets).map((market) => table.markets[market]);
  const [first] = listed;
  if (first === undefined || listed.includes(undefined)) return false;
  const hasOneBase = listed.every((market) => market?.baseCode === first.baseCode);
  const hasOneQuote = listed.every((market) => market?.quote.id === first.quote.id);
  return (
    isWithin(windowUs, 1, groupWindowUsMax) &&
    isWithin(qtyLimit, 0, qtyLotsMax) &&
    (qtyLimit === 0 || hasOneBase) &&
    valueLimit >= 0n &&
    (valueLimit === 0n || hasOneQuote) &&
    isWithin(countLimit, 1, groupFillsMax)
  );
}

/** Lets a group accept orders again, and forgets what it has counted. Spec MMP-6. */
function decideReset(state: VenueState, command: ResetMakerGroup): RejectReason | NonOrderEvent {
  const { account, group } = command;
  if (state.makerGroups.get(account, group) === undefined) return RejectReason.unknownGroup;
  return { ...unnumbered, kind: EventKind.makerGroupReset, account, group };
}
