// Registers all templates of the development ledger: those of the token and those of the venue.

import type { Template } from "./contract-template.ts";
import { allocation } from "./token/allocations.ts";
import { holding } from "./token/holding.ts";
import { instruction, preapproval, rules } from "./token/transfers.ts";
import { epochChain, epochCommitment } from "./venue/epoch-chain.ts";
import { memberAuth, memberAuthProposal } from "./venue/member-auth.ts";
import { swapProposal, swapTrade } from "./venue/swap-trade.ts";

const all: readonly Template[] = [
  holding,
  rules,
  preapproval,
  instruction,
  allocation,
  memberAuthProposal,
  memberAuth,
  epochChain,
  epochCommitment,
  swapProposal,
  swapTrade,
];

export const templates: ReadonlyMap<string, Template> = new Map(
  all.map((template) => [template.id, template]),
);
