// The examples of the REST reference that a venue without a ledger refuses.

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
