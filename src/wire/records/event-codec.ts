// Events to bytes and back, by kind. Encoded once by clearing straight into a claimed ring record;
// the same bytes are forwarded to the fronts and stored in the journal.
// Invariant: the bytes depend on the event alone, fillers are zero, and decoding what was encoded
// gives the event back. What cannot have been encoded is an assertion, never a wrong event.

import { assert, unreachable } from "../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../core/events.ts";
import { eventBytesMax } from "../../core/limits.ts";
import * as about from "./account-event-codec.ts";
import * as custody from "./custody-codec.ts";
import * as layout from "./event-layout.ts";
import * as funding from "./funding-event-codec.ts";
import * as market from "./market-codec.ts";
import * as change from "./order-change-codec.ts";
import * as order from "./order-event-codec.ts";
import * as price from "./price-codec.ts";
import { createRecordViews, type RecordViews } from "./record-views.ts";
import { isReplyLength } from "./reply-codec.ts";
import * as reward from "./reward-codec.ts";
import * as risk from "./risk-event-codec.ts";
import * as session from "./session-codec.ts";
import * as swap from "./swap-codec.ts";

type FixedKind = Exclude<
  EventKind,
  typeof EventKind.orderAccepted | typeof EventKind.specialAccepted
>;

const fixedBytes: Readonly<Record<FixedKind, number>> = {
  [EventKind.accountOpened]: layout.accountOpenedLayout.size,
  [EventKind.credited]: layout.creditedLayout.size,
  [EventKind.granted]: layout.creditedLayout.size,
  [EventKind.transferred]: layout.transferredLayout.size,
  [EventKind.leverageSet]: layout.leverageSetLayout.size,
  [EventKind.accountFlagsSet]: layout.accountFlagsSetLayout.size,
  [EventKind.keyRegistered]: layout.keyRegisteredLayout.size,
  [EventKind.keyChanged]: layout.keyChangedLayout.size,
  [EventKind.marketStatusSet]: layout.marketStatusSetLayout.size,
  [EventKind.accountTypeSet]: layout.accountOpenedLayout.size,
  [EventKind.marketAdded]: layout.marketAddedLayout.size,
  [EventKind.sessionOpened]: layout.sessionOpenedLayout.size,
  [EventKind.sessionClosed]: layout.sessionClosedLayout.size,
  [EventKind.sessionKeySet]: layout.sessionKeySetLayout.size,
  [EventKind.traded]: layout.tradedLayout.size,
  [EventKind.orderClosed]: layout.orderClosedLayout.size,
  [EventKind.orderTriggered]: layout.orderTriggeredLayout.size,
  [EventKind.orderAmended]: layout.orderAmendedLayout.size,
  [EventKind.orderReduced]: layout.orderReducedLayout.size,
  [EventKind.matchPrevented]: layout.matchPreventedLayout.size,
  [EventKind.countdownSet]: layout.countdownSetLayout.size,
  [EventKind.marked]: layout.markedLayout.size,
  [EventKind.premiumSampled]: layout.premiumSampledLayout.size,
  [EventKind.fundingStarted]: layout.fundingStartedLayout.size,
  [EventKind.fundingPaid]: layout.fundingPaidLayout.size,
  [EventKind.requestKeyed]: layout.requestKeyedLayout.size,
  [EventKind.referred]: layout.referredLayout.size,
  [EventKind.rewarded]: layout.rewardedLayout.size,
  [EventKind.rewardClaimed]: layout.rewardClaimedLayout.size,
  [EventKind.liquidationStaged]: layout.liquidationStagedLayout.size,
  [EventKind.insuranceSettled]: layout.insuranceSettledLayout.size,
  [EventKind.positionMoved]: layout.positionMovedLayout.size,
  [EventKind.tradingGateSet]: layout.tradingGateSetLayout.size,
  [EventKind.fundHourSet]: layout.fundHourSetLayout.size,
  [EventKind.referenceSet]: layout.referenceSetLayout.size,
  [EventKind.basisAveraged]: layout.basisAveragedLayout.size,
  [EventKind.riskTermSet]: layout.riskTermSetLayout.size,
  [EventKind.indexMeasured]: layout.indexMeasuredLayout.size,
  [EventKind.walletBound]: layout.walletBoundLayout.size,
  [EventKind.withdrawalRequested]: layout.withdrawalRequestedLayout.size,
  [EventKind.withdrawalEnded]: layout.withdrawalEndedLayout.size,
  [EventKind.coinsSettled]: layout.coinsSettledLayout.size,
  [EventKind.swapMoved]: layout.swapMovedLayout.size,
};

// The journal tells replies from events by their length.
assert(
  Object.values(fixedBytes).every((bytes) => !isReplyLength(bytes)),
  "no event is as long as a reply",
);

/** Bytes that `event` takes when encoded: what to claim in a ring. */
export function eventBytes(event: VenueEvent): number {
  if (event.kind === EventKind.orderAccepted) return order.orderAcceptedBytes(event);
  if (event.kind === EventKind.specialAccepted) return order.specialAcceptedBytes(event);
  return fixedBytes[event.kind];
}

/** Writes `event` at byte `offset` (a multiple of 8) of `views`; returns its bytes. */
export function encodeEvent(views: RecordViews, offset: number, event: VenueEvent): number {
  switch (event.kind) {
    case EventKind.traded:
      return order.encodeTraded(views, offset, event);
    case EventKind.orderAccepted:
      return order.encodeOrderAccepted(views, offset, event);
    case EventKind.orderClosed:
      return order.encodeOrderClosed(views, offset, event);
    case EventKind.specialAccepted:
      return order.encodeSpecialAccepted(views, offset, event);
    case EventKind.orderTriggered:
      return change.encodeOrderTriggered(views, offset, event);
    case EventKind.orderAmended:
      return change.encodeOrderAmended(views, offset, event);
    case EventKind.orderReduced:
    case EventKind.matchPrevented:
    case EventKind.countdownSet:
      return change.encodeRareChange(views, offset, event);
    case EventKind.marked:
    case EventKind.referenceSet:
    case EventKind.basisAveraged:
    case EventKind.riskTermSet:
    case EventKind.indexMeasured:
      return price.encodePriceEvent(views, offset, event);
    case EventKind.premiumSampled:
    case EventKind.fundingStarted:
    case EventKind.fundingPaid:
      return funding.encodeFundingEvent(views, offset, event);
    case EventKind.liquidationStaged:
    case EventKind.insuranceSettled:
    case EventKind.positionMoved:
    case EventKind.tradingGateSet:
    case EventKind.fundHourSet:
      return risk.encodeRiskEvent(views, offset, event);
    case EventKind.walletBound:
    case EventKind.withdrawalRequested:
    case EventKind.withdrawalEnded:
    case EventKind.coinsSettled:
      return custody.encodeCustodyEvent(views, offset, event);
    case EventKind.swapMoved:
      return swap.encodeSwapMoved(views, offset, event);
    case EventKind.accountOpened:
    case EventKind.accountTypeSet:
    case EventKind.accountFlagsSet:
      return about.encodeAccountEvent(views, offset, event);
    case EventKind.credited:
    case EventKind.granted:
      return about.encodeCredited(views, offset, event);
    case EventKind.transferred:
      return about.encodeTransferred(views, offset, event);
    case EventKind.leverageSet:
      return about.encodeLeverageSet(views, offset, event);
    case EventKind.keyRegistered:
    case EventKind.keyChanged:
      return about.encodeKeyEvent(views, offset, event);
    case EventKind.marketStatusSet:
    case EventKind.marketAdded:
      return market.encodeMarketEvent(views, offset, event);
    case EventKind.sessionOpened:
    case EventKind.sessionClosed:
    case EventKind.sessionKeySet:
      return session.encodeSessionEvent(views, offset, event);
    case EventKind.requestKeyed:
      return order.encodeRequestKeyed(views, offset, event);
    case EventKind.referred:
    case EventKind.rewarded:
    case EventKind.rewardClaimed:
      return reward.encodeRewardEvent(views, offset, event);
    default:
      return unreachable(event);
  }
}

/**
 * The event in the `length` bytes at byte `offset` (a multiple of 8) of `views`, as in a ring record.
 * Asserts a known kind, codes of their sets and exactly the length that the event itself says.
 */
export function decodeEvent(views: RecordViews, offset: number, length: number): VenueEvent {
  const kind = kindAt(views, offset, length);
  switch (kind) {
    case EventKind.traded:
      return order.decodeTraded(views, offset);
    case EventKind.orderAccepted:
      return order.decodeOrderAccepted(views, offset);
    case EventKind.orderClosed:
      return order.decodeOrderClosed(views, offset);
    case EventKind.specialAccepted:
      return order.decodeSpecialAccepted(views, offset);
    case EventKind.orderTriggered:
    case EventKind.orderAmended:
    case EventKind.orderReduced:
    case EventKind.matchPrevented:
    case EventKind.countdownSet:
      return change.decodeOrderChange(views, offset, kind);
    case EventKind.marked:
    case EventKind.referenceSet:
    case EventKind.basisAveraged:
    case EventKind.riskTermSet:
    case EventKind.indexMeasured:
      return price.decodePriceEvent(views, offset, kind);
    case EventKind.premiumSampled:
    case EventKind.fundingStarted:
    case EventKind.fundingPaid:
      return funding.decodeFundingEvent(views, offset, kind);
    case EventKind.liquidationStaged:
    case EventKind.insuranceSettled:
    case EventKind.positionMoved:
    case EventKind.tradingGateSet:
    case EventKind.fundHourSet:
      return risk.decodeRiskEvent(views, offset, kind);
    case EventKind.walletBound:
    case EventKind.withdrawalRequested:
    case EventKind.withdrawalEnded:
    case EventKind.coinsSettled:
      return custody.decodeCustodyEvent(views, offset, kind);
    case EventKind.swapMoved:
      return swap.decodeSwapMoved(views, offset);
    case EventKind.accountOpened:
    case EventKind.accountTypeSet:
    case EventKind.accountFlagsSet:
      return about.decodeAccountEvent(views, offset, kind);
    case EventKind.credited:
    case EventKind.granted:
      return about.decodeCredited(views, offset, kind);
    case EventKind.transferred:
      return about.decodeTransferred(views, offset);
    case EventKind.leverageSet:
      return about.decodeLeverageSet(views, offset);
    case EventKind.keyRegistered:
    case EventKind.keyChanged:
      return about.decodeKeyEvent(views, offset, kind);
    case EventKind.marketStatusSet:
    case EventKind.marketAdded:
      return market.decodeMarketEvent(views, offset, kind);
    case EventKind.sessionOpened:
    case EventKind.sessionClosed:
    case EventKind.sessionKeySet:
      return session.decodeSessionEvent(views, offset, kind);
    case EventKind.requestKeyed:
      return order.decodeRequestKeyed(views, offset);
    case EventKind.referred:
    case EventKind.rewarded:
    case EventKind.rewardClaimed:
      return reward.decodeRewardEvent(views, offset, kind);
    default:
      return unreachable(kind);
  }
}

function kindAt(views: RecordViews, offset: number, length: number): EventKind {
  const at = layout.headerLayout;
  assert(length >= at.size, "an event has a header");
  assert(views.u16[(offset + at.bytes) >> 1] === length, "an event is as long as it says");
  return views.u8[offset + at.kind] as EventKind;
}

/** Aligned memory for one event: rows come back from the database at any address. */
const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));

/** The event in `length` bytes at `start` of any memory, aligned or not; else as `decodeEvent`. */
export function decodeEventBytes(bytes: Uint8Array, start: number, length: number): VenueEvent {
  assert(start >= 0 && start + length <= bytes.length, "an event lies within its bytes");
  assert(length <= eventBytesMax, "an event has a longest length");
  const { u8 } = scratch;
  // A loop, because `set` needs a subarray and that costs more than the hundred bytes.
  for (let i = 0; i < length; i++) u8[i] = bytes[start + i] as number;
  return decodeEvent(scratch, 0, length);
}
