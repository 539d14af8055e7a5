// Refusals of the swap routes, as the native surface reports them.

import { swapsOpenPerAccountMax } from "../../../../core/limits.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
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
  badQuoteQty: fault(400, "quote_qty must be a decimal of at least the market's smallest value"),
  tooSmall: nativeErrors[RejectReason.notionalTooSmall],
  tooManySwaps: fault(409, `an account has at most ${swapsOpenPerAccountMax} swaps under way`),
  frozen: nativeErrors[RejectReason.accountFrozen],
  unknownSwap: fault(404, "swap not found"),
  unknownQuote: fault(404, "quote not found"),
  quoteLapsed: fault(409, "the quote is no longer valid"),
  signedTooLate: fault(
    409,
    "the quote that was taken has lapsed: nothing is signed for it any more",
  ),
  tooManyUnkept: fault(
    429,
    "too many accepted quotes were not signed for: sign for those that are open, or wait",
  ),
  notNow: fault(409, "the swap is not in a state for that"),
  badHash: fault(400, "prepared_transaction_hash must be standard base64"),
  notPrepared: fault(409, "the hash is not that of what is to be signed now"),
  badSignature: fault(400, "signature must be the base64 of an Ed25519 signature over the hash"),
  prepareTimeout: fault(504, "the ledger did not answer in time"),
};

/** The ledger, or a registry, refused to prepare the transaction; `message` is its own. */
export function prepareRefused(message: string): SurfaceError {
  return fault(409, `nothing can be prepared: ${message}`);
}

/** Open orders or unsettled fills need the rest of a wallet-funded account's holdings. */
export function coinsNeeded({ asset, free }: CoinShortage): SurfaceError {
  const amount = formatScaled(free, asset.decimals);
  return fault(
    409,
    `only ${amount} ${asset.code} is free: open orders and unsettled fills need the rest`,
  );
}
