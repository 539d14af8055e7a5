// Allocations of the development token: settlement legs whose holding is locked. A lock ends when executor, sender and
// receiver jointly execute or cancel the allocation, when the sender withdraws it, or when it expires.

import { tokenInterfaces } from "../../adapters/ledger/network-profile.ts";
import type { ContractId, Instrument, Party } from "../../ports/ledger/ledger.ts";
import type { Choice, ChoiceScope, Template } from "../contract-template.ts";
import type { Fields } from "../fields.ts";
import { contractFailure } from "../ledger-refusal.ts";
import { createHolding, spend } from "./holding.ts";

export const allocationTemplate = "#rialto-token-v1:Rialto.Token:Allocation";

interface Leg {
  readonly sender: Party;
  readonly receiver: Party;
  readonly executor: Party;
  readonly settleBeforeMs: number;
  readonly units: bigint;
  readonly instrument: Instrument;
}

function legOf(specification: Fields): Leg {
  const settlement = specification.object("settlement");
  const leg = specification.object("transferLeg");
  return {
    sender: leg.party("sender"),
    receiver: leg.party("receiver"),
    executor: settlement.party("executor"),
    settleBeforeMs: settlement.time("settleBefore"),
    units: leg.amount("amount"),
    instrument: leg.instrument("instrumentId"),
  };
}

/** Refuses a factory whose admin is not the instrument's admin, or not the admin that the caller expects. */
export function checkAdmin(payload: Fields, argument: Fields, { admin }: Instrument): void {
  const own = payload.party("admin");
  if (argument.party("expectedAdmin") !== own || admin !== own)
    throw contractFailure("WRONG_ADMIN", "this factory belongs to another admin");
}

/** The choice `AllocationFactory_Allocate` of an admin's rules contract. */
export const allocate: Choice = {
  isConsuming: false,
  interfaceId: tokenInterfaces.allocationFactory,
  controllers: (_, argument) => [
    argument.object("allocation").object("transferLeg").party("sender"),
  ],
  run(scope, payload, argument) {
    const specification = argument.object("allocation");
    const { sender, units, instrument, settleBeforeMs } = legOf(specification);
    checkAdmin(payload, argument, instrument);
    const { settlementRef } = specification.object("settlement").json;
    if (specification.object("settlement").time("allocateBefore") <= scope.now)
      throw contractFailure("DEADLINE_EXCEEDED", "allocateBefore has passed");
    const inputs = argument.texts("inputHoldingCids");
    const { changeCids } = spend(scope, { owner: sender, instrument, units, inputs });
    const context = `allocation ${JSON.stringify(settlementRef)}`.slice(0, 200);
    const lock = { holders: [instrument.admin], expiresAtMs: settleBeforeMs, context };
    const lockedCid = createHolding(scope, { owner: sender, instrument, units, lock });
    const allocationCid = scope.create(allocationTemplate, {
      allocation: specification.json,
      lockedCid,
    });
    const output = { tag: "AllocationInstructionResult_Completed", value: { allocationCid } };
    return { output, senderChangeCids: changeCids, meta: { values: {} } };
  },
};

/** Refuses an allocation that was made for another settlement. */
export function checkReference(scope: ChoiceScope, contractId: ContractId, id: string): void {
  const settlement = scope
    .fetch(contractId, allocationTemplate)
    .object("allocation")
    .object("settlement");
  if (settlement.object("settlementRef").text("id") !== id)
    throw contractFailure("WRONG_REFERENCE", `${contractId} belongs to another settlement`);
}

function together(payload: Fields): Party[] {
  const { executor, sender, receiver } = legOf(payload.object("allocation"));
  return [executor, sender, receiver];
}

/** Returns a choice that releases the holding to its sender. */
function release(controllers: (payload: Fields) => Party[]): Choice {
  return {
    isConsuming: true,
    interfaceId: tokenInterfaces.allocation,
    controllers,
    run(scope, payload) {
      const { sender, instrument, units } = legOf(payload.object("allocation"));
      scope.archive(payload.text("lockedCid"));
      const holdingCid = createHolding(scope, { owner: sender, instrument, units });
      return { senderHoldingCids: [holdingCid], meta: { values: {} } };
    },
  };
}

export const allocation: Template = {
  id: allocationTemplate,
  signatories(payload) {
    const { sender, instrument } = legOf(payload.object("allocation"));
    return [instrument.admin, sender];
  },
  observers(payload) {
    const { executor, receiver } = legOf(payload.object("allocation"));
    return [executor, receiver];
  },
  check: () => undefined,
  views: ({ json }) => ({
    [tokenInterfaces.allocation]: {
      allocation: json["allocation"],
      holdingCids: [json["lockedCid"]],
      meta: { values: {} },
    },
  }),
  choices: {
    Allocation_ExecuteTransfer: {
      isConsuming: true,
      interfaceId: tokenInterfaces.allocation,
      controllers: together,
      run(scope, payload) {
        const { receiver, instrument, units, settleBeforeMs } = legOf(payload.object("allocation"));
        if (settleBeforeMs <= scope.now)
          throw contractFailure("DEADLINE_EXCEEDED", "settleBefore has passed");
        scope.archive(payload.text("lockedCid"));
        const holdingCid = createHolding(scope, { owner: receiver, instrument, units });
        return { senderHoldingCids: [], receiverHoldingCids: [holdingCid], meta: { values: {} } };
      },
    },
    Allocation_Cancel: release(together),
    Allocation_Withdraw: release((payload) => [legOf(payload.object("allocation")).sender]),
  },
};
