// Repositories of custody and swaps with fixed answers, for the front of the recorded conversation. Every account gets
// the same rows; writes are answered but not stored.

import type {
  CustodyRepository,
  DepositRow,
  WithdrawalRow,
} from "../../src/ports/ledger/custody.ts";
import type { NewSwap, SwapRecord, SwapRepository } from "../../src/ports/swaps/swap-store.ts";
import { noCustody } from "../support/front/no-custody.ts";
import { swapsOver } from "../support/front/no-swaps.ts";

const atMs = 1_767_225_000_000;
const party = `custody::1220${"a".repeat(64)}`;
const trader = `trader::1220${"b".repeat(64)}`;
const coins = 3;

function deposit(account: number, depositId: number): DepositRow {
  return {
    depositId,
    contractId: `contract-${depositId}`,
    updateId: `update-${depositId}`,
    recordedMs: atMs + depositId,
    asset: depositId % coins,
    amount: 12_345_678n,
    account,
    state: ((depositId % 3) + 1) as 1,
    seqBefore: null,
  };
}

function withdrawal(account: number, withdrawalId: number): WithdrawalRow {
  return {
    withdrawalId,
    account,
    asset: withdrawalId % coins,
    amount: 7_000_000n,
    fee: 500_000n,
    destination: trader,
    createdMs: atMs + withdrawalId,
    stage: (withdrawalId % 5) as 1,
    updateId: withdrawalId % 5 === 3 ? "update" : null,
  };
}

/** Returns row numbers below `before`, newest first. */
function numbers(before: number | null, limit: number): number[] {
  return [9, 8, 7, 6, 5, 4, 3, 2, 1].filter((one) => one < (before ?? 10)).slice(0, limit);
}

/** Custody with three assets on the ledger. */
export const answeredCustody: CustodyRepository = {
  ...noCustody,
  asset: async (asset) =>
    asset >= coins
      ? null
      : {
          ...{ admin: party, instrument: `coin-${asset}`, registry: "", custody: party },
          ...{
            quotedMs: atMs,
            depositMin: 10n,
            withdrawalMin: 2_000_000n,
            withdrawalFee: 500_000n,
          },
        },
  deposits: async ({ account, before, limit }) =>
    numbers(before, limit).map((one) => deposit(account, one)),
  withdrawals: async ({ account, before, limit }) =>
    numbers(before, limit).map((one) => withdrawal(account, one)),
  withdrawal: async (account, withdrawalId) => withdrawal(account, withdrawalId),
  addWithdrawal: async () => 10,
};

function swap(request: NewSwap, swapNo: number): SwapRecord {
  const quote = {
    ...{ quoteNo: 1, provider: "maker", providerParty: party },
    ...{
      quoteId: "quote-1",
      priceTicks: 1_490,
      lots: 1_000,
      validUntilMs: request.createdMs + 60_000,
    },
  };
  return {
    ...request,
    swapNo,
    swapId: `00000000-0000-4000-8000-00000000000${swapNo}`,
    state: 2,
    reason: 0,
    dueMs: request.windowEndsMs,
    taken: null,
    isWallet: false,
    acceptedMs: 0,
    allocateBeforeMs: 0,
    settleBeforeMs: 0,
    signBeforeMs: 0,
    prepareFor: 0,
    prepared: null,
    prepareFault: null,
    freeUnits: null,
    inputs: [],
    signature: null,
    takenSignature: null,
    isLockFailed: false,
    phase: 0,
    dedupOffset: null,
    submissionId: null,
    isUnknown: false,
    attempts: 0,
    refusals: 0,
    isAbortAsked: false,
    isFrozen: false,
    isMember: false,
    updateId: null,
    quotes: [quote],
    moves: [],
  };
}

function swapOf(account: number, swapNo: number): SwapRecord {
  const whose = { account, party: trader, publicKey: "" };
  const request = { market: 0, side: 0, askedLots: 1_000, askedQuote: null } as const;
  return swap({ trader: whose, ...request, createdMs: atMs, windowEndsMs: atMs + 1_500 }, swapNo);
}

/** Swaps with one quoted swap, owned by the caller, that accepts no further step. */
export const answeredSwaps: SwapRepository = {
  ...swapsOver(undefined).store,
  trader: async (account) => ({ account, party: trader, publicKey: "" }),
  add: async (request) => swap(request, 2),
  swapsOf: async ({ account, limit }) => [swapOf(account, 1)].slice(0, limit),
};
