// `markets …`: which markets there are, whether they trade, and what their marks rest on.

import { type Command, InvalidArgumentError } from "commander";
import { wholeNumber } from "./keys.ts";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

const secondsByUnit = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `90s`, `15m`, `2h`, `7d` in seconds. */
function duration(text: string): number {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text);
  if (match === null) throw new InvalidArgumentError("expected a time such as 90s, 15m, 2h or 7d");
  return Number(match[1]) * secondsByUnit[match[2] as keyof typeof secondsByUnit];
}

export function addMarketCommands(program: Command): void {
  const markets = program.command("markets").description("markets and what their marks rest on");
  markets
    .command("list")
    .description("list markets with status, mark and index")
    .addHelpText("after", "\nExample:\n  $ rialto markets list --json")
    .action(async () => {
      show(await callVenue("markets/list", {}));
    });
  addAddition(markets);
  addStatusCommands(markets);
  addRisk(markets);
  markets
    .command("reference <symbol> [price]")
    .description("say what a perpetual's coin is worth for a while; without a price take it back")
    .option("--for <time>", "how long it holds: 90s, 15m, 2h, at most 7d", duration, 900)
    .addHelpText("after", "\nExample:\n  $ rialto markets reference BTC-PERP 60000 --for 15m")
    .action(
      async (symbol: string, price: string | undefined, { for: seconds }: { for: number }) => {
        const request = { symbol, price: price ?? null, seconds };
        show(await callVenue("markets/reference", request));
      },
    );
}

function addRisk(markets: Command): void {
  markets
    .command("risk <symbol> [term] [value]")
    .description("show how a perpetual's index stands and its terms of risk, or set one of them")
    .addHelpText(
      "after",
      "\nA value is a whole number in the term's unit, `usual`, or 0 to go without that defence." +
        "\n\nExamples:\n  $ rialto markets risk BTC-PERP --json" +
        "\n  $ rialto markets risk BTC-PERP index-depth 25000",
    )
    .action(async (symbol: string, term?: string, value?: string) => {
      const request = { symbol, term: term ?? null, ...(value === undefined ? {} : { value }) };
      show(await callVenue("markets/risk", request));
    });
}

const statusCommands = [
  ["halt", "stop trading; open orders are cancelled, cancels and history go on"],
  ["resume", "trade again after a halt"],
  [
    "delist",
    "end a market for good: open orders are cancelled, history stays; a perpetual is halted first",
  ],
] as const;

function addStatusCommands(markets: Command): void {
  for (const [name, description] of statusCommands) {
    markets
      .command(`${name} <symbol>`)
      .description(description)
      .addHelpText("after", `\nExample:\n  $ rialto markets ${name} CC-USDC`)
      .action(async (symbol: string) => {
        show(await callVenue(`markets/${name}`, { symbol }));
      });
  }
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

function addAddition(markets: Command): void {
  markets
    .command("add <symbol>")
    .description(
      "add a perpetual, or a pair of the venue's assets; it trades from the next start on",
    )
    .option("--tick <step>", "of the price; a perpetual has 0.01, or 0.001 or 0.0001")
    .option("--lot <step>", "of the quantity; a perpetual has 0.001")
    .option("--min-notional <amount>", "least value of a spot order (against USDC: 10)")
    .option("--maker-bps <n>", "fee of who rests (spot 4, perpetual 2)", wholeBps)
    .option("--taker-bps <n>", "fee of who takes (spot 10, perpetual 5)", wholeBps)
    .option("--max-leverage <n>", "of a perpetual, 1 to 100", (text) =>
      wholeNumber("max-leverage", text),
    )
    .option("--index <symbol>", "spot market whose middle is the perpetual's index")
    .option("--halted", "trade only after `markets resume`")
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto markets add SOL-PERP --max-leverage 20" +
        "\n  $ rialto markets add CETH-CBTC --tick 0.00001 --lot 0.01 --min-notional 0.0001 --halted",
    )
    .action(async (symbol: string, { maxLeverage, halted, ...terms }: AddOptions) => {
      const request = { ...terms, leverageMax: maxLeverage, isHalted: halted ?? false };
      show(await callVenue("markets/add", { symbol, ...request }));
    });
}

function wholeBps(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError("expected whole basis points");
  return Number(text);
}
