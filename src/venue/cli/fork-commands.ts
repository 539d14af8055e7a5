// The commands `fork` and `diff`.

import type { Command } from "commander";
import type { ForkOptions } from "./fork.ts";

/** The commands that name their data folders themselves: the settings of a fork in DATA_DIR are not theirs. */
export const folderCommands: ReadonlySet<string> = new Set(["fork", "diff"]);

const forkNotes = `
Examples:
  $ rialto fork --at latest --data-dir fork-1
  $ rialto fork --from data --at 2026-01-31T09:30:00Z --data-dir fork-1

'DATA_DIR=fork-1 rialto start --rewind' starts it. A fork is a new venue, with a name and keys of its own, without a ledger, and without the history before the event. Open
orders, positions and balances are as they were after it. The parent is only read and may be running. Its API keys are
issued anew into fork-keys.json of the new folder. docs/guides/fork-a-venue.md says more.

Exit codes: 0 made, 1 refused or failed (nothing is left of the fork), 2 usage error.`;

const diffNotes = `
Example:
  $ rialto diff fork-1 fork-2

Both may be running; one of them may be the parent. Orders are compared under their numbers, fills without their times.

Exit codes: 0 the same, 1 failed, or the venues have nothing in common, 2 usage error, 3 they differ.`;

export function addForkCommands(program: Command): void {
  program
    .command("fork")
    .description("make a venue for tests from any point of another one's journal")
    .requiredOption(
      "--at <point>",
      "an event's number, a time in UTC, or latest: the fork has the state after it (required)",
    )
    .requiredOption("--data-dir <folder>", "the fork's data folder, new or empty (required)")
    .option("--from <folder>", "the parent's data folder (default: DATA_DIR)")
    .option("--keep-keys", "keep the API keys as they are; only of a development venue")
    .addHelpText("after", forkNotes)
    .action(async (options: ForkOptions) => {
      const { fork } = await import("./fork.ts");
      await fork(options);
    });
  program
    .command("diff <a> <b>")
    .description("say how a venue and its fork, or two forks, differ")
    .addHelpText("after", diffNotes)
    .action(async (a: string, b: string) => {
      const { diff } = await import("./fork.ts");
      await diff(a, b);
    });
}
