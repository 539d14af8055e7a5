// Builds the arguments of the choices that the venue exercises, in the wire format of the token standard and the
// venue's contracts: amounts as decimal strings, integers as strings, times in ISO 8601.

import { formatLedgerAmount } from "../../core/money/ledger-amount.ts";
import type {
  AllocateCommand,
  BatchCommand,
  Leg,
  MemberOperation,
} from "../../ports/ledger/ledger.ts";
import type { SwapTerms } from "../../ports/swaps/swap-ledger.ts";
import type { ChoiceContext, JsonObject } from "./api-shapes.ts";
import { metadataKeys } from "./network-profile.ts";

const noContext = { values: {} };

function metadata(reference: string): JsonObject {
  return { values: { [metadataKeys.reason]: reference, [metadataKeys.batch]: reference } };
}

/**
 * Requests are dated back by this time in ms. A ledger refuses for good what was requested in its future, and its clock
 * may be behind the venue's. A minute is the difference that the network itself allows between its clocks.
 */
const datedBackMs = 60_000;

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

function requestText(requestedAtMs: number): string {
  return timeText(requestedAtMs - datedBackMs);
}

/**
 * Returns `extraArgs` with the registry's context. If `context` is null, the returned context is empty: such arguments
 * are part of the request by which the venue fetches the context from the registry.
 */
export function extraArguments(context: ChoiceContext | null): JsonObject {
  return { context: context?.choiceContextData ?? noContext, meta: noContext };
}

export interface TransferTimes {
  readonly requestedAtMs: number;
  readonly executeBeforeMs: number;
}

/** Builds the argument of `TransferFactory_Transfer`. */
export function transferArgument(
  leg: Leg,
  reference: string,
  times: TransferTimes,
  context: ChoiceContext | null,
): JsonObject {
  const { sender, receiver, instrument, inputs } = leg;
  return {
    expectedAdmin: instrument.admin,
    transfer: {
      sender,
      receiver,
      amount: formatLedgerAmount(leg.amount),
      instrumentId: instrument,
      requestedAt: requestText(times.requestedAtMs),
      executeBefore: timeText(times.executeBeforeMs),
      inputHoldingCids: inputs,
      meta: metadata(reference),
    },
    extraArgs: extraArguments(context),
  };
}

export type AllocationTimes = Pick<
  AllocateCommand,
  "batchId" | "requestedAtMs" | "allocateBeforeMs" | "executeBeforeMs"
>;

/** Builds the payload of a SwapProposal, which later becomes the payload of the SwapTrade. */
export function swapTermsArgument(terms: SwapTerms, operator: string): JsonObject {
  const { swapId, trader, provider, legs, allocateBeforeMs, settleBeforeMs } = terms;
  return {
    swapId,
    trader,
    provider,
    operator,
    legs: legs.map(({ legId, sender, receiver, instrument, amount }) => ({
      legId,
      sender,
      receiver,
      instrumentId: instrument,
      amount: formatLedgerAmount(amount),
    })),
    allocateBefore: timeText(allocateBeforeMs),
    settleBefore: timeText(settleBeforeMs),
  };
}

/** Builds the argument of `AllocationFactory_Allocate`. */
export function allocationArgument(
  leg: Leg,
  batch: AllocationTimes,
  executor: string,
  context: ChoiceContext | null,
): JsonObject {
  const { sender, receiver, instrument, inputs, legId } = leg;
  const settlement = {
    executor,
    settlementRef: { id: batch.batchId, cid: null },
    requestedAt: requestText(batch.requestedAtMs),
    allocateBefore: timeText(batch.allocateBeforeMs),
    settleBefore: timeText(batch.executeBeforeMs),
    meta: metadata(batch.batchId),
  };
  const transferLeg = {
    sender,
    receiver,
    amount: formatLedgerAmount(leg.amount),
    instrumentId: instrument,
    meta: noContext,
  };
  return {
    expectedAdmin: instrument.admin,
    allocation: { settlement, transferLegId: legId, transferLeg },
    requestedAt: requestText(batch.requestedAtMs),
    inputHoldingCids: inputs,
    extraArgs: extraArguments(context),
  };
}

/**
 * Builds the fields that the arguments of all MemberAuth choices begin with: the member's operation number, the batch,
 * the co-actors and the other member.
 */
export function memberArgument(
  members: readonly MemberOperation[],
  coActors: readonly string[],
  batchId: string,
): JsonObject {
  const [own, peer] = members;
  return {
    opNo: String(own?.opNo ?? 0),
    batchId,
    coActors,
    peer: peer === undefined ? null : { authCid: peer.authCid, opNo: String(peer.opNo) },
  };
}

/** Returns the parties that must authorise a batch besides the operator: custody, if only one member settles. */
export function coActorsOf(batch: Pick<BatchCommand, "members">, custody: string): string[] {
  return batch.members.length === 1 ? [custody] : [];
}
