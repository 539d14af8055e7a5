#!/usr/bin/env node
// The command line, `rialto`. Each command says what it does with an example; the exit code is 0 when
// it did it, 1 when it failed, 2 when it was asked wrongly, 3 when a check found a difference.

import { Command, CommanderError } from "commander";
import { ConfigError } from "../config.ts";
import { addAccountCommands } from "./accounts.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addKeyCommands } from "./keys.ts";
import { loadCommand } from "./load.ts";
import { addMaintenanceCommands } from "./maintenance.ts";
import { complain, ExitCode } from "./output.ts";
import { addRiskCommands } from "./risk.ts";
import { addSettleCommands } from "./settle.ts";
import { start } from "./start.ts";
import { addProofCommands } from "./verify-proof.ts";

const program = new Command("rialto")
  .description("A trading venue: spot and perpetual order books, durable before acknowledged.")
  .addHelpText(
    "after",
    "\nSettings are environment variables: see docs/reference/config.md.\n" +
      "  $ PORT=9000 DATA_DIR=./venue rialto start\n" +
      "In the folder of the sources, 'npm run cli --' stands for 'rialto'.",
  )
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? ExitCode.done : ExitCode.usage));

program
  .command("start")
  .description("start the venue; Ctrl-C stops it")
  .addHelpText("after", "\nExample:\n  $ rialto start")
  .action(() => start(process.env));
addMaintenanceCommands(program);
addKeyCommands(program);
addAccountCommands(program);
addRiskCommands(program);
addSettleCommands(program);
addDoctorCommand(program);
addProofCommands(program);
program.addCommand(loadCommand().copyInheritedSettings(program));

try {
  await program.parseAsync();
} catch (error) {
  complain(error instanceof Error ? wordsOf(error) : String(error));
  const isUsage = error instanceof ConfigError || error instanceof CommanderError;
  process.exit(isUsage ? ExitCode.usage : ExitCode.failed);
}

function wordsOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${wordsOf(cause)}` : message;
}
