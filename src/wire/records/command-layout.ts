// Byte offsets of every command record. Commands live in a ring for microseconds and are never stored,
// so numbers that a client can influence travel as float64 holding a safe integer of either sign:
// clearing answers a negative or absurd one with a refusal, the codec must not stop on it.
//
//   0      1           2        4             8      16           24        32
//   ┌──────┬───────────┬────────┬─────────────┬──────┬────────────┬─────────┬──────────────────────┐
//   │ kind │ id length │ source │ correlation │ atUs │ deadlineUs │ account │ body, then client id │
//   │ u8   │ u8        │ u16    │ u32         │ f64  │ f64        │ f64     │                      │
//   └──────┴───────────┴────────┴─────────────┴──────┴────────────┴─────────┴──────────────────────┘

import { assert } from "../../core/assert.ts";
import { clientIdBytesMax, commandBytesMax } from "../../core/limits.ts";

/** In front of every command; a fence, a tick, an early funding and a claim are nothing else. */
export const commandHeaderLayout = {
  kind: 0,
  clientIdLength: 1,
  source: 2,
  correlation: 4,
  atUs: 8,
  deadlineUs: 16,
  account: 24,
  size: 32,
} as const;

/** The client id follows the fixed part. */
export const placeOrderLayout = {
  price: 32,
  qty: 40,
  market: 48,
  side: 50,
  type: 51,
  timeInForce: 52,
  /** 1: reduce-only; 2: closes the position; 4: special options follow; 8: attachments, 16: with a key. */
  flags: 53,
  stpMode: 54,
  workingPrice: 55,
  size: 56,
} as const;

/** The fixed part of an order with special options: a plain one does not pay for them. */
export const specialOrderLayout = {
  quoteQty: 56,
  goodTillUs: 64,
  triggerPrice: 72,
  activationPrice: 80,
  trailingBps: 88,
  size: 96,
} as const;

/** What goes with an order, behind its fixed part or its special options: offsets from there. */
export const attachmentsLayout = {
  keyHigh: 0,
  keyLow: 8,
  payload: 16,
  leverage: 24,
  size: 32,
} as const;

/** The client id follows the fixed part. */
export const cancelOrderLayout = { orderId: 32, market: 40, onlyIf: 42, size: 48 } as const;

export const cancelAllOrdersLayout = { market: 32, size: 40 } as const;

/** The client id follows the fixed part. */
export const amendOrderLayout = {
  orderId: 32,
  price: 40,
  qty: 48,
  market: 56,
  /** A side, or 2 where none is named. */
  side: 58,
  growsNot: 59,
  size: 64,
} as const;

export const setCountdownLayout = { cancelAtUs: 32, market: 40, size: 48 } as const;

export const setLeverageLayout = { leverage: 32, market: 40, size: 48 } as const;

export const transferLayout = {
  amount: 32,
  from: 40,
  to: 41,
  asset: 42,
  /** 0 where the three words of the key are none. */
  isKeyed: 43,
  high: 48,
  low: 56,
  payload: 64,
  size: 72,
} as const;

/** Also of a change of an account's type. */
export const openAccountLayout = { accountType: 32, size: 40 } as const;

export const creditLayout = {
  amount: 32,
  wallet: 40,
  asset: 41,
  isFromFaucet: 42,
  size: 48,
} as const;

export const depositLayout = {
  amount: 32,
  high: 40,
  low: 48,
  payload: 56,
  asset: 64,
  size: 72,
} as const;

export const requestWithdrawalLayout = {
  withdrawalId: 32,
  amount: 40,
  fee: 48,
  destinationHigh: 56,
  destinationLow: 64,
  high: 72,
  low: 80,
  payload: 88,
  asset: 96,
  size: 104,
} as const;

export const endWithdrawalLayout = { withdrawalId: 32, isCompleted: 40, size: 48 } as const;

export const settleCoinsLayout = { amount: 32, asset: 40, size: 48 } as const;

export const recordSwapMoveLayout = {
  moveNo: 32,
  swapNo: 40,
  price: 48,
  lots: 56,
  digestHigh: 64,
  digestLow: 72,
  market: 80,
  side: 82,
  from: 83,
  to: 84,
  reason: 85,
  size: 88,
} as const;

export const setAccountFlagsLayout = { flags: 32, mask: 36, size: 40 } as const;

export const registerKeyLayout = {
  keyId: 32,
  permissions: 40,
  keyType: 42,
  tier: 43,
  size: 48,
} as const;

export const changeKeyLayout = {
  keyId: 32,
  permissions: 40,
  tier: 42,
  isRevoked: 43,
  size: 48,
} as const;

export const openSessionLayout = { sessionId: 32, expiresUs: 40, size: 48 } as const;

export const closeSessionLayout = { sessionId: 32, size: 40 } as const;

export const setSessionKeyLayout = { sessionId: 32, keyId: 40, size: 48 } as const;

export const setReferrerLayout = { referrer: 32, size: 40 } as const;

export const setMarketStatusLayout = { market: 32, status: 34, size: 40 } as const;

export const addMarketLayout = {
  termsHigh: 32,
  termsLow: 40,
  market: 48,
  status: 50,
  size: 56,
} as const;

export const setReferenceLayout = {
  price: 32,
  untilUs: 40,
  market: 48,
  origin: 50,
  size: 56,
} as const;

export const setRiskTermLayout = { value: 32, market: 40, term: 42, size: 48 } as const;

export const refillFundLayout = { amount: 32, size: 40 } as const;

assert(
  specialOrderLayout.size + attachmentsLayout.size + clientIdBytesMax <= commandBytesMax,
  "the longest command has room",
);
