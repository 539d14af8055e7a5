// Template for the chain of the venue's epoch commitments. The chain is one contract, which each commitment consumes
// and recreates with the next number and root, so that an epoch can be neither skipped nor committed twice.

import type { Template } from "../contract-template.ts";
import type { Fields } from "../fields.ts";
import { contractFailure } from "../ledger-refusal.ts";
import { devnetTemplates } from "./member-auth.ts";

const rootForm = /^[0-9a-f]{64}$/;

function root(fields: Fields, name: string): string {
  const text = fields.text(name);
  if (!rootForm.test(text))
    throw contractFailure("BAD_ROOT", `${name} is not a SHA-256 hash in hexadecimal`);
  return text;
}

export const epochChain: Template = {
  id: devnetTemplates.epochChain,
  signatories: (payload) => [payload.party("operator")],
  observers: (payload) => payload.parties("auditors"),
  check(payload) {
    payload.text("venue");
    payload.integer("nextEpoch");
    root(payload, "prevRoot");
  },
  views: () => ({}),
  choices: {
    EpochChain_Commit: {
      isConsuming: true,
      controllers: (payload) => [payload.party("operator")],
      run(scope, payload, argument) {
        const epoch = argument.integer("epoch");
        const next = payload.integer("nextEpoch");
        if (epoch !== next)
          throw contractFailure("WRONG_EPOCH", `the next epoch is ${next}, not ${epoch}`);
        if (root(argument, "prevRoot") !== payload.text("prevRoot"))
          throw contractFailure("WRONG_PREV_ROOT", "the commitment does not continue the chain");
        const { operator, auditors, venue } = payload.json;
        const commitmentCid = scope.create(devnetTemplates.epochCommitment, {
          operator,
          auditors,
          venue,
          ...argument.json,
        });
        const chainCid = scope.create(devnetTemplates.epochChain, {
          operator,
          auditors,
          venue,
          nextEpoch: String(epoch + 1),
          prevRoot: root(argument, "root"),
        });
        return { commitmentCid, chainCid };
      },
    },
  },
};

export const epochCommitment: Template = {
  id: devnetTemplates.epochCommitment,
  signatories: (payload) => [payload.party("operator")],
  observers: (payload) => payload.parties("auditors"),
  check(payload) {
    root(payload, "root");
    root(payload, "merkleRoot");
  },
  views: () => ({}),
  choices: {},
};
