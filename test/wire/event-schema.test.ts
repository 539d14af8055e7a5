// The hand-written layout against the FlatBuffers structs of schemas/journal/event.fbs: the same
// event, built by the generated code, gives the same bytes.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Builder } from "flatbuffers";
import { AccountFlagsSet } from "../../schemas/journal/generated/rialto/journal/account-flags-set.ts";
import { AccountOpened } from "../../schemas/journal/generated/rialto/journal/account-opened.ts";
import { AccountTypeSet } from "../../schemas/journal/generated/rialto/journal/account-type-set.ts";
import { BasisAveraged } from "../../schemas/journal/generated/rialto/journal/basis-averaged.ts";
import { CoinsSettled } from "../../schemas/journal/generated/rialto/journal/coins-settled.ts";
import { CountdownSet } from "../../schemas/journal/generated/rialto/journal/countdown-set.ts";
import { Credited } from "../../schemas/journal/generated/rialto/journal/credited.ts";
import { EventHeader } from "../../schemas/journal/generated/rialto/journal/event-header.ts";
import { FundHourSet } from "../../schemas/journal/generated/rialto/journal/fund-hour-set.ts";
import { FundingPaid } from "../../schemas/journal/generated/rialto/journal/funding-paid.ts";
import { FundingStarted } from "../../schemas/journal/generated/rialto/journal/funding-started.ts";
import { Granted } from "../../schemas/journal/generated/rialto/journal/granted.ts";
import { IndexMeasured } from "../../schemas/journal/generated/rialto/journal/index-measured.ts";
import { InsuranceSettled } from "../../schemas/journal/generated/rialto/journal/insurance-settled.ts";
import { KeyChanged } from "../../schemas/journal/generated/rialto/journal/key-changed.ts";
import { KeyRegistered } from "../../schemas/journal/generated/rialto/journal/key-registered.ts";
import { LeverageSet } from "../../schemas/journal/generated/rialto/journal/leverage-set.ts";
import { LiquidationStaged } from "../../schemas/journal/generated/rialto/journal/liquidation-staged.ts";
import { Marked } from "../../schemas/journal/generated/rialto/journal/marked.ts";
import { MarketAdded } from "../../schemas/journal/generated/rialto/journal/market-added.ts";
import { MarketStatusSet } from "../../schemas/journal/generated/rialto/journal/market-status-set.ts";
import { MatchPrevented } from "../../schemas/journal/generated/rialto/journal/match-prevented.ts";
import { OrderAccepted } from "../../schemas/journal/generated/rialto/journal/order-accepted.ts";
import { OrderAmended } from "../../schemas/journal/generated/rialto/journal/order-amended.ts";
import { OrderClosed } from "../../schemas/journal/generated/rialto/journal/order-closed.ts";
import { OrderReduced } from "../../schemas/journal/generated/rialto/journal/order-reduced.ts";
import { OrderTriggered } from "../../schemas/journal/generated/rialto/journal/order-triggered.ts";
import { PositionMoved } from "../../schemas/journal/generated/rialto/journal/position-moved.ts";
import { PremiumSampled } from "../../schemas/journal/generated/rialto/journal/premium-sampled.ts";
import { ReferenceSet } from "../../schemas/journal/generated/rialto/journal/reference-set.ts";
import { Referred } from "../../schemas/journal/generated/rialto/journal/referred.ts";
import { RequestKeyed } from "../../schemas/journal/generated/rialto/journal/request-keyed.ts";
import { RewardClaimed } from "../../schemas/journal/generated/rialto/journal/reward-claimed.ts";
import { Rewarded } from "../../schemas/journal/generated/rialto/journal/rewarded.ts";
import { RiskTermSet } from "../../schemas/journal/generated/rialto/journal/risk-term-set.ts";
import { SessionClosed } from "../../schemas/journal/generated/rialto/journal/session-closed.ts";
import { SessionKeySet } from "../../schemas/journal/generated/rialto/journal/session-key-set.ts";
import { SessionOpened } from "../../schemas/journal/generated/rialto/journal/session-opened.ts";
import { SpecialAccepted } from "../../schemas/journal/generated/rialto/journal/special-accepted.ts";
import { SwapMoved } from "../../schemas/journal/generated/rialto/journal/swap-moved.ts";
import { Traded } from "../../schemas/journal/generated/rialto/journal/traded.ts";
import { TradingGateSet } from "../../schemas/journal/generated/rialto/journal/trading-gate-set.ts";
import { Transferred } from "../../schemas/journal/generated/rialto/journal/transferred.ts";
import { WalletBound } from "../../schemas/journal/generated/rialto/journal/wallet-bound.ts";
import { WithdrawalEnded } from "../../schemas/journal/generated/rialto/journal/withdrawal-ended.ts";
import { WithdrawalRequested } from "../../schemas/journal/generated/rialto/journal/withdrawal-requested.ts";
import { unreachable } from "../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../src/core/events.ts";
import { eventBytesMax } from "../../src/core/limits.ts";
import { encodeEvent, eventBytes } from "../../src/wire/records/event-codec.ts";
import * as layout from "../../src/wire/records/event-layout.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { eventOfEachKind } from "./event-arbitraries.ts";

type Header = [
  seq: bigint,
  tsUs: bigint,
  account: number,
  kind: number,
  flags: number,
  bytes: number,
];

function headerOf(event: VenueEvent): Header {
  const flags = event.isUnitEnd ? 1 : 0;
  const { seq, tsUs, account, kind } = event;
  return [BigInt(seq), BigInt(tsUs), account, kind, flags, eventBytes(event)];
}

function buildOrderEvent(b: Builder, e: Extract<VenueEvent, { kind: 16 | 17 | 18 }>): number {
  const h = headerOf(e);
  switch (e.kind) {
    case EventKind.orderAccepted:
      return OrderAccepted.createOrderAccepted(
        ...([b, ...h, BigInt(e.orderId), BigInt(e.qty), BigInt(e.marginLots)] as const),
        ...([e.price, e.marginPrice, e.market, e.side, e.type, e.timeInForce] as const),
        ...([e.clientId.length, e.isReduceOnly ? 1 : 0, e.stpMode] as const),
      );
    case EventKind.traded:
      return Traded.createTraded(
        ...([b, ...h, BigInt(e.tradeId), BigInt(e.takerOrderId), BigInt(e.makerOrderId)] as const),
        ...([BigInt(e.qty), e.takerFee, e.makerFee, e.takerPnl, e.makerPnl] as const),
        ...([e.price, e.makerAccount, e.market, e.takerSide] as const),
      );
    case EventKind.orderClosed:
      return OrderClosed.createOrderClosed(b, ...h, BigInt(e.orderId), e.market, e.reason);
    default:
      return unreachable(e);
  }
}

type SessionEvent = Extract<VenueEvent, { kind: 9 | 10 | 11 }>;

function buildSessionEvent(b: Builder, e: SessionEvent): number {
  const h = headerOf(e);
  const sessionId = BigInt(e.sessionId);
  switch (e.kind) {
    case EventKind.sessionOpened:
      return SessionOpened.createSessionOpened(b, ...h, sessionId, BigInt(e.expiresUs));
    case EventKind.sessionClosed:
      return SessionClosed.createSessionClosed(b, ...h, sessionId, BigInt(e.keyId));
    default: {
      const ids = [sessionId, BigInt(e.keyId), BigInt(e.replacedKeyId)] as const;
      return SessionKeySet.createSessionKeySet(b, ...h, ...ids);
    }
  }
}

type CustodyEvent = Extract<VenueEvent, { kind: 38 | 39 | 40 | 42 }>;

function buildCustodyEvent(b: Builder, e: CustodyEvent): number {
  const h = headerOf(e);
  switch (e.kind) {
    case EventKind.walletBound:
      return WalletBound.createWalletBound(b, ...h, e.flags);
    case EventKind.withdrawalRequested:
      return WithdrawalRequested.createWithdrawalRequested(
        ...([b, ...h, BigInt(e.withdrawalId), e.amount, e.fee] as const),
        ...([e.destinationHigh, e.destinationLow, e.asset] as const),
      );
    case EventKind.coinsSettled:
      return CoinsSettled.createCoinsSettled(b, ...h, e.amount, e.asset);
    default:
      return WithdrawalEnded.createWithdrawalEnded(
        ...([b, ...h, BigInt(e.withdrawalId), e.amount, e.fee, e.asset, e.isCompleted] as const),
      );
  }
}

type FundingEvent = Extract<VenueEvent, { kind: 25 | 26 | 27 }>;

function buildFundingEvent(b: Builder, e: FundingEvent): number {
  const h = headerOf(e);
  switch (e.kind) {
    case EventKind.premiumSampled:
      return PremiumSampled.createPremiumSampled(b, ...h, e.premium, e.market);
    case EventKind.fundingStarted: {
      const { rate, intervalUs, mark, market } = e;
      return FundingStarted.createFundingStarted(b, ...h, rate, BigInt(intervalUs), mark, market);
    }
    default: {
      const { amount, qty, rate, mark, market } = e;
      return FundingPaid.createFundingPaid(b, ...h, amount, BigInt(qty), rate, mark, market);
    }
  }
}

type RewardEvent = Extract<VenueEvent, { kind: 29 | 30 | 31 }>;

function buildRewardEvent(b: Builder, e: RewardEvent): number {
  const h = headerOf(e);
  if (e.kind === EventKind.referred) return Referred.createReferred(b, ...h, e.referrer);
  if (e.kind === EventKind.rewarded) return Rewarded.createRewarded(b, ...h, e.amount, e.wallet);
  return RewardClaimed.createRewardClaimed(b, ...h, e.amount);
}

type RiskEvent = Extract<VenueEvent, { kind: 32 | 33 | 34 | 35 | 49 }>;

function buildRiskEvent(b: Builder, e: RiskEvent): number {
  const h = headerOf(e);
  switch (e.kind) {
    case EventKind.liquidationStaged: {
      const { nextUs, stage, dryTries } = e;
      return LiquidationStaged.createLiquidationStaged(b, ...h, BigInt(nextUs), stage, dryTries);
    }
    case EventKind.insuranceSettled:
      return InsuranceSettled.createInsuranceSettled(b, ...h, e.amount, e.market, e.cause);
    case EventKind.positionMoved:
      return PositionMoved.createPositionMoved(
        ...([b, ...h, BigInt(e.qty), e.value, e.pnl, e.counterpartyPnl] as const),
        ...([e.counterparty, e.price, e.market, e.cause] as const),
      );
    case EventKind.fundHourSet: {
      const { worth, sinceUs, market, isPaused } = e;
      return FundHourSet.createFundHourSet(b, ...h, worth, BigInt(sinceUs), market, isPaused);
    }
    default:
      return TradingGateSet.createTradingGateSet(b, ...h, e.fundEquity, e.gate);
  }
}

type PriceEvent = Extract<VenueEvent, { kind: 36 | 37 | 46 | 47 }>;

function buildPriceEvent(b: Builder, e: PriceEvent): number {
  const h = headerOf(e);
  if (e.kind === EventKind.referenceSet) {
    const { untilUs, price, market, origin } = e;
    return ReferenceSet.createReferenceSet(b, ...h, BigInt(untilUs), price, market, origin);
  }
  if (e.kind === EventKind.riskTermSet) {
    return RiskTermSet.createRiskTermSet(b, ...h, BigInt(e.value), e.market, e.term);
  }
  if (e.kind === EventKind.indexMeasured) {
    const prices = [BigInt(e.level), BigInt(e.believed), BigInt(e.leap)] as const;
    const { market, witnesses, isFresh } = e;
    return IndexMeasured.createIndexMeasured(b, ...h, ...prices, market, witnesses, isFresh);
  }
  return BasisAveraged.createBasisAveraged(b, ...h, BigInt(e.basis), e.market);
}

type ChangeEvent = Extract<VenueEvent, { kind: 19 | 20 | 21 | 22 | 23 | 24 | 48 }>;

function buildChangeEvent(b: Builder, e: ChangeEvent): number {
  const h = headerOf(e);
  switch (e.kind) {
    case EventKind.specialAccepted: {
      const flags = (e.isReduceOnly ? 1 : 0) + (e.closesPosition ? 2 : 0);
      return SpecialAccepted.createSpecialAccepted(
        ...([b, ...h, BigInt(e.orderId), BigInt(e.qty), BigInt(e.marginLots)] as const),
        ...([e.price, e.marginPrice, e.market, e.side, e.type, e.timeInForce] as const),
        ...([e.clientId.length, flags, e.stpMode, BigInt(e.goodTillUs), e.quoteQty] as const),
        ...([e.triggerPrice, e.activationPrice, e.trailingBps, e.workingPrice] as const),
      );
    }
    case EventKind.orderTriggered:
      return OrderTriggered.createOrderTriggered(
        ...([b, ...h, BigInt(e.orderId), BigInt(e.qty), e.price, e.marginPrice, e.market] as const),
      );
    case EventKind.orderAmended:
      return OrderAmended.createOrderAmended(
        ...([b, ...h, BigInt(e.orderId), BigInt(e.qty), e.price, e.marginPrice, e.market] as const),
        e.isRequeued,
      );
    case EventKind.orderReduced:
      return OrderReduced.createOrderReduced(b, ...h, BigInt(e.orderId), BigInt(e.qty), e.market);
    case EventKind.matchPrevented:
      return MatchPrevented.createMatchPrevented(
        ...([b, ...h, BigInt(e.takerOrderId), BigInt(e.makerOrderId), BigInt(e.takerQty)] as const),
        ...([BigInt(e.makerQty), e.price, e.market, e.stpMode] as const),
      );
    case EventKind.countdownSet:
      return CountdownSet.createCountdownSet(b, ...h, BigInt(e.cancelAtUs), e.market);
    case EventKind.marked:
      return Marked.createMarked(b, ...h, e.mark, e.index, e.market);
    default:
      return unreachable(e);
  }
}

/** Builds the struct of the event with the generated code; returns its bytes. */
function build(b: Builder, e: VenueEvent): number {
  const h = headerOf(e);
  switch (e.kind) {
    case EventKind.accountOpened:
      return AccountOpened.createAccountOpened(b, ...h, e.accountType);
    case EventKind.credited:
      return Credited.createCredited(b, ...h, e.amount, e.wallet, e.asset);
    case EventKind.granted:
      return Granted.createGranted(b, ...h, e.amount, e.wallet, e.asset);
    case EventKind.transferred:
      return Transferred.createTransferred(b, ...h, e.amount, e.from, e.to, e.asset);
    case EventKind.leverageSet:
      return LeverageSet.createLeverageSet(b, ...h, e.market, e.leverage);
    case EventKind.accountFlagsSet:
      return AccountFlagsSet.createAccountFlagsSet(b, ...h, e.flags);
    case EventKind.keyRegistered: {
      const rights = [e.permissions, e.keyType, e.tier] as const;
      return KeyRegistered.createKeyRegistered(b, ...h, BigInt(e.keyId), ...rights);
    }
    case EventKind.keyChanged: {
      const { permissions, tier, isRevoked } = e;
      return KeyChanged.createKeyChanged(b, ...h, BigInt(e.keyId), permissions, tier, isRevoked);
    }
    case EventKind.accountTypeSet:
      return AccountTypeSet.createAccountTypeSet(b, ...h, e.accountType);
    case EventKind.marketAdded:
      return MarketAdded.createMarketAdded(b, ...h, e.termsHigh, e.termsLow, e.market, e.status);
    case EventKind.marketStatusSet:
      return MarketStatusSet.createMarketStatusSet(b, ...h, e.market, e.status);
    case EventKind.requestKeyed:
      return RequestKeyed.createRequestKeyed(
        ...([b, ...h, e.high, e.low, e.payload, BigInt(e.subject)] as const),
      );
    case EventKind.orderAccepted:
    case EventKind.traded:
    case EventKind.orderClosed:
      return buildOrderEvent(b, e);
    case EventKind.premiumSampled:
    case EventKind.fundingStarted:
    case EventKind.fundingPaid:
      return buildFundingEvent(b, e);
    case EventKind.referred:
    case EventKind.rewarded:
    case EventKind.rewardClaimed:
      return buildRewardEvent(b, e);
    case EventKind.liquidationStaged:
    case EventKind.insuranceSettled:
    case EventKind.positionMoved:
    case EventKind.tradingGateSet:
    case EventKind.fundHourSet:
      return buildRiskEvent(b, e);
    case EventKind.referenceSet:
    case EventKind.basisAveraged:
    case EventKind.riskTermSet:
    case EventKind.indexMeasured:
      return buildPriceEvent(b, e);
    case EventKind.walletBound:
    case EventKind.withdrawalRequested:
    case EventKind.withdrawalEnded:
    case EventKind.coinsSettled:
      return buildCustodyEvent(b, e);
    case EventKind.swapMoved:
      return SwapMoved.createSwapMoved(
        ...([b, ...headerOf(e), BigInt(e.moveNo), BigInt(e.swapNo), BigInt(e.lots)] as const),
        ...([e.digestHigh, e.digestLow, e.price, e.market] as const),
        ...([e.side, e.from, e.to, e.reason] as const),
      );
    case EventKind.sessionOpened:
    case EventKind.sessionClosed:
    case EventKind.sessionKeySet:
      return buildSessionEvent(b, e);
    default:
      return buildChangeEvent(b, e);
  }
}

for (const one of eventOfEachKind) {
  const kind = fc.sample(one, 1)[0]?.kind;
  const name = Object.entries(EventKind).find(([, code]) => code === kind)?.[0];
  test(`${name} has the bytes that FlatBuffers gives it`, () => {
    fc.assert(
      fc.property(one, (event) => {
        const builder = new Builder(eventBytesMax);
        const fixed = build(builder, event);
        const memory = builder.dataBuffer().bytes();
        const expected = memory.slice(memory.length - fixed);
        const views = createRecordViews(new ArrayBuffer(eventBytesMax));
        views.u8.fill(0xee);
        encodeEvent(views, 0, event);
        assert.deepEqual(views.u8.slice(0, fixed), expected);
        const idLength = "clientId" in event ? event.clientId.length : 0;
        assert.equal(eventBytes(event), fixed + idLength);
      }),
    );
  });
}

test("declared and written sizes agree for the header and every struct", () => {
  assert.equal(EventHeader.sizeOf(), layout.headerLayout.size);
  assert.equal(AccountOpened.sizeOf(), layout.accountOpenedLayout.size);
  assert.equal(Credited.sizeOf(), layout.creditedLayout.size);
  assert.equal(Granted.sizeOf(), layout.creditedLayout.size);
  assert.equal(Transferred.sizeOf(), layout.transferredLayout.size);
  assert.equal(LeverageSet.sizeOf(), layout.leverageSetLayout.size);
  assert.equal(AccountFlagsSet.sizeOf(), layout.accountFlagsSetLayout.size);
  assert.equal(KeyRegistered.sizeOf(), layout.keyRegisteredLayout.size);
  assert.equal(KeyChanged.sizeOf(), layout.keyChangedLayout.size);
  assert.equal(MarketStatusSet.sizeOf(), layout.marketStatusSetLayout.size);
  assert.equal(OrderAccepted.sizeOf(), layout.orderAcceptedLayout.size);
  assert.equal(SpecialAccepted.sizeOf(), layout.specialAcceptedLayout.size);
  assert.equal(OrderTriggered.sizeOf(), layout.orderTriggeredLayout.size);
  assert.equal(OrderAmended.sizeOf(), layout.orderAmendedLayout.size);
  assert.equal(OrderReduced.sizeOf(), layout.orderReducedLayout.size);
  assert.equal(MatchPrevented.sizeOf(), layout.matchPreventedLayout.size);
  assert.equal(CountdownSet.sizeOf(), layout.countdownSetLayout.size);
  assert.equal(Marked.sizeOf(), layout.markedLayout.size);
  assert.equal(Referred.sizeOf(), layout.referredLayout.size);
  assert.equal(Rewarded.sizeOf(), layout.rewardedLayout.size);
  assert.equal(RewardClaimed.sizeOf(), layout.rewardClaimedLayout.size);
  assert.equal(Traded.sizeOf(), layout.tradedLayout.size);
  assert.equal(OrderClosed.sizeOf(), layout.orderClosedLayout.size);
  assert.equal(RequestKeyed.sizeOf(), layout.requestKeyedLayout.size);
  assert.equal(WalletBound.sizeOf(), layout.walletBoundLayout.size);
  assert.equal(WithdrawalRequested.sizeOf(), layout.withdrawalRequestedLayout.size);
  assert.equal(WithdrawalEnded.sizeOf(), layout.withdrawalEndedLayout.size);
  assert.equal(CoinsSettled.sizeOf(), layout.coinsSettledLayout.size);
  assert.equal(AccountTypeSet.sizeOf(), layout.accountOpenedLayout.size);
  assert.equal(MarketAdded.sizeOf(), layout.marketAddedLayout.size);
  assert.equal(SwapMoved.sizeOf(), layout.swapMovedLayout.size);
});
