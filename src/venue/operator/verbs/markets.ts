// `markets …`, `makers …`, `insurance …`: markets and their status, the sources of index and mark prices, and the
// insurance fund.

import { InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { show } from "../../cli/terminal/output.ts";
import { listWithProblems } from "./told-problems.ts";
import { accountNumber, id, type Noun, type Verb, verb, wholeNumber } from "./verb.ts";

const oneMarket = z.object({ symbol: z.string().max(32) });
const step = z.string().max(32).optional();
const bps = z.number().max(10_000).optional();

const secondsByUnit = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Parses a time such as `90s`, `15m`, `2h` or `7d` into seconds. */
function duration(text: string): number {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text);
  if (match === null) throw new InvalidArgumentError("expected a time such as 90s, 15m, 2h or 7d");
  return Number(match[1]) * secondsByUnit[match[2] as keyof typeof secondsByUnit];
}

function wholeBps(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError("expected whole basis points");
  return Number(text);
}

interface AddOptions {
  readonly tick?: string;
  readonly lot?: string;
  readonly minNotional?: string;
  readonly makerBps?: number;
  readonly takerBps?: number;
  readonly maxLeverage?: number;
  readonly index?: string;
  readonly halted?: boolean;
}

interface ReferenceOptions {
  readonly for: number;
  readonly force?: boolean;
}

function statusVerb(name: "halt" | "resume" | "delist", summary: string): Verb {
  return verb({
    usage: `${name} <symbol>`,
    summary,
    examples: [`markets ${name} CC-USDC`],
    request: oneMarket,
    toRequest: ([symbol = ""]) => ({ symbol }),
    run: ({ operator }, { symbol }) => operator.access[name](symbol),
  });
}

export const marketVerbs: Noun = {
  name: "markets",
  summary: "manage markets and their risk terms",
  verbs: [
    verb({
      usage: "list",
      summary: "list markets with their status, mark price and index price",
      examples: ["markets list --json"],
      converse: async (call) => show(await listWithProblems(call)),
      run: ({ operator }) => operator.risk.listMarkets(),
    }),
    verb({
      usage: "add <new-symbol>",
      summary: "add a perpetual or a spot pair; it trades from the next start of the venue",
      options: [
        new Option("--tick <step>", "price step; for a perpetual 0.01 (default), 0.001 or 0.0001"),
        new Option("--lot <step>", "quantity step; for a perpetual always 0.001"),
        new Option(
          "--min-notional <amount>",
          "minimum value of a spot order (default against USDC: 10)",
        ),
        new Option("--maker-bps <n>", "maker fee (default: spot 4, perpetual 2)").argParser(
          wholeBps,
        ),
        new Option("--taker-bps <n>", "taker fee (default: spot 10, perpetual 5)").argParser(
          wholeBps,
        ),
        new Option("--max-leverage <n>", "maximum leverage of a perpetual, 1 to 100").argParser(
          (text) => wholeNumber("max-leverage", text),
        ),
        new Option("--index <symbol>", "spot market whose mid price is the perpetual's index"),
        new Option("--halted", "start halted; `markets resume` opens it"),
      ],
      examples: [
        "markets add SOL-PERP --max-leverage 20",
        "markets add CETH-CBTC --tick 0.00001 --lot 0.01 --min-notional 0.0001 --halted",
      ],
      request: z.object({
        symbol: z.string().max(32),
        tick: step,
        lot: step,
        minNotional: step,
        makerBps: bps,
        takerBps: bps,
        leverageMax: z.number().optional(),
        index: step,
        isHalted: z.boolean().default(false),
      }),
      toRequest: ([symbol = ""], { maxLeverage, halted, ...terms }: AddOptions) => {
        return { symbol, ...terms, leverageMax: maxLeverage, isHalted: halted ?? false };
      },
      run: ({ operator }, request) => operator.listing.add(request),
    }),
    statusVerb("halt", "halt trading and cancel open orders; cancels and queries still work"),
    statusVerb("resume", "resume trading after a halt"),
    statusVerb(
      "delist",
      "delist a market permanently and cancel open orders; its history stays; halt a perpetual first",
    ),
    verb({
      usage: "risk <perpetual> [term] [value]",
      summary: "show a perpetual's index and risk terms, or set one term",
      notes:
        "A value is a whole number in the term's unit, `usual` for the default, or 0 to turn the term off.",
      examples: ["markets risk BTC-PERP --json", "markets risk BTC-PERP index-depth 25000"],
      request: z.object({
        symbol: z.string().max(32),
        term: z.string().max(32).nullable(),
        value: z.string().max(32).default("usual"),
      }),
      toRequest: ([symbol = "", term = null, value]) => ({ symbol, term, value }),
      run: ({ operator: { terms } }, { symbol, term, value }) =>
        term === null ? terms.show(symbol) : terms.set(symbol, term, value),
    }),
    verb({
      usage: "reference <perpetual> [price]",
      summary:
        "set a temporary reference price for a perpetual's index; without a price, remove it",
      options: [
        new Option("--for <time>", "how long it is valid: 90s, 15m, 2h, at most 7d")
          .argParser(duration)
          .default(900, "15m"),
        new Option("--force", "take a price more than 10 % away from the index"),
      ],
      examples: ["markets reference BTC-PERP 60000 --for 15m"],
      request: z.object({
        symbol: z.string().max(32),
        price: z.string().max(64).nullable(),
        seconds: id,
        isForced: z.boolean().default(false),
      }),
      toRequest: ([symbol = "", price = null], { for: seconds, force }: ReferenceOptions) => {
        return { symbol, price, seconds, isForced: force ?? false };
      },
      run: ({ operator }, { symbol, price, seconds, isForced }) =>
        operator.risk.setReference(symbol, price, seconds, isForced),
    }),
  ],
};

/** Returns the verb `add` or `remove`; both make the same call. */
function designation(name: string, summary: string, isMaker: boolean): Verb {
  return verb({
    usage: `${name} <account>`,
    summary,
    examples: [`makers ${name} 1004`],
    call: "makers/set",
    request: z.object({ account: id, isMaker: z.boolean() }),
    toRequest: ([account]) => ({ account: accountNumber(account), isMaker }),
    run: ({ operator }, { account, isMaker }) => operator.terms.designate(account, isMaker),
  });
}

export const makerVerbs: Noun = {
  name: "makers",
  summary: "the accounts whose quotes count towards index and mark prices",
  verbs: [
    verb({
      usage: "list",
      summary: "list house accounts and designated makers",
      examples: ["makers list --json"],
      run: ({ operator }) => operator.terms.listMakers(),
    }),
    designation(
      "add",
      "designate a maker: its quotes count as index depth when there is no external price",
      true,
    ),
    designation("remove", "remove a designation; house accounts always count", false),
  ],
};

export const insuranceVerbs: Noun = {
  name: "insurance",
  summary: "the insurance fund of the perpetual markets",
  verbs: [
    verb({
      usage: "show",
      summary: "show the fund's balance and positions, and whether trading is limited",
      examples: ["insurance show --json"],
      run: ({ operator }) => operator.risk.showFund(),
    }),
    verb({
      usage: "refill <amount>",
      summary: "move USDC into the fund from the perp wallet of a house account",
      options: [
        new Option("--from <account>", "the house account that pays (required)")
          .argParser(accountNumber)
          .makeOptionMandatory(),
      ],
      examples: ["insurance refill 50000 --from 1001"],
      request: z.object({ account: id, amount: z.string().max(64) }),
      toRequest: ([amount = ""], { from }: { from: number }) => ({ account: from, amount }),
      run: ({ operator }, { account, amount }) => operator.risk.refillFund(account, amount),
    }),
  ],
};
