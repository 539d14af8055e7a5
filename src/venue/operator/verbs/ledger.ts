// `settle …`, `swaps …`, `deposits …`, `custody …`: what is in progress on the ledger, and the operator's decisions
// about stuck batches and swaps, unassigned deposits and custody terms.

import { Option } from "commander";
import * as z from "zod";
import { complain, ExitCode, show } from "../../cli/terminal/output.ts";
import { accountNumber, id, type Noun, type VerbArguments, verb, wholeNumber } from "./verb.ts";

const oneBatch = z.object({ batchId: z.string().min(1).max(100) });
const batchRequest = ([batchId = ""]: VerbArguments) => ({ batchId });
const term = z.string().max(64).optional();

export const settleVerbs: Noun = {
  name: "settle",
  summary: "manage the settlement of fills on the ledger",
  verbs: [
    verb({
      usage: "status",
      summary: "show the newest settlement batches and the enrolled members",
      examples: ["settle status --json"],
      run: async ({ venue }) => venue.settlement("status"),
    }),
    verb({
      usage: "flush",
      summary: "close every open batch now, so that it settles",
      examples: ["settle flush"],
      run: async ({ venue }) => venue.settlement("flush"),
    }),
    verb({
      usage: "show <batch>",
      summary: "show a batch: its payments, its receipts and the effect of skipping it",
      examples: ["settle show b-1042"],
      call: "settle/batch",
      request: oneBatch,
      toRequest: batchRequest,
      run: async ({ venue }, { batchId }) => venue.settlement("batch", batchId),
    }),
    verb({
      usage: "skip <batch>",
      summary: "abandon a batch that is not on the ledger and has no attempt in progress",
      options: [new Option("--yes", "skip the batch; without this option, only show the effect")],
      examples: ["settle skip b-1042 --yes"],
      request: oneBatch,
      converse: async (call, args, { yes: isSure }: { yes?: true }) => {
        show(await call(isSure ? "settle/skip" : "settle/batch", batchRequest(args)));
        if (isSure) return;
        complain("Nothing was changed. Pass --yes to skip the batch.");
        process.exitCode = ExitCode.usage;
      },
      run: async ({ venue }, { batchId }) => venue.settlement("skip", batchId),
    }),
    verb({
      usage: "requeue <batch>",
      summary: "settle the fills of a failed or skipped batch in a new batch",
      examples: ["settle requeue b-1042"],
      request: oneBatch,
      toRequest: batchRequest,
      run: async ({ venue }, { batchId }) => venue.settlement("requeue", batchId),
    }),
  ],
};

export const swapVerbs: Noun = {
  name: "swaps",
  summary: "manage swaps with liquidity providers",
  verbs: [
    verb({
      usage: "list",
      summary: "list swaps in progress, oldest first",
      examples: ["swaps list --json"],
      run: async ({ venue }) => venue.settlement("swaps"),
    }),
    verb({
      usage: "abort <swap>",
      summary: "abort a swap that is not settling yet, and release what is locked",
      examples: ["swaps abort 0198f1c2-0000-7008-8000-000000000001"],
      request: z.object({ swapId: z.string().min(1).max(100) }),
      toRequest: ([swapId = ""]) => ({ swapId }),
      run: async ({ venue }, { swapId }) => venue.settlement("abortSwap", swapId),
    }),
  ],
};

export const depositVerbs: Noun = {
  name: "deposits",
  summary: "manage unassigned deposits",
  verbs: [
    verb({
      usage: "list",
      summary: "list deposits without an account reference or below the minimum, newest first",
      options: [new Option("--all", "include returned deposits")],
      examples: ["deposits list --json"],
      request: z.object({ all: z.boolean().default(false) }),
      toRequest: (_, { all }: { all?: boolean }) => ({ all: all ?? false }),
      run: ({ operator }, { all }) => operator.custody.listDeposits(all),
    }),
    verb({
      usage: "credit <deposit> <account>",
      summary: "credit a deposit to an account's funding wallet",
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
      summary: "return the full deposit to its sender",
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
  summary: "manage deposit and withdrawal terms",
  verbs: [
    verb({
      usage: "terms",
      summary: "show the minimum deposit, minimum withdrawal and withdrawal fee of each asset",
      examples: ["custody terms --json"],
      run: ({ operator }) => operator.custody.showTerms(),
    }),
    verb({
      usage: "set-terms <asset>",
      summary: "change the terms of an asset; omitted terms stay as they are",
      options: [
        new Option("--deposit-min <amount>", "minimum deposit that is credited automatically"),
        new Option("--withdrawal-min <amount>", "minimum withdrawal, including its fee"),
        new Option("--withdrawal-fee <amount>", "fee deducted from each withdrawal"),
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
      summary: "list changes of custody terms, and credited and returned deposits",
      examples: ["custody audit"],
      run: ({ operator }) => operator.custody.audit(),
    }),
  ],
};
