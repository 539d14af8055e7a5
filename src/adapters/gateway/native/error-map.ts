// The native surface's messages for all refusals; this is the only file with these messages. Statuses:
// docs/spec/errors.md. The body is the message alone, or {"error": message} on wallet, deposit, solvency and provider
// routes.

import { candlePeriods } from "../../../../schemas/http/native.ts";
import { subAccountLabelLengthMax, subAccountsPerOwnerMax } from "../../../core/accounts.ts";
import {
  incomeRowsMax,
  keyLabelLengthMax,
  keyRangesMax,
  keysPerAccountMax,
  requestKeyLengthMax,
} from "../../../core/limits.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import { timeInForceNames } from "../../../core/orders.ts";
import { providerNameLengthMax } from "../../../core/provider-limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { everyPermissionName } from "../../../services/access/key-restrictions.ts";
import type { SignatureFault } from "../../../services/access/message-signature.ts";
import {
  notExecuted,
  type SurfaceError,
  storeAway,
  transportErrors,
  unexpected,
} from "../requests/surface-error.ts";
import type { TransportFault } from "../server/uws-server.ts";

function fault(status: number, msg: string): SurfaceError {
  return { status, code: 0, msg };
}

const nativeTimesInForce: string[] = timeInForceNames("native");
const lastTimeInForce = nativeTimesInForce.pop();

export const nativeFaults = {
  notFound: fault(404, "not found"),
  wrongMethod: fault(405, "method not allowed"),
  tokenMissing: fault(401, "missing bearer token"),
  sessionInvalid: fault(401, "invalid session"),
  tooManyRequests: fault(429, "too many requests"),
  networkFull: fault(429, "too many new accounts from this network; try again in an hour"),
  badProof: fault(401, "invalid nonce or signature"),
  badPublicKey: fault(400, "public_key must be the base64 of a valid 32-byte Ed25519 public key"),
  badHint: fault(400, "party_hint must be 1 to 64 letters, digits, _ or -"),
  badKeyType: fault(400, "key_type must be HMAC or ED25519"),
  publicKeyMissing: fault(400, "public_key is required when key_type is ED25519"),
  publicKeyUnneeded: fault(400, "public_key is only allowed with key_type ED25519"),
  labelTooLong: fault(400, `label must have at most ${keyLabelLengthMax} characters`),
  labelControls: fault(400, "label must not contain control characters"),
  labelReserved: fault(400, "label must not start with spot-session:, mm- or taker-"),
  tooManyKeys: fault(409, `an account can have at most ${keysPerAccountMax} active API keys`),
  keyUnknown: fault(404, "API key not found"),
  sessionUnknown: fault(404, "session not found"),
  badPermissions: fault(400, `permissions must be one or more of ${everyPermissionName}`),
  badExpiry: fault(400, "expires_at must be null or a future time such as 2030-01-31T12:00:00Z"),
  withdrawsAnywhere: fault(400, "allowed_addresses must not be empty for a key with WITHDRAW"),
  tooManyAddresses: fault(
    400,
    `allowed_addresses must be at most ${keyRangesMax} addresses or ranges`,
  ),
  halfProof: fault(400, "nonce and signature must be sent together"),
  wideningUnsigned: fault(
    403,
    "the change adds rights to the key: send the nonce and the wallet's signature of the message from restrictions/challenge",
  ),
  keyChangedMeanwhile: fault(
    409,
    "the key was changed by another request: read its restrictions again",
  ),
  accountInFamily: fault(409, "the account has sub-accounts or is one"),
  subAccountUnknown: fault(404, "sub-account not found"),
  subAccountLabel: fault(
    400,
    `label must be 1 to ${subAccountLabelLengthMax} letters, digits, _, - or .`,
  ),
  subAccountLabelTaken: fault(409, "another sub-account has this label"),
  sameAccount: fault(400, "from_account and to_account must differ: use /v1/transfers"),
  unknownSymbol: fault(400, "unknown symbol"),
  incomeCut: fault(
    400,
    `a list of income ends after ${incomeRowsMax - 1} rows: continue with start_ms`,
  ),
  periodMissing: fault(400, `period must be one of ${candlePeriods.join(", ")}`),
  unknownReferralCode: fault(400, "unknown referral_code"),
  unknownAsset: fault(400, "unknown asset"),
  badWallet: fault(400, "wallet must be funding, spot, perp or ledger"),
  perpWalletAsset: fault(400, "the perp wallet holds USDC only"),
  faucetEmpty: fault(400, "amount exceeds what the faucet has left"),
  walletFunded: fault(
    403,
    "the spot wallet of a wallet-funded account is on the ledger and cannot be used here",
  ),
  epochUnknown: fault(404, "epoch not found"),
  notSealed: fault(
    404,
    "seq or ref_id not found in a sealed epoch; epochs are sealed once a minute",
  ),
  nothingToProve: fault(404, "there is no such journal entry, order or trade yet"),
  proofOfWhat: fault(400, "give either seq or ref_id"),
  noStatement: fault(404, "there is no liabilities statement yet; one follows each sealed epoch"),
  statementUnknown: fault(404, "there is no liabilities statement of this epoch"),
  leavesNotKept: fault(404, "leaves are kept for the newest two liabilities statements only"),
  badUuid: fault(400, "malformed UUID in the path"),
  badSide: fault(400, "side must be BUY or SELL"),
  badType: fault(400, "type must be LIMIT or MARKET"),
  badTimeInForce: fault(
    400,
    `time_in_force must be ${nativeTimesInForce.join(", ")} or ${lastTimeInForce}`,
  ),
  priceMissing: fault(400, "price is required for LIMIT orders"),
  priceUnneeded: fault(400, "price is not allowed for MARKET orders"),
  priceMalformed: fault(400, "price must be a decimal number"),
  qtyMalformed: fault(400, "qty must be a decimal number"),
  leverageOnSpot: fault(400, "leverage is not allowed for spot orders"),
  reduceOnSpot: fault(400, "reduce_only is not allowed for spot orders"),
  tpSlOnSpot: fault(400, "take_profit and stop_loss are not allowed for spot orders"),
  tpSlOnReduce: fault(400, "take_profit and stop_loss cannot be combined with reduce_only"),
  takeProfitMalformed: fault(400, "take_profit must be a positive multiple of the tick size"),
  stopLossMalformed: fault(400, "stop_loss must be a positive multiple of the tick size"),
  badIdempotencyKey: fault(
    400,
    `idempotency_key must be 1 to ${requestKeyLengthMax} printable characters`,
  ),
  badTransferWallet: fault(400, "from and to must be funding, spot or perp"),
  sameWallet: fault(400, "from and to must be different wallets"),
  symbolMissing: fault(400, "symbol is required"),
  orderUnknown: fault(404, "order not found"),
  notOwner: fault(403, "not order owner"),
  spotWalletInUse: fault(409, "the spot wallet must be empty, without orders and withdrawals"),
  withdrawalDenied: fault(403, "withdrawal permission denied"),
  spotWithdrawalsDisabled: fault(403, "wallet-funded account: spot withdrawals are disabled"),
  spotBalanceShort: fault(409, "insufficient spot balance"),
  withdrawalUnknown: fault(404, "withdrawal not found"),
  badDestination: fault(400, "destination must be the id of another party on the ledger"),
  destinationUnknown: fault(409, "the destination is not a party on the ledger"),
  destinationUnable: fault(409, "the destination has not preapproved payments of this asset"),
  withdrawalKeyReused: fault(502, "idempotency_key was used for another withdrawal"),
  storeAway,
  feeQuoteUnavailable: fault(503, "withdrawal fee quote unavailable"),
  eligibilityUnavailable: fault(503, "withdrawal eligibility check unavailable"),
  bridgeFault: fault(502, "unexpected answer from the ledger bridge"),
  withdrawalTimeout: fault(504, "withdrawal request timed out"),
  withdrawalUnanswered: fault(504, "withdrawal not confirmed in time; query the withdrawal"),
  noLedger: fault(503, "the ledger network is unreachable"),
  ledgerBeingRead: fault(503, "the ledger is still being read; try again shortly"),
  devToolsOff: fault(403, "development tools are off"),
  userUnknown: fault(404, "user not found"),
  providerUnknown: fault(401, "no provider is registered with this key"),
  badProviderName: fault(400, `name must be 1 to ${providerNameLengthMax} printable characters`),
  badProviderUrl: fault(
    400,
    "url must be https with a host name, at most 256 characters, without user, query, fragment or trailing slash",
  ),
  badProviderParty: fault(400, "party_id must be the id of a party on the ledger"),
  badProviderPairs: fault(400, "pairs must be a list of different spot markets"),
  badKeyProof: fault(400, "proof must be the new key's signature over provider id and public key"),
  providerKeyTaken: fault(409, "the key is already registered with other terms, or retired"),
  providerKeyUnknown: fault(404, "the provider does not have this key"),
  tooManyProviderKeys: fault(409, "a provider can have at most two keys"),
  lastProviderKey: fault(409, "the last key cannot be removed: add another first"),
  tooManyRegistrations: fault(503, "too many registrations are waiting for approval"),
} as const;

/** Faults of the signature on a provider's request. */
export const signatureErrors: Readonly<Record<SignatureFault, SurfaceError>> = {
  missing: fault(
    401,
    "Content-Digest, Venue-Idempotency-Key, Signature-Input and Signature are required",
  ),
  malformed: fault(401, "the signature headers do not follow the required profile"),
  tag: fault(401, "wrong signature tag: it must be venue-rfq-v1"),
  authority: fault(401, "the request is signed for a host other than the venue's public host"),
  window: fault(401, "created and expires must be 30 seconds apart, and now must lie between them"),
  key: nativeFaults.providerUnknown,
  digest: fault(401, "Content-Digest does not match the body"),
  signature: fault(401, "the signature does not match the request"),
  replayed: fault(401, "the nonce was already used"),
  busy: nativeFaults.tooManyRequests,
};

/** A JSON body that does not fit the route; `message` names the field. */
export function undeserialisable(message: string): SurfaceError {
  return fault(422, message);
}

/** An invalid amount of an asset with `decimals` decimals. */
export function badAmount(decimals: number): SurfaceError {
  return fault(400, `amount must be a positive decimal with at most ${decimals} decimals`);
}

/** An amount below the venue's minimum for the asset. */
export function amountBelow(least: bigint, decimals: number): SurfaceError {
  return fault(400, `amount must be at least ${formatScaled(least, decimals)}`);
}

/** A price or quantity that is not a multiple of its market's step, which has `decimals` decimals. */
export function offStep(field: string, decimals: number): SurfaceError {
  return fault(400, `${field} must be a multiple of ${formatScaled(1, decimals)}`);
}

/** A price above the market's maximum of `most` ticks. */
export function priceAbove(most: number, decimals: number): SurfaceError {
  return fault(400, `price must be at most ${formatScaled(most, decimals)}`);
}

/** Longest part of a client's own text that an answer repeats. */
const repeatedMax = 50;

/** A text that is neither an address nor a range; the answer repeats it, so that it is found in a long list. */
export function notRange(text: string): SurfaceError {
  const repeated = JSON.stringify(text.slice(0, repeatedMax));
  return fault(
    400,
    `allowed_addresses: ${repeated} is no address or range, such as 192.0.2.7 or 10.0.0.0/8`,
  );
}

/** An address range with bits set behind its prefix: either the address or its network is meant. */
export function notNetwork(range: string, network: string): SurfaceError {
  const address = range.split("/")[0];
  return fault(
    400,
    `allowed_addresses: ${range} is no network; send ${network}, or ${address} alone`,
  );
}

/** An invalid query parameter. */
export function badQuery(name: string): SurfaceError {
  return fault(400, `invalid query parameter: ${name}`);
}

const keyTaken = fault(409, "AlreadyExists: idempotency_key equals the client id of another order");

/**
 * The native surface's message for each refusal of clearing. `none` is not a refusal. Some reasons occur only for
 * commands that this surface never sends, or for conditions that it checks before sending: receiving such a reason is a
 * bug.
 */
export const nativeErrors: Readonly<Record<RejectReason, SurfaceError>> = {
  [RejectReason.none]: unexpected,
  [RejectReason.unknownMarket]: nativeFaults.unknownSymbol,
  [RejectReason.marketNotTrading]: fault(400, "market not active"),
  [RejectReason.priceNotPositive]: fault(400, "price must be positive"),
  [RejectReason.priceOffTick]: unexpected,
  [RejectReason.priceTooHigh]: unexpected,
  [RejectReason.priceOutsideBand]: fault(400, "price is too far from the mark price"),
  [RejectReason.qtyNotPositive]: fault(400, "qty must be positive"),
  [RejectReason.qtyOffLot]: unexpected,
  [RejectReason.qtyTooLarge]: fault(400, "qty is too large"),
  [RejectReason.notionalTooSmall]: fault(400, "order value is below the minimum of the market"),
  [RejectReason.unsupportedCombination]: fault(400, "these order options cannot be combined"),
  [RejectReason.trailingOutOfRange]: unexpected,
  [RejectReason.goodTillOutOfRange]: unexpected,
  [RejectReason.takeProfitWrongSide]: fault(
    400,
    "take_profit must be above the entry price of a BUY and below that of a SELL",
  ),
  [RejectReason.stopLossWrongSide]: fault(
    400,
    "stop_loss must be below the entry price of a BUY and above that of a SELL",
  ),
  [RejectReason.unknownAccount]: nativeFaults.sessionInvalid,
  [RejectReason.accountFrozen]: fault(
    403,
    "Account is frozen; new orders are not accepted, cancels are.",
  ),
  [RejectReason.notEnrolled]: fault(403, "Complete wallet enrollment (MemberAuth) before trading."),
  [RejectReason.insufficientBalance]: fault(400, "insufficient available balance"),
  [RejectReason.tooManyOpenOrders]: fault(400, "too many open orders in the market"),
  [RejectReason.leverageOutOfRange]: fault(400, "leverage must be an integer from 1 to 100"),
  [RejectReason.amountNotPositive]: unexpected,
  // Routes check earlier which wallets can hold an asset. Here this reason can therefore only mean that the account is
  // wallet-funded.
  [RejectReason.walletNotAllowed]: nativeFaults.walletFunded,
  [RejectReason.tooManyAccounts]: fault(503, "the venue cannot open more accounts"),
  [RejectReason.nothingToReduce]: fault(400, "reduce_only order has no position to reduce"),
  [RejectReason.positionBeyondLeverage]: fault(400, "position too large for the leverage"),
  [RejectReason.tooManyConditionalOrders]: unexpected,
  [RejectReason.duplicateClientId]: keyTaken,
  [RejectReason.accountInLiquidation]: fault(400, "account is being liquidated"),
  [RejectReason.unknownOrder]: nativeFaults.orderUnknown,
  [RejectReason.wouldTake]: fault(400, "post_only order would trade at once"),
  // The client's id has the form of the ids that the venue assigns.
  [RejectReason.clientIdReserved]: keyTaken,
  [RejectReason.unknownKey]: nativeFaults.keyUnknown,
  [RejectReason.keyExists]: unexpected,
  [RejectReason.keyChanged]: nativeFaults.keyChangedMeanwhile,
  [RejectReason.tooManyKeys]: fault(503, "the venue cannot create more API keys"),
  [RejectReason.wouldTrigger]: unexpected,
  [RejectReason.listPricesWrong]: unexpected,
  [RejectReason.icebergNotBelowQty]: unexpected,
  [RejectReason.tooManyIcebergParts]: unexpected,
  [RejectReason.tooManyOrderLists]: unexpected,
  [RejectReason.amendsNothing]: unexpected,
  [RejectReason.notAmendable]: unexpected,
  [RejectReason.cancelRestricted]: unexpected,
  [RejectReason.amendGrows]: unexpected,
  [RejectReason.amendWrongSide]: unexpected,
  [RejectReason.swapMoveKnown]: unexpected,
  [RejectReason.connectionEnded]: unexpected,
  [RejectReason.tooManyConnections]: unexpected,
  [RejectReason.unknownSession]: nativeFaults.sessionInvalid,
  [RejectReason.tooManySessions]: fault(503, "the venue cannot open more sessions"),
  [RejectReason.tooManyKeysOfAccount]: nativeFaults.tooManyKeys,
  [RejectReason.requestInFlight]: fault(
    409,
    "Aborted: a request with this idempotency_key is still in flight",
  ),
  [RejectReason.tooManyRequestKeys]: fault(503, "too many idempotency keys in 24 hours"),
  [RejectReason.spotWalletInUse]: nativeFaults.spotWalletInUse,
  [RejectReason.withdrawalNotPermitted]: nativeFaults.withdrawalDenied,
  [RejectReason.tooManyWithdrawals]: fault(409, "too many withdrawals in progress"),
  [RejectReason.accountInUse]: unexpected,
  [RejectReason.groupTriggered]: fault(
    409,
    "market-maker protection of this market has triggered; reset it before you place orders",
  ),
  [RejectReason.groupTermsInvalid]: unexpected,
  [RejectReason.marketInGroup]: unexpected,
  [RejectReason.tooManyGroups]: unexpected,
  [RejectReason.unknownGroup]: unexpected,
  [RejectReason.accountInFamily]: nativeFaults.accountInFamily,
  [RejectReason.tooManySubAccounts]: fault(
    409,
    `an account can have at most ${subAccountsPerOwnerMax} sub-accounts`,
  ),
  [RejectReason.subAccountLabel]: nativeFaults.subAccountLabelTaken,
  [RejectReason.unknownWithdrawal]: nativeFaults.withdrawalUnknown,
  [RejectReason.deadlinePassed]: notExecuted,
  [RejectReason.windowPassed]: notExecuted,
  [RejectReason.tooManyOrdersIn10s]: nativeFaults.tooManyRequests,
  [RejectReason.tooManyOrdersInMinute]: nativeFaults.tooManyRequests,
  [RejectReason.venueFull]: notExecuted,
  [RejectReason.stopping]: notExecuted,
  [RejectReason.unknownOrigin]: notExecuted,
  [RejectReason.commandConfirmed]: unexpected,
  [RejectReason.originWindowFull]: notExecuted,
  [RejectReason.tooManyOrigins]: notExecuted,
  [RejectReason.tradingPaused]: fault(400, "trading paused"),
  [RejectReason.marketReduceOnly]: fault(400, "market is reduce-only"),
  [RejectReason.marketWithoutIndex]: fault(400, "market has no index price yet"),
  [RejectReason.marketPaused]: fault(400, "trading paused in this market"),
  [RejectReason.indexStale]: fault(
    400,
    "transfers are paused: the account has a position or order in a market without a fresh index price",
  ),
  [RejectReason.openInterestFull]: fault(400, "the market's open interest limit is reached"),
  [RejectReason.depthTooThin]: fault(
    400,
    "the open interest that the market's depth supports is reached",
  ),
};

/** Faults in how a request was transported over HTTP. */
export const nativeTransportErrors: Readonly<Record<TransportFault, SurfaceError>> = {
  bodyTooLarge: { ...transportErrors.bodyTooLarge, code: 0 },
  queryTooLong: { ...transportErrors.queryTooLong, code: 0 },
  bodyNotText: undeserialisable("body is not UTF-8 text"),
  deadline: { ...transportErrors.deadline, code: 0 },
};
