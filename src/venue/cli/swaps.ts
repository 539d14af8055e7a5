// `swaps …`: swaps that are under way, and the operator's word on one that should not go on.

import type { Command } from "commander";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addSwapCommands(program: Command): void {
  const swaps = program.command("swaps").description("swaps with liquidity providers");
  swaps
    .command("list")
    .description("swaps that are not over, oldest first")
    .addHelpText("after", "\nExample:\n  $ rialto swaps list --json")
    .action(async () => {
      show(await callVenue("swaps/list", {}));
    });
  swaps
    .command("abort <swap>")
    .description("call a swap off that is not being settled; what is locked goes back")
    .addHelpText("after", "\nExample:\n  $ rialto swaps abort 0198f1c2-0000-7008-8000-000000000001")
    .action(async (swapId: string) => show(await callVenue("swaps/abort", { swapId })));
}
