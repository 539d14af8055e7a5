// `insurance …` and `markets …`: what an operator does about the risk of perpetuals.

import { type Command, InvalidArgumentError } from "commander";
import { accountNumber } from "./keys.ts";
import { show } from "./output.ts";
import { callVenue } from "./venue-call.ts";

interface JsonOption {
  readonly json?: boolean;
}

const secondsByUnit = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** `90s`, `15m`, `2h`, `7d` in seconds. */
function duration(text: string): number {
  const match = /^([1-9]\d{0,5})([smhd])$/.exec(text);
  if (match === null) throw new InvalidArgumentError("expected a time such as 90s, 15m, 2h or 7d");
  return Number(match[1]) * secondsByUnit[match[2] as keyof typeof secondsByUnit];
}

export function addRiskCommands(program: Command): void {
  addInsuranceCommands(program);
  addMarketCommands(program);
}

function addInsuranceCommands(program: Command): void {
  const insurance = program.command("insurance").description("the insurance fund of perpetuals");
  insurance
    .command("show")
    .description("its money and positions, and whether trading may go on")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto insurance show --json")
    .action(async ({ json }: JsonOption) => {
      show(await callVenue("insurance/show", {}), json ?? false);
    });
  insurance
    .command("refill <amount>")
    .description("fill it with USDC from the perp wallet of a house account")
    .requiredOption("--from <account>", "the house account that pays", accountNumber)
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto insurance refill 50000 --from 1002")
    .action(async (amount: string, { from, json }: JsonOption & { from: number }) => {
      show(await callVenue("insurance/refill", { account: from, amount }), json ?? false);
    });
}

function addMarketCommands(program: Command): void {
  const markets = program.command("markets").description("markets and what their marks rest on");
  markets
    .command("list")
    .description("list markets with status, mark and index")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto markets list --json")
    .action(async ({ json }: JsonOption) => {
      show(await callVenue("markets/list", {}), json ?? false);
    });
  addStatusCommands(markets);
  markets
    .command("reference <symbol> [price]")
    .description("say what a perpetual's coin is worth for a while; without a price take it back")
    .option("--for <time>", "how long it holds: 90s, 15m, 2h, at most 7d", duration, 900)
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  $ rialto markets reference BTC-PERP 60000 --for 15m")
    .action(
      async (
        symbol: string,
        price: string | undefined,
        { for: seconds, json }: JsonOption & { for: number },
      ) => {
        const request = { symbol, price: price ?? null, seconds };
        show(await callVenue("markets/reference", request), json ?? false);
      },
    );
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
      .option("--json", "as JSON")
      .addHelpText("after", `\nExample:\n  $ rialto markets ${name} CC-USDC`)
      .action(async (symbol: string, { json }: JsonOption) => {
        show(await callVenue(`markets/${name}`, { symbol }), json ?? false);
      });
  }
}
