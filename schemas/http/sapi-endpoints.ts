// What the routes under /sapi take, with one sentence each.

import { maybeSymbol, noParameters } from "./common.ts";
import type { Endpoint } from "./endpoint.ts";
import {
  sapiAddress,
  sapiAssets,
  sapiDeposits,
  sapiFuturesTransfer,
  sapiFuturesTransfers,
  sapiTransfer,
  sapiTransfers,
  sapiWithdrawals,
} from "./sapi.ts";

export const sapiEndpoints: Readonly<Record<string, Endpoint>> = {
  "GET /sapi/v1/capital/config/getall": {
    parameters: noParameters,
    says: "The assets, their network, and what the spot wallet has of them.",
  },
  "GET /sapi/v1/capital/deposit/address": {
    parameters: sapiAddress,
    says: "Where deposits of an asset go, and the reference they carry.",
  },
  "GET /sapi/v1/capital/deposit/hisrec": {
    parameters: sapiDeposits,
    says: "Deposits of the account, newest first.",
  },
  "GET /sapi/v1/capital/withdraw/history": {
    parameters: sapiWithdrawals,
    says: "Withdrawals of the account, newest first.",
  },
  "GET /sapi/v1/asset/assetDetail": {
    parameters: sapiAssets,
    says: "Whether assets can be deposited and withdrawn, and the terms.",
  },
  "GET /sapi/v1/asset/tradeFee": { parameters: maybeSymbol, says: "What trading costs." },
  "POST /sapi/v1/asset/transfer": {
    parameters: sapiTransfer,
    says: "Moves money between the account's wallets.",
  },
  "GET /sapi/v1/asset/transfer": {
    parameters: sapiTransfers,
    says: "Moves of one direction, newest first.",
  },
  "POST /sapi/v1/futures/transfer": {
    parameters: sapiFuturesTransfer,
    says: "Moves money between the spot wallet and that of perpetuals.",
  },
  "GET /sapi/v1/futures/transfer": {
    parameters: sapiFuturesTransfers,
    says: "Moves between the two, newest first.",
  },
  "GET /sapi/v1/account/apiRestrictions": {
    parameters: noParameters,
    says: "What the key may do, and from where.",
  },
  "GET /sapi/v1/margin/allPairs": { parameters: noParameters, says: "Empty: no margin trading." },
  "GET /sapi/v1/margin/isolated/allPairs": {
    parameters: noParameters,
    says: "Empty: no margin trading.",
  },
  "GET /sapi/v1/system/status": { parameters: noParameters, says: "Whether the venue works." },
};
