// `clock …`: the machine's clock and the venue's, and the operator's word on which is right.

import type { Command } from "commander";
import { show } from "./terminal/output.ts";
import { callVenue } from "./venue-call.ts";

export function addClockCommands(program: Command): void {
  const clock = program.command("clock").description("the machine's clock and the venue's");
  clock
    .command("show")
    .description("both times, and whether the machine's is believed")
    .addHelpText("after", "\nExample:\n  $ rialto clock show --json")
    .action(async () => {
      show(await callVenue("clock/show", {}));
    });
  clock
    .command("accept")
    .description("say that the machine's clock is right: the venue takes its time at once")
    .addHelpText("after", "\nExample:\n  $ rialto clock accept")
    .action(async () => {
      show(await callVenue("clock/accept", {}));
    });
}
