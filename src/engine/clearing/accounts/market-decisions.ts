// Decisions about markets: adding, halting, reference prices and risk terms. Each function returns a refusal or the
// event to write.

import {
  type AddMarket,
  CommandKind,
  type SetMarketStatus,
  type SetReference,
  type SetRiskTerm,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { marketsMax, referenceMaxUs } from "../../../core/limits.ts";
import { isPerpetual, MarketKind, MarketStatus } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import { isRiskTermValue } from "../../state/tables/risk-terms.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** The function that decides each kind of command; it returns a refusal or an event. */
export const marketDecisions = {
  [CommandKind.setMarketStatus]: decideStatus,
  [CommandKind.addMarket]: decideAddition,
  [CommandKind.setReference]: decideReference,
  [CommandKind.setRiskTerm]: decideRiskTerm,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

function decideStatus(state: VenueState, command: SetMarketStatus): RejectReason | NonOrderEvent {
  const market = state.table.markets[command.market];
  if (market === undefined) return RejectReason.unknownMarket;
  // A spot market whose base asset is not listed has nothing to deliver and stays closed.
  const isDead = market.kind === MarketKind.spot && market.base === null;
  if (isDead && command.status === MarketStatus.trading) return RejectReason.marketNotTrading;
  return {
    ...unnumbered,
    kind: EventKind.marketStatusSet,
    account: 0,
    market: command.market,
    status: command.status,
  };
}

/**
 * Accepts only the next market number. The requester derived the number from its count of markets, so another number
 * means that a market was added meanwhile. Spec OPS-28.
 */
function decideAddition(state: VenueState, command: AddMarket): RejectReason | NonOrderEvent {
  const { market, status, termsHigh, termsLow } = command;
  if (market !== state.marketCount || market >= marketsMax) return RejectReason.unknownMarket;
  const terms = { market, status, termsHigh, termsLow };
  return { ...unnumbered, kind: EventKind.marketAdded, account: 0, ...terms };
}

/** Sets a reference price until a future time, at most a week away; price 0 ends the current one. Spec RSK-18. */
function decideReference(state: VenueState, command: SetReference): RejectReason | NonOrderEvent {
  const { origin, price, atUs } = command;
  const market = state.table.markets[command.market];
  if (market === undefined || !isPerpetual(market)) return RejectReason.unknownMarket;
  if (!(price >= 0)) return RejectReason.priceNotPositive;
  if (price > market.priceTicksMax) return RejectReason.priceTooHigh;
  const untilUs = price === 0 ? 0 : command.untilUs;
  const isInTime = untilUs > atUs && untilUs <= atUs + referenceMaxUs;
  if (price > 0 && !isInTime) return RejectReason.goodTillOutOfRange;
  const event = { kind: EventKind.referenceSet, market: market.id, origin, price, untilUs };
  return { ...unnumbered, ...event, account: 0 };
}

/** The value of a perpetual's risk term must be 0 or within the range of the term. Spec RSK-31. */
function decideRiskTerm(state: VenueState, command: SetRiskTerm): RejectReason | NonOrderEvent {
  const { term, value } = command;
  const market = state.table.markets[command.market];
  if (market === undefined || !isPerpetual(market)) return RejectReason.unknownMarket;
  if (!isRiskTermValue(term, value)) return RejectReason.amountNotPositive;
  const event = { kind: EventKind.riskTermSet, market: market.id, term, value };
  return { ...unnumbered, ...event, account: 0 };
}
