// Refusals of the swap routes, as the native surface reports them.

import type { Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import { swapsOpenPerAccountMax } from "../../../../core/swaps.ts";
import type { CoinShortage, SwapFault } from "../../../../services/swaps/swap-service.ts";
import type { SurfaceError } from "../../requests/surface-error.ts";
import { nativeErrors } from "../error-map.ts";

function fault(status: number, msg: string): SurfaceError {
  return { status, code: 0, msg };
}

export const swapFaults: Readonly<Record<SwapFault, SurfaceError>> = {
  unknownPair: fault(400, "pair must be a spot market, such as CC-USDC"),
  marketClosed: fault(400, "the market is not trading"),
  badSide: fault(400, "side must be BUY or SELL"),
  qtyOrValue: fault(400, "give either qty or quote_qty"),
  badQty: fault(400, "qty must be a positive multiple of the lot size"),
  badQuoteQty: fault(
    400,
    "quote_qty must be a decimal number not below the market's minimum order value",
  ),
  tooSmall: nativeErrors[RejectReason.notionalTooSmall],
  tooManySwaps: fault(409, `an account can have at most ${swapsOpenPerAccountMax} open swaps`),
  frozen: nativeErrors[RejectReason.accountFrozen],
  unknownSwap: fault(404, "swap not found"),
  unknownQuote: fault(404, "quote not found"),
  quoteLapsed: fault(409, "the quote has expired"),
  signedTooLate: fault(409, "the accepted quote has expired: it can no longer be signed"),
  tooManyUnkept: fault(
    429,
    "too many accepted quotes were left unsigned: sign the open ones, or wait",
  ),
  notNow: fault(409, "the request is not possible in the swap's current state"),
  badHash: fault(400, "prepared_transaction_hash must be standard base64"),
  notPrepared: fault(409, "the hash does not match the transaction to be signed now"),
  badSignature: fault(400, "signature must be the base64 of an Ed25519 signature over the hash"),
  prepareTimeout: fault(504, "the ledger did not answer in time"),
};

/** The quantity is above the market's maximum. */
export function qtyTooLarge({ baseCode, lotDecimals, qtyLotsMax }: Market): SurfaceError {
  return fault(400, `qty must be at most ${formatScaled(qtyLotsMax, lotDecimals)} ${baseCode}`);
}

/** The ledger or a token registry refused to prepare the transaction; `message` is the text it returned. */
export function prepareRefused(message: string): SurfaceError {
  return fault(409, `the transaction cannot be prepared: ${message}`);
}

/**
 * A swap needs more than `free`, the coins that the trader's party has and that a wallet-funded account's open orders and
 * unsettled fills do not need.
 */
export function coinsNeeded({ asset, free, isMember }: CoinShortage): SurfaceError {
  const amount = `${formatScaled(free, asset.decimals)} ${asset.code}`;
  return fault(
    409,
    isMember
      ? `only ${amount} available: open orders and unsettled fills need the rest`
      : `your party has only ${amount} free on the ledger`,
  );
}
