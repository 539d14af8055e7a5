// `insurance …`: what an operator does about the fund that pays for losses of perpetuals.

import type { Command } from "commander";
import { accountNumber } from "./keys.ts";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addInsuranceCommands(program: Command): void {
  const insurance = program.command("insurance").description("the insurance fund of perpetuals");
  insurance
    .command("show")
    .description("its money and positions, and whether trading may go on")
    .addHelpText("after", "\nExample:\n  $ rialto insurance show --json")
    .action(async () => {
      show(await callVenue("insurance/show", {}));
    });
  insurance
    .command("refill <amount>")
    .description("fill it with USDC from the perp wallet of a house account")
    .requiredOption("--from <account>", "the house account that pays", accountNumber)
    .addHelpText("after", "\nExample:\n  $ rialto insurance refill 50000 --from 1002")
    .action(async (amount: string, { from }: { from: number }) => {
      show(await callVenue("insurance/refill", { account: from, amount }));
    });
}
