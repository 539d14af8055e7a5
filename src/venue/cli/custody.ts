// `deposits …` and `custody …`: money that came and is nobody's, and the terms of deposits and withdrawals.

import type { Command } from "commander";
import { accountNumber, wholeNumber } from "./keys.ts";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addCustodyCommands(program: Command): void {
  addDepositCommands(program);
  const custody = program.command("custody").description("terms of deposits and withdrawals");
  custody
    .command("terms")
    .description("least deposit, least withdrawal and its fee, by asset")
    .addHelpText("after", "\nExample:\n  $ rialto custody terms --json")
    .action(async () => {
      show(await callVenue("custody/terms", {}));
    });
  custody
    .command("set-terms <asset>")
    .description("change the terms of an asset; what is not given stays")
    .option("--deposit-min <amount>", "what a deposit must have to be credited")
    .option("--withdrawal-min <amount>", "least amount of a withdrawal, its fee included")
    .option("--withdrawal-fee <amount>", "what the venue keeps of each withdrawal")
    .addHelpText("after", "\nExample:\n  $ rialto custody set-terms USDC --withdrawal-fee 0.25")
    .action(
      async (
        asset: string,
        terms: { depositMin?: string; withdrawalMin?: string; withdrawalFee?: string },
      ) => show(await callVenue("custody/set-terms", { asset, ...terms })),
    );
  custody
    .command("audit")
    .description("what operators changed, newest first")
    .addHelpText("after", "\nExample:\n  $ rialto custody audit")
    .action(async () => {
      show(await callVenue("custody/audit", {}));
    });
}

function addDepositCommands(program: Command): void {
  const deposits = program.command("deposits").description("deposits that nobody was credited for");
  deposits
    .command("list")
    .description("deposits without an account's reference, or below the minimum, newest first")
    .option("--all", "those that were sent back too")
    .addHelpText("after", "\nExample:\n  $ rialto deposits list --json")
    .action(async ({ all }: { all?: boolean }) => {
      show(await callVenue("deposits/list", { all: all ?? false }));
    });
  deposits
    .command("credit <deposit> <account>")
    .description("credit a deposit to the funding wallet of an account, once")
    .addHelpText("after", "\nExample:\n  $ rialto deposits credit 17 1002")
    .action(async (deposit: string, account: string) => {
      const request = {
        depositId: wholeNumber("deposit", deposit),
        account: accountNumber(account),
      };
      show(await callVenue("deposits/credit", request));
    });
  deposits
    .command("return <deposit>")
    .description("pay all of a deposit back to who sent it, once")
    .addHelpText("after", "\nExample:\n  $ rialto deposits return 17")
    .action(async (deposit: string) => {
      show(await callVenue("deposits/return", { depositId: wholeNumber("deposit", deposit) }));
    });
}
