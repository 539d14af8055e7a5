// Parameters of the wallet routes (/sapi/v1) that Binance clients use: transfers between the account's
// wallets, deposits and withdrawals, and the rights of a key.

import * as z from "zod";
import { decimalText, rowLimit, unixMs, wholeNumber } from "./common.ts";

const assetCode = z.string().regex(/^[A-Z0-9]{1,16}$/);

/** Directions of transfers, named by both wallets. */
export const transferTypes = [
  "MAIN_UMFUTURE",
  "UMFUTURE_MAIN",
  "MAIN_FUNDING",
  "FUNDING_MAIN",
  "FUNDING_UMFUTURE",
  "UMFUTURE_FUNDING",
] as const;

const transferType = z.enum(transferTypes);

/** 1: from the spot wallet to the perp wallet. 2: the other way. */
const futuresDirection = z.enum(["1", "2"]);

const times = { startTime: unixMs.optional(), endTime: unixMs.optional() };
const page = {
  current: wholeNumber.refine((current) => current >= 1).default(1),
  size: rowLimit(10, 100),
};

export const sapiAssets = z.object({ asset: assetCode.optional() });
export const sapiTransfer = z.object({
  type: transferType,
  asset: assetCode,
  amount: decimalText,
});
export const sapiTransfers = z.object({ type: transferType, ...times, ...page });
export const sapiFuturesTransfer = z.object({
  asset: assetCode,
  amount: decimalText,
  type: futuresDirection,
});
export const sapiFuturesTransfers = z.object({ asset: assetCode.optional(), ...times, ...page });
export const sapiAddress = z.object({ coin: assetCode, network: z.literal("CANTON").optional() });
const moves = {
  coin: assetCode.optional(),
  status: wholeNumber.optional(),
  ...times,
  offset: wholeNumber.default(0),
  limit: rowLimit(1000, 1000),
};
export const sapiDeposits = z.object(moves);
export const sapiWithdrawals = z.object(moves);

const accountKind = z.enum(["SPOT", "USDT_FUTURE"]);

export const sapiSubAccount = z.object({ subAccountString: z.string() });
export const sapiSubAccounts = z.object({
  email: z.string().optional(),
  page: wholeNumber.refine((page) => page >= 1).default(1),
  limit: rowLimit(10, 200),
});
export const sapiSubAccountAssets = z.object({ email: z.string() });
export const sapiUniversalTransfer = z.object({
  fromEmail: z.string().optional(),
  toEmail: z.string().optional(),
  fromAccountType: accountKind,
  toAccountType: accountKind,
  asset: assetCode,
  amount: decimalText,
  clientTranId: z.string().max(64).optional(),
});
