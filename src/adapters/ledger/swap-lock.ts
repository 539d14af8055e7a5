// Builds the command with which one side of a swap locks its leg, so that the venue's operator can settle the swap. The
// command is the same for the trader, whose wallet signs it, and for the provider.

import type { Party } from "../../ports/ledger/ledger.ts";
import type { SwapTerms } from "../../ports/swaps/swap-ledger.ts";
import type { ApiCommand, DisclosedContract, JsonObject } from "./api-shapes.ts";
import { allocationArgument } from "./choice-arguments.ts";
import { tokenInterfaces } from "./network-profile.ts";
import type { RegistryClient } from "./registry-client.ts";

export interface SwapLockParts {
  readonly terms: SwapTerms;
  /** The party whose leg is locked; `swapLock` throws if the party sends no leg. */
  readonly sender: Party;
  readonly operator: Party;
  readonly inputs: readonly string[];
  readonly requestedAtMs: number;
}

/** Returns a command that exercises a choice on a contract. */
export function exercise(
  templateId: string,
  contractId: string,
  choice: string,
  choiceArgument: JsonObject,
): ApiCommand {
  return { ExerciseCommand: { templateId, contractId, choice, choiceArgument } };
}

/**
 * Returns the command that locks the sender's leg, and the contracts that must be disclosed for it. Both depend on the
 * registry of the leg's instrument; throws if the registry does not answer.
 */
export async function swapLock(
  registry: RegistryClient,
  { terms, sender, operator, inputs, requestedAtMs }: SwapLockParts,
): Promise<{ readonly command: ApiCommand; readonly disclosed: readonly DisclosedContract[] }> {
  const payment = terms.legs.find((leg) => leg.sender === sender);
  if (payment === undefined) throw new Error(`${sender} does not pay in this swap`);
  const times = {
    batchId: terms.swapId,
    requestedAtMs,
    allocateBeforeMs: terms.allocateBeforeMs,
    executeBeforeMs: terms.settleBeforeMs,
  };
  const leg = { ...payment, inputs };
  const empty = allocationArgument(leg, times, operator, null);
  const { factoryId, choiceContext } = await registry.allocationFactory(
    payment.instrument.admin,
    empty,
  );
  const argument = allocationArgument(leg, times, operator, choiceContext);
  const choice = "AllocationFactory_Allocate";
  return {
    command: exercise(tokenInterfaces.allocationFactory, factoryId, choice, argument),
    disclosed: choiceContext.disclosedContracts,
  };
}
