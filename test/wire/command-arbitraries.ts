// Any command of any kind; numbers a client can influence are safe integers of either sign.

import fc from "fast-check";
import { AccountType, KeyType, RateTier, Wallet } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/commands.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import {
  CancelCondition,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../src/core/orders.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { RiskTerm } from "../../src/core/perpetuals/risk-terms.ts";
import type { RequestKey } from "../../src/core/request-keys.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import {
  clientId,
  codeOf,
  int64,
  record,
  uint8,
  uint16,
  uint32,
  uint53,
} from "./event-arbitraries.ts";

/** No negative zero: a parsed integer is never one, and the codec need not tell it from zero. */
const integer = fc.maxSafeInteger().map((value) => value + 0);

const ownKey = record<RequestKey>({ high: int64, low: int64, payload: int64 });
const requestKey = fc.option(ownKey);

const header = {
  source: uint16,
  correlation: uint32,
  atUs: uint53,
  deadlineUs: uint53,
  account: uint32,
};

const order = {
  ...header,
  kind: fc.constant(CommandKind.placeOrder),
  market: uint16,
  side: codeOf(Side),
  type: codeOf(OrderType),
  timeInForce: codeOf(TimeInForce),
  price: integer,
  qty: integer,
  isReduceOnly: fc.boolean(),
  stpMode: codeOf(StpMode),
  workingPrice: codeOf(WorkingPrice),
  closesPosition: fc.boolean(),
  clientId,
  attached: fc.option(
    record({
      key: requestKey,
      leverage: integer,
    }),
  ),
};

/** Options that make a record longer; absent as often as not. */
const special = fc.oneof(
  fc.constant({
    quoteQty: 0n,
    goodTillUs: 0,
    triggerPrice: 0,
    trailingBps: 0,
    activationPrice: 0,
  }),
  record({
    quoteQty: int64,
    goodTillUs: integer,
    triggerPrice: integer,
    trailingBps: integer,
    activationPrice: integer,
  }),
);

const bodies = [
  fc.tuple(record(order), special).map(([plain, options]) => ({ ...plain, ...options })),
  record({
    ...header,
    kind: fc.constant(CommandKind.amendOrder),
    market: uint16,
    orderId: integer,
    price: integer,
    qty: integer,
    clientId,
    side: fc.constantFrom(Side.buy, Side.sell, null),
    growsNot: fc.boolean(),
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setCountdown),
    market: uint16,
    cancelAtUs: integer,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.cancelOrder),
    market: uint16,
    orderId: integer,
    clientId,
    onlyIf: codeOf(CancelCondition),
  }),
  record({ ...header, kind: fc.constant(CommandKind.cancelAllOrders), market: uint16 }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setLeverage),
    market: uint16,
    leverage: integer,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.transfer),
    key: requestKey,
    from: codeOf(Wallet),
    to: codeOf(Wallet),
    asset: uint8,
    amount: int64,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.openAccount),
    accountType: codeOf(AccountType),
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.credit),
    wallet: codeOf(Wallet),
    asset: uint8,
    amount: int64,
    isFromFaucet: fc.boolean(),
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setAccountFlags),
    flags: uint32,
    mask: uint32,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.registerKey),
    keyId: integer,
    keyType: codeOf(KeyType),
    tier: codeOf(RateTier),
    permissions: uint16,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.changeKey),
    keyId: integer,
    tier: codeOf(RateTier),
    permissions: uint16,
    isRevoked: fc.boolean(),
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setMarketStatus),
    market: uint16,
    status: codeOf(MarketStatus),
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.openSession),
    sessionId: integer,
    expiresUs: integer,
  }),
  record({ ...header, kind: fc.constant(CommandKind.closeSession), sessionId: integer }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setSessionKey),
    sessionId: integer,
    keyId: integer,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setReference),
    market: uint16,
    origin: codeOf(IndexOrigin),
    price: integer,
    untilUs: integer,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setRiskTerm),
    market: uint16,
    term: codeOf(RiskTerm),
    value: integer,
  }),
  record({ ...header, kind: fc.constant(CommandKind.refillFund), amount: int64 }),
  record({ ...header, kind: fc.constant(CommandKind.bindWallet) }),
  record({
    ...header,
    kind: fc.constant(CommandKind.deposit),
    asset: uint8,
    amount: int64,
    key: ownKey,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.requestWithdrawal),
    withdrawalId: integer,
    asset: uint8,
    amount: int64,
    fee: int64,
    destinationHigh: int64,
    destinationLow: int64,
    key: ownKey,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.endWithdrawal),
    withdrawalId: integer,
    isCompleted: fc.boolean(),
  }),
  record({ ...header, kind: fc.constant(CommandKind.settleCoins), asset: uint8, amount: int64 }),
  record({
    ...header,
    kind: fc.constant(CommandKind.setAccountType),
    accountType: codeOf(AccountType),
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.addMarket),
    market: uint16,
    status: codeOf(MarketStatus),
    termsHigh: int64,
    termsLow: int64,
  }),
  record({
    ...header,
    kind: fc.constant(CommandKind.recordSwapMove),
    moveNo: integer,
    swapNo: integer,
    market: uint16,
    side: codeOf(Side),
    from: codeOf(SwapState),
    to: codeOf(SwapState),
    reason: codeOf(SwapReason),
    price: integer,
    lots: integer,
    digestHigh: int64,
    digestLow: int64,
  }),
  record({ ...header, kind: fc.constant(CommandKind.fence) }),
  record({ ...header, kind: fc.constant(CommandKind.tick) }),
  record({ ...header, kind: fc.constant(CommandKind.settleFunding) }),
  record({ ...header, kind: fc.constant(CommandKind.claimReward) }),
  record({ ...header, kind: fc.constant(CommandKind.setReferrer), referrer: integer }),
] satisfies fc.Arbitrary<Command>[];

/** One arbitrary per kind, so that a test can be sure to meet each. */
export const commandOfEachKind: readonly fc.Arbitrary<Command>[] = bodies;

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(...bodies);
