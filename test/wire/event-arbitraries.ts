// Any event of any kind, with figures over the whole range of their fields.

import fc from "fast-check";
import { AccountType, KeyType, RateTier, Wallet } from "../../src/core/accounts.ts";
import { EventKind, type VenueEvent } from "../../src/core/events.ts";
import { clientIdBytesMax } from "../../src/core/limits.ts";
import {
  InsuranceCause,
  LiquidationStage,
  MoveCause,
  TradingGate,
} from "../../src/core/liquidation.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import {
  CloseReason,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../src/core/orders.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";

export const uint53 = fc.maxSafeNat();
export const uint32 = fc.nat(2 ** 32 - 1);
export const uint16 = fc.nat(2 ** 16 - 1);
export const uint8 = fc.nat(255);
export const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

/** Every character of one byte, although admission lets only Binance's pass. */
export const clientId = fc
  .array(fc.nat(255), { maxLength: clientIdBytesMax })
  .map((codes) => String.fromCharCode(...codes));

/** One of a closed set of codes. */
export function codeOf<Code extends number>(codes: Readonly<Record<string, Code>>) {
  return fc.constantFrom(...Object.values(codes));
}

/** Plain objects, as decoding makes them. */
export function record<Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) {
  return fc.record(model, { noNullPrototype: true });
}

const header = { seq: uint53, tsUs: uint53, account: uint32, isUnitEnd: fc.boolean() };

const accepted = {
  ...header,
  orderId: uint53,
  market: uint16,
  side: codeOf(Side),
  type: codeOf(OrderType),
  timeInForce: codeOf(TimeInForce),
  price: uint32,
  qty: uint53,
  marginPrice: uint32,
  marginLots: uint53,
  isReduceOnly: fc.boolean(),
  stpMode: codeOf(StpMode),
  clientId,
};

const changed = {
  orderId: uint53,
  market: uint16,
  price: uint32,
  qty: uint53,
  marginPrice: uint32,
};

const bodies = [
  record({
    ...header,
    kind: fc.constant(EventKind.sessionOpened),
    sessionId: uint53,
    expiresUs: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.sessionClosed),
    sessionId: uint53,
    keyId: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.sessionKeySet),
    sessionId: uint53,
    keyId: uint53,
    replacedKeyId: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.accountOpened),
    accountType: codeOf(AccountType),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.granted),
    wallet: codeOf(Wallet),
    asset: uint8,
    amount: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.credited),
    wallet: codeOf(Wallet),
    asset: uint8,
    amount: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.transferred),
    from: codeOf(Wallet),
    to: codeOf(Wallet),
    asset: uint8,
    amount: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.leverageSet),
    market: uint16,
    leverage: uint8,
  }),
  record({ ...header, kind: fc.constant(EventKind.accountFlagsSet), flags: uint32 }),
  record({
    ...header,
    kind: fc.constant(EventKind.requestKeyed),
    high: int64,
    low: int64,
    payload: int64,
    subject: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.keyRegistered),
    keyId: uint53,
    keyType: codeOf(KeyType),
    tier: codeOf(RateTier),
    permissions: uint16,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.keyChanged),
    keyId: uint53,
    tier: codeOf(RateTier),
    permissions: uint16,
    isRevoked: fc.boolean(),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.marketStatusSet),
    market: uint16,
    status: codeOf(MarketStatus),
  }),
  record({ ...accepted, kind: fc.constant(EventKind.orderAccepted) }),
  record({
    ...accepted,
    kind: fc.constant(EventKind.specialAccepted),
    quoteQty: int64,
    goodTillUs: uint53,
    triggerPrice: uint32,
    workingPrice: codeOf(WorkingPrice),
    trailingBps: uint16,
    activationPrice: uint32,
    closesPosition: fc.boolean(),
  }),
  record({ ...header, ...changed, kind: fc.constant(EventKind.orderTriggered) }),
  record({
    ...header,
    ...changed,
    kind: fc.constant(EventKind.orderAmended),
    isRequeued: fc.boolean(),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.orderReduced),
    orderId: uint53,
    market: uint16,
    qty: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.matchPrevented),
    market: uint16,
    takerOrderId: uint53,
    makerOrderId: uint53,
    stpMode: codeOf(StpMode),
    price: uint32,
    takerQty: uint53,
    makerQty: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.countdownSet),
    market: uint16,
    cancelAtUs: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.marked),
    market: uint16,
    mark: uint32,
    index: uint32,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.referenceSet),
    market: uint16,
    origin: codeOf(IndexOrigin),
    price: uint32,
    untilUs: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.basisAveraged),
    market: uint16,
    basis: fc.maxSafeInteger(),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.riskTermSet),
    market: uint16,
    term: codeOf(RiskTerm),
    value: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.indexMeasured),
    market: uint16,
    level: uint53,
    believed: uint53,
    leap: uint53,
    witnesses: uint8,
    isFresh: fc.boolean(),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.premiumSampled),
    market: uint16,
    premium: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.fundingStarted),
    market: uint16,
    rate: int64,
    mark: uint32,
    intervalUs: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.rewarded),
    wallet: codeOf(Wallet),
    amount: int64,
  }),
  record({ ...header, kind: fc.constant(EventKind.referred), referrer: uint32 }),
  record({ ...header, kind: fc.constant(EventKind.rewardClaimed), amount: int64 }),
  record({
    ...header,
    kind: fc.constant(EventKind.fundingPaid),
    market: uint16,
    amount: int64,
    qty: fc.maxSafeInteger(),
    rate: int64,
    mark: uint32,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.liquidationStaged),
    stage: codeOf(LiquidationStage),
    dryTries: uint8,
    nextUs: uint53,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.insuranceSettled),
    market: uint16,
    amount: int64,
    cause: codeOf(InsuranceCause),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.positionMoved),
    counterparty: uint32,
    market: uint16,
    qty: fc.maxSafeInteger(),
    value: int64,
    price: uint32,
    pnl: int64,
    counterpartyPnl: int64,
    cause: codeOf(MoveCause),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.tradingGateSet),
    gate: codeOf(TradingGate),
    fundEquity: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.fundHourSet),
    market: uint16,
    sinceUs: uint53,
    worth: int64,
    isPaused: fc.boolean(),
  }),
  record({ ...header, kind: fc.constant(EventKind.walletBound), flags: uint32 }),
  record({
    ...header,
    kind: fc.constant(EventKind.withdrawalRequested),
    withdrawalId: uint53,
    asset: uint8,
    amount: int64,
    fee: int64,
    destinationHigh: int64,
    destinationLow: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.withdrawalEnded),
    withdrawalId: uint53,
    asset: uint8,
    amount: int64,
    fee: int64,
    isCompleted: fc.boolean(),
  }),
  record({ ...header, kind: fc.constant(EventKind.coinsSettled), asset: uint8, amount: int64 }),
  record({
    ...header,
    kind: fc.constant(EventKind.accountTypeSet),
    accountType: codeOf(AccountType),
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.marketAdded),
    market: uint16,
    status: codeOf(MarketStatus),
    termsHigh: int64,
    termsLow: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.swapMoved),
    moveNo: uint53,
    swapNo: uint53,
    market: uint16,
    side: codeOf(Side),
    from: codeOf(SwapState),
    to: codeOf(SwapState),
    reason: codeOf(SwapReason),
    price: uint32,
    lots: uint53,
    digestHigh: int64,
    digestLow: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.traded),
    tradeId: uint53,
    market: uint16,
    takerSide: codeOf(Side),
    takerOrderId: uint53,
    makerOrderId: uint53,
    makerAccount: uint32,
    price: uint32,
    qty: uint53,
    takerFee: int64,
    makerFee: int64,
    takerPnl: int64,
    makerPnl: int64,
  }),
  record({
    ...header,
    kind: fc.constant(EventKind.orderClosed),
    orderId: uint53,
    market: uint16,
    reason: codeOf(CloseReason),
  }),
] satisfies fc.Arbitrary<VenueEvent>[];

/** One arbitrary per kind, so that a test can be sure to meet each. */
export const eventOfEachKind: readonly fc.Arbitrary<VenueEvent>[] = bodies;

export const anyEvent: fc.Arbitrary<VenueEvent> = fc.oneof(...bodies);
