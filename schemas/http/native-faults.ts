// What native routes may be refused with beside the faults that all of their kind share, by "<METHOD> <path>":
// the statuses a client has to expect, in the words of the page. The messages stand in docs/reference/errors.md.

/** Words by status. */
type Faults = Readonly<Record<number, string>>;

const signed: Faults = { 401: "The request is not signed by a provider's key." };
const noLedger: Faults = { 503: "The ledger network is not reached; nothing was done." };
const notSealed: Faults = { 404: "Nothing is sealed there yet, or ever." };
const swapState: Faults = {
  ...noLedger,
  404: "No such swap of the caller, or no such quote.",
  409: "The swap is not in a state for that; the message says what is in the way.",
};
const developmentOnly: Faults = { 403: "Development tools are off.", 404: "No such user." };
const mayNotTrade: Faults = { 403: "The account is frozen, or its enrollment not complete." };

export const nativeFaultWords: Readonly<Record<string, Faults>> = {
  "POST /v1/wallet/verify": { 401: "The nonce or the signature is not accepted." },
  "POST /v1/wallet/enroll": {
    ...noLedger,
    409: "The spot wallet is not empty, or has orders or withdrawals.",
  },
  "POST /v1/api-keys": { 409: "The account has ten active keys." },
  "GET /v1/api-keys/{id}/restrictions": { 404: "No such key of the user." },
  "PUT /v1/api-keys/{id}/restrictions": {
    401: "The nonce or the signature is not accepted; the nonce is spent.",
    403: "It widens the key, and the wallet has not signed it.",
    404: "No such key of the user.",
    409: "The key was changed meanwhile.",
  },
  "POST /v1/api-keys/{id}/restrictions/challenge": { 404: "No such key of the user." },
  "POST /v1/orders": {
    ...mayNotTrade,
    409: "AlreadyExists or Aborted: the idempotency_key is another order's, or still in flight.",
  },
  "DELETE /v1/orders/{order_id}": { 403: "The order is somebody else's." },
  "POST /v1/transfers": {
    403: "The spot wallet of a wallet-funded account is its own on the ledger.",
    409: "Aborted: a request with this idempotency_key is still in flight.",
  },
  "GET /v1/deposits/address": noLedger,
  "POST /v1/withdrawals": {
    403: "The account may not withdraw, or is wallet-funded.",
    409: "Too little spot balance, too many withdrawals under way, or a destination that cannot take it.",
    502: "The idempotency_key was used for another withdrawal, or the ledger is not understood.",
    503: "No fee quote or eligibility check, or the ledger is not reached; nothing was done.",
    504: "The ledger did not answer in time; ask for the withdrawal.",
  },
  "GET /v1/solvency": noLedger,
  "POST /v1/swaps/rfq": {
    ...noLedger,
    403: "The account has no wallet of its own, or may not trade.",
    409: "The account has as many swaps under way as it may.",
  },
  "GET /v1/swaps/rfq": noLedger,
  "GET /v1/swaps/rfq/{swap_id}": noLedger,
  "POST /v1/swaps/rfq/{swap_id}/accept": swapState,
  "POST /v1/swaps/rfq/{swap_id}/cancel": swapState,
  "POST /v1/swaps/rfq/{swap_id}/prepare": {
    ...swapState,
    504: "The ledger did not answer in time; ask again.",
  },
  "POST /v1/swaps/rfq/{swap_id}/execute": swapState,
  "GET /v1/chain/epochs/{id}": { 404: "No such epoch." },
  "GET /v1/chain/proof": notSealed,
  "GET /v1/chain/proof/me": notSealed,
  "POST /v1/lp/register": {
    ...signed,
    409: "The key is registered already, with other terms or ended.",
    503: "Too many registrations wait for the operator.",
  },
  "POST /v1/lp/keys": { ...signed, 409: "The provider has two keys, or the key is taken." },
  "DELETE /v1/lp/keys/{key_id}": {
    ...signed,
    404: "The provider has no such key.",
    409: "The last key stays.",
  },
  "GET /v1/lp/status": signed,
  "GET /v1/lp/statistics": signed,
  "GET /v1/lp/swaps": signed,
  "GET /v1/positions/{user_id}/open": developmentOnly,
  "GET /v1/account/{user_id}/balances": developmentOnly,
  "GET /v1/icons/{file}": { 404: "No such icon." },
};
