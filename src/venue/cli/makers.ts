// `makers …`: whose quotes count as depth behind the index and the mark of perpetuals.

import type { Command } from "commander";
import { accountNumber } from "./keys.ts";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

const changes = [
  ["add", "name an account: without an outside price its quotes count as depth", true],
  ["remove", "take the name back; a house account counts by its type", false],
] as const;

export function addMakerCommands(program: Command): void {
  const makers = program
    .command("makers")
    .description("whose quotes count behind index and mark of perpetuals");
  makers
    .command("list")
    .description("list house accounts and those that were named")
    .addHelpText("after", "\nExample:\n  $ rialto makers list --json")
    .action(async () => {
      show(await callVenue("makers/list", {}));
    });
  for (const [name, description, isMaker] of changes) {
    makers
      .command(`${name} <account>`)
      .description(description)
      .addHelpText("after", `\nExample:\n  $ rialto makers ${name} 1004`)
      .action(async (account: string) => {
        show(await callVenue("makers/set", { account: accountNumber(account), isMaker }));
      });
  }
}
