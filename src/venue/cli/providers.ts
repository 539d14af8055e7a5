// `providers …`: who offers to quote swaps, and whether the venue asks them.

import type { Command } from "commander";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addProvidersCommands(program: Command): void {
  const providers = program
    .command("providers")
    .description("providers of liquidity for request-for-quote swaps");
  providers
    .command("list")
    .description("everybody who registered, newest first")
    .addHelpText("after", "\nExample:\n  $ rialto providers list --json")
    .action(async () => {
      show(await callVenue("providers/list", {}));
    });
  providers
    .command("approve <provider>")
    .description("ask a provider that registered for quotes from now on")
    .addHelpText("after", "\nExample:\n  $ rialto providers approve 0198f1c2-…")
    .action(async (provider: string) => show(await callVenue("providers/approve", { provider })));
  for (const [name, says] of [
    ["refuse", "turn a registration down"],
    ["suspend", "ask an approved provider for nothing more"],
  ] as const) {
    providers
      .command(`${name} <provider> <reason>`)
      .description(`${says}; it reads the reason`)
      .addHelpText("after", `\nExample:\n  $ rialto providers ${name} 0198f1c2-… "no contract"`)
      .action(async (provider: string, reason: string) =>
        show(await callVenue(`providers/${name}`, { provider, reason })),
      );
  }
  providers
    .command("resume <provider>")
    .description("ask a suspended provider again")
    .addHelpText("after", "\nExample:\n  $ rialto providers resume 0198f1c2-…")
    .action(async (provider: string) => show(await callVenue("providers/resume", { provider })));
  providers
    .command("rotate-key")
    .description("sign requests to providers with a new key, in ten minutes")
    .option("--now", "at once: the old key is not safe any more")
    .addHelpText("after", "\nExample:\n  $ rialto providers rotate-key")
    .action(async ({ now }: { now?: boolean }) =>
      show(await callVenue("providers/rotate-key", { now: now ?? false })),
    );
}
