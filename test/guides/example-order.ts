// The order in which the examples of the REST reference run, and which of them a venue without a ledger refuses.

/**
 * The answer of routes that need a provider's signature, which these examples do not have. The guide for providers
 * has signed examples.
 */
const unsigned =
  "Content-Digest, Venue-Idempotency-Key, Signature-Input and Signature are required";

/** The answer of examples that begin with the newest swap: this venue has no ledger and therefore no swap. */
const noSwap = "not found";

/**
 * Error messages of the examples that this venue refuses, because the setting already has the requested value, the
 * venue has no ledger, nothing has the requested id, or the request needs a provider's signature.
 */
export const refused: Readonly<Record<string, string>> = {
  "POST /fapi/v1/marginType": "No need to change margin type.",
  "POST /fapi/v1/multiAssetsMargin": "No need to change multi-assets margin mode.",
  "POST /fapi/v1/positionSide/dual": "No need to change position side.",
  "GET /api/v3/referencePrice": "This symbol doesn't have a reference price.",
  "GET /api/v3/referencePrice/calculation": "This symbol doesn't have a reference price.",
  "GET /sapi/v1/capital/deposit/address": "The ledger network is not reached",
  "GET /v1/deposits/address": "the ledger network is unreachable",
  "GET /v1/solvency": "the ledger network is unreachable",
  "POST /v1/wallet/enroll": "the ledger network is unreachable",
  "POST /v1/swaps/rfq": "the ledger network is unreachable",
  "GET /v1/swaps/rfq": "the ledger network is unreachable",
  "GET /v1/swaps/rfq/{swap_id}": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/accept": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/cancel": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/prepare": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/execute": noSwap,
  "POST /v1/withdrawals": "destination must be the id of another party",
  "GET /v1/withdrawals/{wid}": "not found",
  ...Object.fromEntries(
    [
      "POST /v1/lp/register",
      "POST /v1/lp/keys",
      "DELETE /v1/lp/keys/{key_id}",
      "GET /v1/lp/status",
      "GET /v1/lp/statistics",
      "GET /v1/lp/swaps",
    ].map((name) => [name, unsigned]),
  ),
};

/**
 * The order in which examples run: a route that creates something runs before the routes that read it. Routes that
 * are not listed here run afterwards.
 */
const order: readonly string[] = [
  "POST /api/v3/order",
  "POST /api/v3/order/test",
  "GET /api/v3/order",
  "GET /api/v3/openOrders",
  "GET /api/v3/allOrders",
  "GET /api/v3/myAllocations",
  "GET /api/v3/myTrades",
  "GET /api/v3/account/commission",
  "GET /api/v3/aggTrades",
  "GET /api/v3/avgPrice",
  "GET /api/v3/depth",
  "GET /api/v3/depth/orders",
  "GET /api/v3/executionRules",
  "GET /api/v3/referencePrice",
  "GET /api/v3/referencePrice/calculation",
  "GET /api/v1/trades",
  "GET /api/v3/historicalTrades",
  "GET /api/v3/klines",
  "GET /api/v3/uiKlines",
  "GET /api/v3/trades",
  "GET /api/v3/ticker",
  "GET /api/v3/ticker/24hr",
  "GET /api/v3/ticker/tradingDay",
  "PUT /api/v3/order/amend/keepPriority",
  "GET /api/v3/myPreventedMatches",
  "GET /api/v3/order/amendments",
  "POST /api/v3/order/cancelReplace",
  "DELETE /api/v3/order",
  "PUT /api/v3/userDataStream",
  "DELETE /api/v3/userDataStream",
  "GET /sapi/v1/capital/deposit/address",
  "POST /sapi/v1/asset/transfer",
  "GET /sapi/v1/asset/transfer",
  "POST /sapi/v1/futures/transfer",
  "POST /fapi/v1/order",
  "GET /fapi/v1/order",
  "GET /fapi/v1/openOrder",
  "PUT /fapi/v1/order",
  "GET /fapi/v1/orderAmendment",
  "GET /fapi/v1/allOrders",
  "GET /fapi/v1/userTrades",
  "GET /fapi/v1/commissionRate",
  "GET /fapi/v1/aggTrades",
  "GET /fapi/v1/continuousKlines",
  "GET /fapi/v1/depth",
  "GET /fapi/v1/depth/orders",
  "GET /fapi/v1/historicalTrades",
  "GET /fapi/v1/indexPriceKlines",
  "GET /fapi/v1/markPriceKlines",
  "GET /fapi/v1/premiumIndexKlines",
  "GET /futures/data/openInterestHist",
  "GET /futures/data/topLongShortAccountRatio",
  "GET /futures/data/topLongShortPositionRatio",
  "GET /futures/data/globalLongShortAccountRatio",
  "GET /futures/data/takerlongshortRatio",
  "GET /futures/data/basis",
  "GET /fapi/v1/klines",
  "GET /fapi/v1/openInterest",
  "GET /fapi/v1/trades",
  "GET /fapi/v1/fundingRate",
  "GET /fapi/v1/premiumIndex",
  "DELETE /fapi/v1/order",
  "POST /fapi/v1/batchOrders",
  "PUT /fapi/v1/batchOrders",
  "DELETE /fapi/v1/batchOrders",
  "POST /fapi/v1/algoOrder",
  "GET /fapi/v1/algoOrder",
  "GET /fapi/v1/allAlgoOrders",
  "DELETE /fapi/v1/algoOrder",
  "POST /fapi/v1/leverage",
  "POST /fapi/v1/marginType",
  "POST /fapi/v1/multiAssetsMargin",
  "POST /fapi/v1/positionSide/dual",
  "POST /fapi/v1/countdownCancelAll",
  "DELETE /fapi/v1/allOpenOrders",
  "DELETE /fapi/v1/algoOpenOrders",
  "POST /api/v3/massQuote",
  "POST /fapi/v1/massQuote",
  "POST /api/v3/mmpSet",
  "GET /api/v3/mmp",
  "POST /api/v3/mmpReset",
  "DELETE /api/v3/mmp",
  "POST /fapi/v1/mmpSet",
  "GET /fapi/v1/mmp",
  "POST /fapi/v1/mmpReset",
  "DELETE /fapi/v1/mmp",
  "DELETE /api/v3/massCancel",
  "DELETE /fapi/v1/massCancel",
  "POST /v1/orders",
  "DELETE /v1/orders",
  "GET /v1/orders/me",
  "POST /v1/transfers",
  "POST /v1/deposits/seed",
  "GET /v1/deposits/address",
  "POST /v1/withdrawals",
  "POST /v1/swaps/rfq",
  "GET /v1/swaps/rfq",
  "POST /v1/swaps/rfq/{swap_id}/accept",
  "POST /v1/swaps/rfq/{swap_id}/execute",
  "GET /v1/chain/epochs",
  "GET /v1/chain/proof",
  "GET /v1/chain/proof/me",
  "GET /v1/markets/{symbol}/candles",
  "GET /v1/markets/{symbol}/orderbook",
  "GET /v1/markets/{symbol}/recent-trades",
  "POST /v1/api-keys",
  "PUT /v1/api-keys/{id}/restrictions",
  "POST /v1/api-keys/{id}/restrictions/challenge",
];

/** Returns the position of an example in the order. Logging out is last, because it ends the session. */
export function placeOf(name: string): number {
  if (name === "POST /v1/wallet/logout") return Number.MAX_SAFE_INTEGER;
  const index = order.indexOf(name);
  return index < 0 ? order.length : index;
}
