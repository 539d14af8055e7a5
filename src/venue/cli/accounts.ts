// `accounts …`: opening, showing, and with development tools funding them.

import type { Command } from "commander";
import { accountNumber } from "./keys.ts";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addAccountCommands(program: Command): void {
  const accounts = program.command("accounts").description("accounts and their balances");
  accounts
    .command("create")
    .description("open an account")
    .option("--type <type>", "standard, wallet or house", "standard")
    .addHelpText("after", "\nExample:\n  $ rialto accounts create --type house")
    .action(async ({ type }: { type: string }) => {
      show(await callVenue("accounts/create", { type }));
    });
  accounts
    .command("show <account>")
    .description("show an account with its balances")
    .addHelpText("after", "\nExample:\n  $ rialto accounts show 1002 --json")
    .action(async (account: string) => {
      show(await callVenue("accounts/show", { account: accountNumber(account) }));
    });
  accounts
    .command("fund <account> <asset> <amount>")
    .description("credit money that nobody deposited (DEV_TOOLS=1 only)")
    .option("--wallet <wallet>", "funding, spot or perp", "funding")
    .addHelpText("after", "\nExample:\n  $ rialto accounts fund 1002 USDC 25000 --wallet spot")
    .action(
      async (account: string, asset: string, amount: string, { wallet }: { wallet: string }) => {
        const request = { account: accountNumber(account), wallet, asset, amount };
        show(await callVenue("accounts/fund", request));
      },
    );
  accounts
    .command("freeze <account>")
    .description("take no new orders of an account; its cancels pass, a liquidation does too")
    .option("--cancel-orders", "cancel what it has at rest")
    .addHelpText("after", "\nExample:\n  $ rialto accounts freeze 1002 --cancel-orders")
    .action(async (account: string, { cancelOrders }: { cancelOrders?: boolean }) => {
      const request = {
        account: accountNumber(account),
        cancelsOrders: cancelOrders ?? false,
      };
      show(await callVenue("accounts/freeze", request));
    });
  accounts
    .command("thaw <account>")
    .description("end the operator's freeze; one by settlement ends when the wallet covers again")
    .addHelpText("after", "\nExample:\n  $ rialto accounts thaw 1002")
    .action(async (account: string) => {
      show(await callVenue("accounts/thaw", { account: accountNumber(account) }));
    });
  accounts
    .command("house <account>")
    .description("make an account the operator's own: it pays no fees, and its fills have a budget")
    .option("--off", "make it a customer's again")
    .addHelpText("after", "\nExample:\n  $ rialto accounts house 1002")
    .action(async (account: string, { off }: { off?: boolean }) => {
      const request = { account: accountNumber(account), isHouse: off !== true };
      show(await callVenue("accounts/house", request));
    });
  accounts
    .command("permit <account> <permissions>")
    .description("what the account may do beside trading: WITHDRAW, or NONE")
    .addHelpText("after", "\nExample:\n  $ rialto accounts permit 1002 NONE")
    .action(async (account: string, permissions: string) => {
      const request = { account: accountNumber(account), permissions };
      show(await callVenue("accounts/permit", request));
    });
  accounts
    .command("enroll <account> <party>")
    .description(
      "bind a wallet account to its party on the ledger; it trades once its wallet accepts",
    )
    .addHelpText("after", "\nExample:\n  $ rialto accounts enroll 1003 alice::1220…")
    .action(async (account: string, party: string) => {
      show(await callVenue("accounts/enroll", { account: accountNumber(account), party }));
    });
}
