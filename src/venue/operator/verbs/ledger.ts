// `settle …`, `swaps …`, `deposits …`, `custody …`: what is on its way to or from the ledger, and the operator's
// word on what is stuck, on money that nobody was credited for, and on the terms.

import { Option } from "commander";
import * as z from "zod";
import { complain, ExitCode, show } from "../../cli/terminal/output.ts";
import { accountNumber, id, type Noun, type VerbArguments, verb, wholeNumber } from "./verb.ts";

const oneBatch = z.object({ batchId: z.string().min(1).max(100) });
const batchRequest = ([batchId = ""]: VerbArguments) => ({ batchId });
const term = z.string().max(64).optional();

export const settleVerbs: Noun = {
  name: "settle",
  summary: "batches of fills on their way to the ledger",
  verbs: [
    verb({
      usage: "status",
      summary: "the newest batches and the members",
      examples: ["settle status --json"],
      run: async ({ venue }) => venue.settlement("status"),
    }),
    verb({
      usage: "flush",
      summary: "seal every open batch now",
      examples: ["settle flush"],
      run: async ({ venue }) => venue.settlement("flush"),
    }),
    verb({
      usage: "show <batch>",
      summary: "what a batch pays, what it brings, and what skipping it would mean",
      examples: ["settle show b-1042"],
      call: "settle/batch",
      request: oneBatch,
      toRequest: batchRequest,
      run: async ({ venue }, { batchId }) => venue.settlement("batch", batchId),
    }),
    verb({
      usage: "skip <batch>",
      summary: "give a batch up that is not on the ledger and has no attempt under way",
      options: [new Option("--yes", "do it; without this it is only shown what it would mean")],
      examples: ["settle skip b-1042 --yes"],
      request: oneBatch,
      converse: async (call, args, { yes: isSure }: { yes?: true }) => {
        show(await call(isSure ? "settle/skip" : "settle/batch", batchRequest(args)));
        if (isSure) return;
        complain("Nothing was done: say --yes to skip it.");
        process.exitCode = ExitCode.usage;
      },
      run: async ({ venue }, { batchId }) => venue.settlement("skip", batchId),
    }),
    verb({
      usage: "requeue <batch>",
      summary: "settle the fills of a failed or skipped batch in a new one",
      examples: ["settle requeue b-1042"],
      request: oneBatch,
      toRequest: batchRequest,
      run: async ({ venue }, { batchId }) => venue.settlement("requeue", batchId),
    }),
  ],
};

export const swapVerbs: Noun = {
  name: "swaps",
  summary: "swaps with liquidity providers",
  verbs: [
    verb({
      usage: "list",
      summary: "swaps that are not over, oldest first",
      examples: ["swaps list --json"],
      run: async ({ venue }) => venue.settlement("swaps"),
    }),
    verb({
      usage: "abort <swap>",
      summary: "call a swap off that is not being settled; what is locked goes back",
      examples: ["swaps abort 0198f1c2-0000-7008-8000-000000000001"],
      request: z.object({ swapId: z.string().min(1).max(100) }),
      toRequest: ([swapId = ""]) => ({ swapId }),
      run: async ({ venue }, { swapId }) => venue.settlement("abortSwap", swapId),
    }),
  ],
};

export const depositVerbs: Noun = {
  name: "deposits",
  summary: "deposits that nobody was credited for",
  verbs: [
    verb({
      usage: "list",
      summary: "deposits without an account's reference, or below the minimum, newest first",
      options: [new Option("--all", "those that were sent back too")],
      examples: ["deposits list --json"],
      request: z.object({ all: z.boolean().default(false) }),
      toRequest: (_, { all }: { all?: boolean }) => ({ all: all ?? false }),
      run: ({ operator }, { all }) => operator.custody.listDeposits(all),
    }),
    verb({
      usage: "credit <deposit> <account>",
      summary: "credit a deposit to the funding wallet of an account, once",
      examples: ["deposits credit 17 1002"],
      request: z.object({ depositId: id, account: id }),
      toRequest: ([deposit, account]) => ({
        depositId: wholeNumber("deposit", deposit),
        account: accountNumber(account),
      }),
      run: ({ operator }, { depositId, account }) =>
        operator.custody.creditDeposit(depositId, account),
    }),
    verb({
      usage: "return <deposit>",
      summary: "pay all of a deposit back to who sent it, once",
      examples: ["deposits return 17"],
      request: z.object({ depositId: id }),
      toRequest: ([deposit]) => ({ depositId: wholeNumber("deposit", deposit) }),
      run: ({ operator }, { depositId }) => operator.custody.returnDeposit(depositId),
    }),
  ],
};

interface TermOptions {
  readonly depositMin?: string;
  readonly withdrawalMin?: string;
  readonly withdrawalFee?: string;
}

export const custodyVerbs: Noun = {
  name: "custody",
  summary: "terms of deposits and withdrawals",
  verbs: [
    verb({
      usage: "terms",
      summary: "least deposit, least withdrawal and its fee, by asset",
      examples: ["custody terms --json"],
      run: ({ operator }) => operator.custody.showTerms(),
    }),
    verb({
      usage: "set-terms <asset>",
      summary: "change the terms of an asset; what is not given stays",
      options: [
        new Option("--deposit-min <amount>", "what a deposit must have to be credited"),
        new Option("--withdrawal-min <amount>", "least amount of a withdrawal, its fee included"),
        new Option("--withdrawal-fee <amount>", "what the venue keeps of each withdrawal"),
      ],
      examples: ["custody set-terms USDC --withdrawal-fee 0.25"],
      request: z.object({
        asset: z.string().max(32),
        depositMin: term,
        withdrawalMin: term,
        withdrawalFee: term,
      }),
      toRequest: ([asset = ""], terms: TermOptions) => ({ asset, ...terms }),
      run: ({ operator }, request) => operator.custody.setTerms(request),
    }),
    verb({
      usage: "audit",
      summary: "what operators changed, newest first",
      examples: ["custody audit"],
      run: ({ operator }) => operator.custody.audit(),
    }),
  ],
};
