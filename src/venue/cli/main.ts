#!/usr/bin/env node
// The command line, `rialto`. Each command says what it does with an example; the exit code is 0 when
// it did it, 1 when it failed, 2 when it was asked wrongly, 3 when a check found a difference.

import { Command, CommanderError } from "commander";
import { ConfigError } from "../config.ts";
import { addAccountCommands } from "./accounts.ts";
import { addCustodyCommands } from "./custody.ts";
import { addDoctorCommand } from "./doctor.ts";
import { fleetCommand } from "./fleet.ts";
import { addKeyCommands } from "./keys.ts";
import { loadCommand } from "./load.ts";
import { addMaintenanceCommands } from "./maintenance.ts";
import { addMasterKeyCommands } from "./master-key.ts";
import { complain, ExitCode } from "./output.ts";
import { providerCommand } from "./provider.ts";
import { addProvidersCommands } from "./providers.ts";
import { addRiskCommands } from "./risk.ts";
import { addSettleCommands } from "./settle.ts";
import { start } from "./start.ts";
import { addSwapCommands } from "./swaps.ts";
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
addProvidersCommands(program);
program.addCommand(providerCommand().copyInheritedSettings(program));
addSwapCommands(program);
addCustodyCommands(program);
addDoctorCommand(program);
addMasterKeyCommands(program);
addProofCommands(program);
program.addCommand(fleetCommand().copyInheritedSettings(program));
program.addCommand(loadCommand().copyInheritedSettings(program));

const stranger = unknownWord(program, process.argv.slice(2));
if (stranger !== null) {
  complain(`${program.name()} has no command '${stranger}'; 'rialto --help' lists them`);
  process.exit(ExitCode.usage);
}
try {
  await program.parseAsync();
} catch (error) {
  complain(error instanceof Error ? wordsOf(error) : String(error));
  const isUsage = error instanceof ConfigError || error instanceof CommanderError;
  process.exit(isUsage ? ExitCode.usage : ExitCode.failed);
}

/** The first word that names no command, which the library would miss beside `--help`; null if none. */
function unknownWord(from: Command, words: readonly string[]): string | null {
  let command = from;
  for (const word of words) {
    if (word.startsWith("-") || word === "help" || command.commands.length === 0) return null;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return word.slice(0, 40);
    command = next;
  }
  return null;
}

function wordsOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${wordsOf(cause)}` : message;
}
