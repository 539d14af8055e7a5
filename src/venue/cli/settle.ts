// `settle …`: what is on its way to the ledger, and the operator's word on what is stuck.

import type { Command } from "commander";
import { complain, ExitCode, show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addSettleCommands(program: Command): void {
  const settle = program
    .command("settle")
    .description("batches of fills on their way to the ledger");
  settle
    .command("status")
    .description("the newest batches and the members")
    .addHelpText("after", "\nExample:\n  $ rialto settle status --json")
    .action(async () => {
      show(await callVenue("settle/status", {}));
    });
  settle
    .command("flush")
    .description("seal every open batch now")
    .addHelpText("after", "\nExample:\n  $ rialto settle flush")
    .action(async () => show(await callVenue("settle/flush", {})));
  settle
    .command("show <batch>")
    .description("what a batch pays, what it brings, and what skipping it would mean")
    .addHelpText("after", "\nExample:\n  $ rialto settle show b-1042")
    .action(async (batchId: string) => show(await callVenue("settle/batch", { batchId })));
  settle
    .command("skip <batch>")
    .description("give a batch up that is not on the ledger and has no attempt under way")
    .option("--yes", "do it; without this it is only shown what it would mean")
    .addHelpText("after", "\nExample:\n  $ rialto settle skip b-1042 --yes")
    .action(skip);
  settle
    .command("requeue <batch>")
    .description("settle the fills of a failed or skipped batch in a new one")
    .addHelpText("after", "\nExample:\n  $ rialto settle requeue b-1042")
    .action(async (batchId: string) => show(await callVenue("settle/requeue", { batchId })));
}

async function skip(batchId: string, { yes: isSure }: { yes?: true }): Promise<void> {
  if (isSure) {
    show(await callVenue("settle/skip", { batchId }));
    return;
  }
  show(await callVenue("settle/batch", { batchId }));
  complain("Nothing was done: say --yes to skip it.");
  process.exitCode = ExitCode.usage;
}
