// The examples of the REST reference that a venue without a ledger refuses, beside those that say so on their page.

/** The answer of examples that begin with the newest swap: this venue has no ledger and therefore no swap. */
const noSwap = "not found";
const noLedger = "the ledger network is unreachable";

/** Error messages by route. */
export const refused: Readonly<Record<string, string>> = {
  "GET /sapi/v1/capital/deposit/address": "The ledger network is not reached",
  "GET /v1/deposits/address": noLedger,
  "GET /v1/solvency": noLedger,
  "POST /v1/wallet/enroll": noLedger,
  "POST /v1/swaps/rfq": noLedger,
  "GET /v1/swaps/rfq": noLedger,
  "GET /v1/swaps/rfq/{swap_id}": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/accept": noLedger,
  "POST /v1/swaps/rfq/{swap_id}/cancel": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/prepare": noSwap,
  "POST /v1/swaps/rfq/{swap_id}/execute": noSwap,
};
