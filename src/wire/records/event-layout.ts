// Byte offsets of every event: the same layout as the FlatBuffers structs of schemas/journal/event.fbs,
// which a test compares byte for byte. The bytes in the ring are the bytes in the journal, so this file
// is a storage format: never move a field; a new need is a new event kind.
//
//   0         8         16        20     21      22       24
//   ┌─────────┬─────────┬─────────┬──────┬───────┬────────┬──────────────────────┐
//   │ seq     │ tsUs    │ account │ kind │ flags │ bytes  │ body, then client id │
//   │ ulong   │ ulong   │ uint    │ ubyte│ ubyte │ ushort │                      │
//   └─────────┴─────────┴─────────┴──────┴───────┴────────┴──────────────────────┘
//
// Little-endian, fields aligned to their size. `ulong` carries at most 53 bits. `filler` is the last
// word of a layout that ends before a multiple of 8; filler bytes are zero.

import { assert } from "../../core/assert.ts";
import { clientIdBytesMax, eventBytesMax, priceTicksMax } from "../../core/limits.ts";

/** In front of every event. */
export const headerLayout = {
  seq: 0,
  tsUs: 8,
  account: 16,
  kind: 20,
  /** 1: last event of its unit. */
  flags: 21,
  /** Length of the whole event, client id included. */
  bytes: 22,
  size: 24,
} as const;

/** Also of an account whose type changes. */
export const accountOpenedLayout = { accountType: 24, filler: 28, size: 32 } as const;

/** Also of money from the faucet. */
export const creditedLayout = {
  amount: 24,
  wallet: 32,
  asset: 33,
  filler: 36,
  size: 40,
} as const;

export const transferredLayout = {
  amount: 24,
  from: 32,
  to: 33,
  asset: 34,
  filler: 36,
  size: 40,
} as const;

export const leverageSetLayout = { market: 24, leverage: 26, filler: 28, size: 32 } as const;

export const accountFlagsSetLayout = { flags: 24, filler: 28, size: 32 } as const;

export const keyRegisteredLayout = {
  keyId: 24,
  permissions: 32,
  keyType: 34,
  tier: 35,
  filler: 36,
  size: 40,
} as const;

export const keyChangedLayout = {
  keyId: 24,
  permissions: 32,
  tier: 34,
  isRevoked: 35,
  filler: 36,
  size: 40,
} as const;

export const marketStatusSetLayout = { market: 24, status: 26, filler: 28, size: 32 } as const;

export const marketAddedLayout = {
  termsHigh: 24,
  termsLow: 32,
  market: 40,
  status: 42,
  filler: 44,
  size: 48,
} as const;

export const sessionOpenedLayout = { sessionId: 24, expiresUs: 32, size: 40 } as const;

export const sessionClosedLayout = { sessionId: 24, keyId: 32, size: 40 } as const;

export const sessionKeySetLayout = {
  sessionId: 24,
  keyId: 32,
  replacedKeyId: 40,
  size: 48,
} as const;

/** The client id follows the fixed part. */
export const orderAcceptedLayout = {
  orderId: 24,
  qty: 32,
  marginLots: 40,
  price: 48,
  marginPrice: 52,
  market: 56,
  side: 58,
  type: 59,
  timeInForce: 60,
  clientIdLength: 61,
  /** 1: reduce-only; 2: closes the position. */
  flags: 62,
  stpMode: 63,
  size: 64,
} as const;

/** As an accepted order, and what is special about it; the client id follows the fixed part. */
export const specialAcceptedLayout = {
  ...orderAcceptedLayout,
  goodTillUs: 64,
  quoteQty: 72,
  triggerPrice: 80,
  activationPrice: 84,
  trailingBps: 88,
  workingPrice: 90,
  filler: 92,
  size: 96,
} as const;

export const orderTriggeredLayout = {
  orderId: 24,
  qty: 32,
  price: 40,
  marginPrice: 44,
  market: 48,
  filler: 52,
  size: 56,
} as const;

export const orderAmendedLayout = {
  orderId: 24,
  qty: 32,
  price: 40,
  marginPrice: 44,
  market: 48,
  isRequeued: 50,
  filler: 52,
  size: 56,
} as const;

export const orderReducedLayout = {
  orderId: 24,
  qty: 32,
  market: 40,
  filler: 44,
  size: 48,
} as const;

export const matchPreventedLayout = {
  takerOrderId: 24,
  makerOrderId: 32,
  takerQty: 40,
  makerQty: 48,
  price: 56,
  market: 60,
  stpMode: 62,
  size: 64,
} as const;

export const countdownSetLayout = { cancelAtUs: 24, market: 32, filler: 36, size: 40 } as const;

export const markedLayout = { mark: 24, index: 28, market: 32, filler: 36, size: 40 } as const;

export const premiumSampledLayout = { premium: 24, market: 32, filler: 36, size: 40 } as const;

export const fundingStartedLayout = {
  rate: 24,
  intervalUs: 32,
  mark: 40,
  market: 44,
  size: 48,
} as const;

export const fundingPaidLayout = {
  amount: 24,
  qty: 32,
  rate: 40,
  mark: 48,
  market: 52,
  size: 56,
} as const;

export const requestKeyedLayout = {
  high: 24,
  low: 32,
  payload: 40,
  subject: 48,
  size: 56,
} as const;

export const referredLayout = { referrer: 24, filler: 28, size: 32 } as const;

export const rewardedLayout = { amount: 24, wallet: 32, filler: 36, size: 40 } as const;

export const rewardClaimedLayout = { amount: 24, size: 32 } as const;
export const liquidationStagedLayout = {
  nextUs: 24,
  stage: 32,
  dryTries: 33,
  filler: 36,
  size: 40,
} as const;

export const insuranceSettledLayout = {
  amount: 24,
  market: 32,
  cause: 34,
  filler: 36,
  size: 40,
} as const;

export const positionMovedLayout = {
  qty: 24,
  value: 32,
  pnl: 40,
  counterpartyPnl: 48,
  counterparty: 56,
  price: 60,
  market: 64,
  cause: 66,
  filler: 68,
  size: 72,
} as const;

export const tradingGateSetLayout = { fundEquity: 24, gate: 32, filler: 36, size: 40 } as const;

export const fundHourSetLayout = {
  worth: 24,
  sinceUs: 32,
  market: 40,
  isPaused: 42,
  filler: 44,
  size: 48,
} as const;

export const referenceSetLayout = {
  untilUs: 24,
  price: 32,
  market: 36,
  origin: 38,
  size: 40,
} as const;

export const basisAveragedLayout = { basis: 24, market: 32, filler: 36, size: 40 } as const;

export const riskTermSetLayout = { value: 24, market: 32, term: 34, filler: 36, size: 40 } as const;

export const indexMeasuredLayout = {
  level: 24,
  believed: 32,
  leap: 40,
  market: 48,
  witnesses: 50,
  isFresh: 51,
  filler: 52,
  size: 56,
} as const;

export const walletBoundLayout = { flags: 24, filler: 28, size: 32 } as const;

export const withdrawalRequestedLayout = {
  withdrawalId: 24,
  amount: 32,
  fee: 40,
  destinationHigh: 48,
  destinationLow: 56,
  asset: 64,
  filler: 68,
  size: 72,
} as const;

export const withdrawalEndedLayout = {
  withdrawalId: 24,
  amount: 32,
  fee: 40,
  asset: 48,
  isCompleted: 49,
  filler: 52,
  size: 56,
} as const;

export const coinsSettledLayout = { amount: 24, asset: 32, filler: 36, size: 40 } as const;

export const swapMovedLayout = {
  moveNo: 24,
  swapNo: 32,
  lots: 40,
  digestHigh: 48,
  digestLow: 56,
  price: 64,
  market: 68,
  side: 70,
  from: 71,
  to: 72,
  reason: 73,
  filler: 76,
  size: 80,
} as const;

export const tradedLayout = {
  tradeId: 24,
  takerOrderId: 32,
  makerOrderId: 40,
  qty: 48,
  takerFee: 56,
  makerFee: 64,
  takerPnl: 72,
  makerPnl: 80,
  price: 88,
  makerAccount: 92,
  market: 96,
  takerSide: 98,
  filler: 100,
  size: 104,
} as const;

export const orderClosedLayout = {
  orderId: 24,
  market: 32,
  reason: 34,
  filler: 36,
  size: 40,
} as const;

assert(
  specialAcceptedLayout.size + clientIdBytesMax <= eventBytesMax,
  "the longest event has room",
);
assert(tradedLayout.size <= eventBytesMax, "a trade has room");
assert(priceTicksMax < 2 ** 32, "a price fits its word");
