// Templates for a swap between a trader and a liquidity provider. The trader proposes the swap, the provider accepts
// it, and the operator settles or cancels it; the body of that choice has the authority of both sides. Each side locks
// its leg as an allocation with the operator as executor.

import type { JsonObject } from "../../adapters/ledger/api-shapes.ts";
import type { Choice, Template } from "../contract-template.ts";
import type { Fields } from "../fields.ts";
import { contractFailure } from "../ledger-refusal.ts";
import { checkReference } from "../token/allocations.ts";
import { devnetTemplates } from "./member-auth.ts";

function end(by: "trader" | "provider"): Choice {
  return {
    isConsuming: true,
    controllers: (payload) => [payload.party(by)],
    run: () => ({}),
  };
}

function checkTerms(payload: Fields): void {
  payload.text("swapId");
  payload.objects("legs");
  payload.time("allocateBefore");
  payload.time("settleBefore");
}

export const swapProposal: Template = {
  id: devnetTemplates.swapProposal,
  signatories: (payload) => [payload.party("trader")],
  observers: (payload) => [payload.party("operator"), payload.party("provider")],
  check: checkTerms,
  views: () => ({}),
  choices: {
    SwapProposal_Accept: {
      isConsuming: true,
      controllers: (payload) => [payload.party("provider")],
      run(scope, payload) {
        if (payload.time("allocateBefore") <= scope.now)
          throw contractFailure("DEADLINE_EXCEEDED", "allocateBefore has passed");
        return { tradeCid: scope.create(devnetTemplates.swapTrade, payload.json) };
      },
    },
    SwapProposal_Reject: end("provider"),
    SwapProposal_Withdraw: end("trader"),
  },
};

function onAllocations(choice: string, check: (payload: Fields, now: number) => void): Choice {
  return {
    isConsuming: true,
    controllers: (payload) => [payload.party("operator")],
    run(scope, payload, argument): JsonObject {
      check(payload, scope.now);
      const allocations = argument.objects("allocations");
      if (allocations.length !== payload.objects("legs").length)
        throw contractFailure("MISSING_LEG", "each leg of the trade must have an allocation");
      const results = allocations.map((each) => {
        const allocationCid = each.text("allocationCid");
        checkReference(scope, allocationCid, payload.text("swapId"));
        return scope.exercise(allocationCid, choice, { extraArgs: each.json["extraArgs"] });
      });
      return { results };
    },
  };
}

export const swapTrade: Template = {
  id: devnetTemplates.swapTrade,
  signatories: (payload) => [payload.party("trader"), payload.party("provider")],
  observers: (payload) => [payload.party("operator")],
  check: checkTerms,
  views: () => ({}),
  choices: {
    SwapTrade_Settle: onAllocations("Allocation_ExecuteTransfer", (payload, now) => {
      if (payload.time("settleBefore") <= now)
        throw contractFailure("DEADLINE_EXCEEDED", "settleBefore has passed");
    }),
    SwapTrade_Cancel: onAllocations("Allocation_Cancel", () => undefined),
    SwapTrade_Expire: {
      isConsuming: true,
      controllers: (_, argument) => [argument.party("by")],
      run(scope, payload, argument) {
        const parties = ["trader", "provider", "operator"].map((name) => payload.party(name));
        if (!parties.includes(argument.party("by")))
          throw contractFailure("NOT_A_PARTY", "only the parties of the trade may end it");
        if (payload.time("settleBefore") > scope.now)
          throw contractFailure("NOT_YET", "settleBefore has not passed");
        return {};
      },
    },
  },
};
