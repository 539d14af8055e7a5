// The venue's contract with a member: it defines what the operator may do with the member's holdings, and in which
// order. Each operation consumes the contract and recreates it with a higher operation number, so that an operation
// older than the latest can never execute. This number is the fencing token.
//
// The body of a choice has the authority of member and operator, and also that of custody or of the other member if
// they take part. Version 1 of the token standard requires this authority for a settlement.

import type { JsonObject } from "../../adapters/ledger/api-shapes.ts";
import { networkProfiles, venueTemplates } from "../../adapters/ledger/network-profile.ts";
import { preapprovalMissing } from "../../adapters/ledger/outcome.ts";
import type { ContractId, Party } from "../../ports/ledger/ledger.ts";
import type { Choice, ChoiceScope, Template } from "../contract-template.ts";
import type { Fields } from "../fields.ts";
import { contractFailure } from "../ledger-refusal.ts";
import { checkReference } from "../token/allocations.ts";

export const devnetTemplates = venueTemplates(networkProfiles.devnet);

const stakeholders = (payload: Fields): Party[] => [
  payload.party("member"),
  payload.party("operator"),
];

/** Refuses an operation number that was already used, and an expired contract. */
function checkTurn(scope: ChoiceScope, payload: Fields, argument: Fields): number {
  const opNo = argument.integer("opNo");
  const next = payload.integer("nextOpNo");
  if (opNo < next)
    throw contractFailure(
      "OP_NUMBER_USED",
      `operation ${opNo} was already used: the next one is ${next}`,
    );
  if (payload.has("validUntil") && payload.time("validUntil") <= scope.now)
    throw contractFailure("AUTH_EXPIRED", "the member's authority has expired");
  return opNo;
}

function renew(scope: ChoiceScope, payload: Fields, opNo: number): ContractId {
  const nextOpNo = String(opNo + 1);
  return scope.create(devnetTemplates.memberAuth, { ...payload.json, nextOpNo });
}

/** Refuses legs that do not involve the member, and payments of the member above the limits of a batch. */
function checkLegs(payload: Fields, legs: readonly Fields[]): void {
  const member = payload.party("member");
  const given = new Map<string, bigint>();
  for (const leg of legs) {
    if (leg.party("sender") !== member && leg.party("receiver") !== member)
      throw contractFailure("FOREIGN_LEG", "every leg must have the member as sender or receiver");
    if (leg.party("sender") !== member) continue;
    const { id } = leg.instrument("instrumentId");
    given.set(id, (given.get(id) ?? 0n) + leg.amount("amount"));
  }
  const limits = payload.object("perBatchLimit");
  for (const [id, units] of given) {
    if (!limits.has(id) || limits.amount(id) < units)
      throw contractFailure(
        "LIMIT_EXCEEDED",
        `the amount of ${id} is above the limit of one batch`,
      );
  }
}

interface Operation {
  /** Checks the argument. Then `run` executes, and at last the contract is recreated. */
  check(payload: Fields, argument: Fields): void;
  run(scope: ChoiceScope, argument: Fields): JsonObject[];
}

/** Returns a choice of the operator, which acts on this contract alone or also on the other member's contract. */
function operation(name: string, { check, run }: Operation): Choice {
  return {
    isConsuming: true,
    controllers: (payload, argument) => [
      payload.party("operator"),
      ...argument.parties("coActors"),
    ],
    run(scope, payload, argument) {
      const opNo = checkTurn(scope, payload, argument);
      check(payload, argument);
      const peer = argument.optional("peer");
      const results =
        peer === null ? run(scope, argument) : [throughPeer(scope, payload, argument)];
      return { authCid: renew(scope, payload, opNo), results };
    },
  };

  function throughPeer(scope: ChoiceScope, payload: Fields, argument: Fields): JsonObject {
    const peer = argument.object("peer");
    return scope.exercise(peer.text("authCid"), name, {
      ...argument.json,
      opNo: peer.json["opNo"],
      coActors: [payload.party("member")],
      peer: null,
    });
  }
}

/** Runs the factory of each leg. Every leg must end with the result `wanted`. */
function viaFactories(choice: string, wanted: string): Operation["run"] {
  return (scope, argument) =>
    argument.objects("legs").map((leg) => {
      const result = scope.exercise(leg.text("factoryCid"), choice, leg.json);
      const { tag } = result["output"] as { tag: string };
      if (!tag.endsWith(wanted))
        throw contractFailure(preapprovalMissing, `a leg ended with ${tag}, expected ${wanted}`);
      return result;
    });
}

function onAllocations(choice: string): Operation {
  return {
    check: () => undefined,
    run: (scope, argument) =>
      argument.objects("allocations").map((each) => {
        const allocationCid = each.text("allocationCid");
        checkReference(scope, allocationCid, argument.text("batchId"));
        return scope.exercise(allocationCid, choice, { extraArgs: each.json["extraArgs"] });
      }),
  };
}

const legOfTransfer = (leg: Fields) => leg.object("transfer");
const legOfAllocation = (leg: Fields) => leg.object("allocation").object("transferLeg");

export const memberAuth: Template = {
  id: devnetTemplates.memberAuth,
  signatories: stakeholders,
  observers: () => [],
  check(payload) {
    payload.integer("nextOpNo");
    payload.object("perBatchLimit");
  },
  views: () => ({}),
  choices: {
    MemberAuth_SettleDirect: operation("MemberAuth_SettleDirect", {
      check: (payload, argument) => checkLegs(payload, argument.objects("legs").map(legOfTransfer)),
      run: viaFactories("TransferFactory_Transfer", "_Completed"),
    }),
    MemberAuth_Allocate: operation("MemberAuth_Allocate", {
      check(payload, argument) {
        const legs = argument.objects("legs");
        checkLegs(payload, legs.map(legOfAllocation));
        for (const leg of legs) {
          const executor = leg.object("allocation").object("settlement").party("executor");
          if (executor !== payload.party("operator"))
            throw contractFailure("WRONG_EXECUTOR", "only the operator may settle");
        }
      },
      run: viaFactories("AllocationFactory_Allocate", "_Completed"),
    }),
    MemberAuth_ExecuteAllocations: operation(
      "MemberAuth_ExecuteAllocations",
      onAllocations("Allocation_ExecuteTransfer"),
    ),
    MemberAuth_CancelAllocations: operation(
      "MemberAuth_CancelAllocations",
      onAllocations("Allocation_Cancel"),
    ),
    MemberAuth_WithdrawAllocation: operation(
      "MemberAuth_WithdrawAllocation",
      onAllocations("Allocation_Withdraw"),
    ),
    MemberAuth_Fence: operation("MemberAuth_Fence", { check: () => undefined, run: () => [] }),
    MemberAuth_Revoke: {
      isConsuming: true,
      controllers: (payload) => [payload.party("member")],
      run: () => ({}),
    },
    MemberAuth_UpdateLimits: {
      isConsuming: true,
      controllers: stakeholders,
      run(scope, payload, argument) {
        const perBatchLimit = argument.object("perBatchLimit").json;
        const { json } = payload;
        return { authCid: scope.create(devnetTemplates.memberAuth, { ...json, perBatchLimit }) };
      },
    },
  },
};

function end(by: "member" | "operator"): Choice {
  return {
    isConsuming: true,
    controllers: (payload) => [payload.party(by)],
    run: () => ({}),
  };
}

export const memberAuthProposal: Template = {
  id: devnetTemplates.memberAuthProposal,
  signatories: (payload) => [payload.party("operator")],
  observers: (payload) => [payload.party("member")],
  check(payload) {
    payload.time("expiresAt");
    payload.object("perBatchLimit");
    payload.objects("instruments");
  },
  views: () => ({}),
  choices: {
    MemberAuthProposal_Accept: {
      isConsuming: true,
      controllers: (payload) => [payload.party("member")],
      run(scope, payload) {
        if (payload.time("expiresAt") <= scope.now)
          throw contractFailure("DEADLINE_EXCEEDED", "the proposal has expired");
        const { operator, member, instruments, perBatchLimit } = payload.json;
        const made = { operator, member, instruments, perBatchLimit, nextOpNo: "1" };
        return { authCid: scope.create(devnetTemplates.memberAuth, { ...made, validUntil: null }) };
      },
    },
    MemberAuthProposal_Reject: end("member"),
    MemberAuthProposal_Withdraw: end("operator"),
  },
};
