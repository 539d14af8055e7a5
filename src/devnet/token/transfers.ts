// Payments of the development token. The admin's rules contract is the factory of transfers and allocations. If the
// receiver has a preapproval, a payment needs no signature of the receiver. Otherwise the payment is an offer, whose
// holding stays locked until the offer is accepted, rejected, withdrawn or expired.

import type { JsonObject } from "../../adapters/ledger/api-shapes.ts";
import { tokenInterfaces } from "../../adapters/ledger/network-profile.ts";
import type { ContractId, Instrument, Party } from "../../ports/ledger/ledger.ts";
import type { Choice, ChoiceScope, Template } from "../contract-template.ts";
import type { Fields } from "../fields.ts";
import { contractFailure } from "../ledger-refusal.ts";
import { allocate, checkAdmin } from "./allocations.ts";
import { createHolding, spend } from "./holding.ts";

export const rulesTemplate = "#rialto-token-v1:Rialto.Token:TokenRules";
export const preapprovalTemplate = "#rialto-token-v1:Rialto.Token:TransferPreapproval";
export const instructionTemplate = "#rialto-token-v1:Rialto.Token:TransferInstruction";

/** Key of the receiver's preapproval in the choice context of a transfer. */
export const preapprovalKey = "transfer-preapproval";

interface Transfer {
  readonly sender: Party;
  readonly receiver: Party;
  readonly units: bigint;
  readonly instrument: Instrument;
  readonly executeBeforeMs: number;
  readonly inputs: readonly ContractId[];
}

function transferOf(fields: Fields): Transfer {
  return {
    sender: fields.party("sender"),
    receiver: fields.party("receiver"),
    units: fields.amount("amount"),
    instrument: fields.instrument("instrumentId"),
    executeBeforeMs: fields.time("executeBefore"),
    inputs: fields.texts("inputHoldingCids"),
  };
}

function completed(receiverHoldingCids: readonly ContractId[], changeCids: readonly ContractId[]) {
  const value = { receiverHoldingCids };
  const output = { tag: "TransferInstructionResult_Completed", value };
  return { output, senderChangeCids: changeCids, meta: { values: {} } };
}

/** Returns the receiver's preapproval from the choice context, if it is valid and not expired. */
function preapprovalIn(scope: ChoiceScope, argument: Fields): ContractId | null {
  const context = argument.object("extraArgs").object("context").object("values");
  const found = context.optional(preapprovalKey);
  if (found === null) return null;
  const contractId = found.text("value");
  const expiresAtMs = scope.fetch(contractId, preapprovalTemplate).time("expiresAt");
  return expiresAtMs > scope.now ? contractId : null;
}

const transfer: Choice = {
  isConsuming: false,
  interfaceId: tokenInterfaces.transferFactory,
  controllers: (_, argument) => [argument.object("transfer").party("sender")],
  run(scope, payload, argument) {
    const given = argument.object("transfer");
    const { sender, receiver, units, instrument, executeBeforeMs, inputs } = transferOf(given);
    checkAdmin(payload, argument, instrument);
    if (executeBeforeMs <= scope.now)
      throw contractFailure("DEADLINE_EXCEEDED", "executeBefore has passed");
    if (given.time("requestedAt") > scope.now)
      throw contractFailure("NOT_YET", "requestedAt is in the future");
    const preapproval = sender === receiver ? null : preapprovalIn(scope, argument);
    const { changeCids } = spend(scope, { owner: sender, instrument, units, inputs });
    if (sender === receiver) {
      return completed([createHolding(scope, { owner: receiver, instrument, units })], changeCids);
    }
    if (preapproval !== null) {
      const received = scope.exercise(preapproval, "TransferPreapproval_Send", {
        sender,
        instrumentId: instrument,
        amount: given.text("amount"),
        // Pass the metadata on, so that the receiver sees the purpose of the payment, as with the network's own coin.
        meta: given.object("meta").json,
      });
      return completed([String(received["holdingCid"])], changeCids);
    }
    const lock = { holders: [instrument.admin], expiresAtMs: executeBeforeMs, context: "transfer" };
    const lockedCid = createHolding(scope, { owner: sender, instrument, units, lock });
    const transferInstructionCid = scope.create(instructionTemplate, {
      transfer: given.json,
      lockedCid,
    });
    const value = { transferInstructionCid };
    const output = { tag: "TransferInstructionResult_Pending", value };
    return { output, senderChangeCids: changeCids, meta: { values: {} } };
  },
};

/** The faucet's choice, which admin and receiver must authorise together. */
const mint: Choice = {
  isConsuming: false,
  controllers: (payload, argument) => [payload.party("admin"), argument.party("owner")],
  run(scope, payload, argument) {
    const instrument = { admin: payload.party("admin"), id: argument.text("id") };
    const units = argument.amount("amount");
    scope.mint(instrument, units);
    const owner = argument.party("owner");
    return { holdingCid: createHolding(scope, { owner, instrument, units }) };
  },
};

export const rules: Template = {
  id: rulesTemplate,
  signatories: (payload) => [payload.party("admin")],
  observers: () => [],
  check: () => undefined,
  views: ({ json }) => ({
    [tokenInterfaces.transferFactory]: { admin: json["admin"], meta: { values: {} } },
    [tokenInterfaces.allocationFactory]: { admin: json["admin"], meta: { values: {} } },
  }),
  choices: {
    TransferFactory_Transfer: transfer,
    AllocationFactory_Allocate: allocate,
    TokenRules_Mint: mint,
  },
};

export const preapproval: Template = {
  id: preapprovalTemplate,
  signatories: (payload) => [payload.party("receiver"), payload.party("provider")],
  observers: () => [],
  check(payload) {
    payload.time("expiresAt");
    payload.texts("instruments");
  },
  views: () => ({}),
  choices: {
    TransferPreapproval_Send: {
      isConsuming: false,
      controllers: (_, argument) => [
        argument.party("sender"),
        argument.instrument("instrumentId").admin,
      ],
      run(scope, payload, argument) {
        const instrument = argument.instrument("instrumentId");
        if (!payload.texts("instruments").includes(instrument.id))
          throw contractFailure("WRONG_INSTRUMENT", "the preapproval is for other instruments");
        const owner = payload.party("receiver");
        const units = argument.amount("amount");
        return { holdingCid: createHolding(scope, { owner, instrument, units }) };
      },
    },
    TransferPreapproval_Cancel: {
      isConsuming: true,
      controllers: (_, argument) => [argument.party("by")],
      run(_, payload, argument) {
        if (![payload.party("receiver"), payload.party("provider")].includes(argument.party("by")))
          throw contractFailure("NOT_A_PARTY", "only receiver and provider may cancel");
        return {};
      },
    },
  },
};

/** Returns a choice that ends an offer: the locked holding goes to the receiver, or back to the sender. */
function endOffer(ownerOf: (given: Transfer) => Party, isAccepted: boolean): Choice {
  return {
    isConsuming: true,
    interfaceId: tokenInterfaces.transferInstruction,
    controllers(payload) {
      const given = transferOf(payload.object("transfer"));
      return [isAccepted ? given.receiver : ownerOf(given)];
    },
    run(scope, payload) {
      const given = transferOf(payload.object("transfer"));
      if (isAccepted && given.executeBeforeMs <= scope.now)
        throw contractFailure("DEADLINE_EXCEEDED", "executeBefore has passed");
      scope.archive(payload.text("lockedCid"));
      const { instrument, units } = given;
      const owner = isAccepted ? given.receiver : given.sender;
      const holdingCid = createHolding(scope, { owner, instrument, units });
      if (isAccepted) return completed([holdingCid], []);
      const output: JsonObject = { tag: "TransferInstructionResult_Failed", value: {} };
      return { output, senderChangeCids: [holdingCid], meta: { values: {} } };
    },
  };
}

export const instruction: Template = {
  id: instructionTemplate,
  signatories(payload) {
    const { sender, instrument } = transferOf(payload.object("transfer"));
    return [instrument.admin, sender];
  },
  observers: (payload) => [payload.object("transfer").party("receiver")],
  check: () => undefined,
  views: ({ json }) => ({
    [tokenInterfaces.transferInstruction]: {
      transfer: json["transfer"],
      status: { tag: "TransferPendingReceiverAcceptance", value: {} },
      meta: { values: {} },
    },
  }),
  choices: {
    TransferInstruction_Accept: endOffer(({ receiver }) => receiver, true),
    TransferInstruction_Reject: endOffer(({ receiver }) => receiver, false),
    TransferInstruction_Withdraw: endOffer(({ sender }) => sender, false),
  },
};
