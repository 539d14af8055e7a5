// Every command of `rialto`. Each says what it does with an example; `--json` and `--help` are everybody's.

import { Command, type CommanderError } from "commander";
import { addAccountCommands } from "./accounts.ts";
import { addClockCommands } from "./clock.ts";
import { addCustodyCommands } from "./custody.ts";
import { addDoctorCommand } from "./doctor/doctor.ts";
import { addInsuranceCommands } from "./insurance.ts";
import { addJournalCommands } from "./journal.ts";
import { addKeyCommands } from "./keys.ts";
import { addMaintenanceCommands } from "./maintenance.ts";
import { addMakerCommands } from "./makers.ts";
import { addMarketCommands } from "./markets.ts";
import { addMasterKeyCommands } from "./master-key.ts";
import { addProvidersCommands } from "./providers.ts";
import { addSettleCommands } from "./settle.ts";
import { type StartOptions, start } from "./start.ts";
import { addSwapCommands } from "./swaps.ts";
import { speakJson } from "./terminal/output.ts";
import { fleetCommand } from "./tools/fleet.ts";
import { loadCommand } from "./tools/load.ts";
import { providerCommand } from "./tools/provider.ts";
import { swapCommand } from "./tools/swap.ts";
import { addProofCommands } from "./verify-proof.ts";

/** `onExit` is told why a command line that cannot be run, or help, ends the program. */
export function createProgram(onExit: (error: CommanderError) => never): Command {
  const program = new Command("rialto")
    .description("A trading venue: spot and perpetual order books, durable before acknowledged.")
    .addHelpText(
      "after",
      "\nSettings are environment variables: see docs/reference/config.md.\n" +
        "  $ PORT=9000 DATA_DIR=./venue rialto start\n" +
        "In the folder of the sources, 'npm run -s cli --' stands for 'rialto'.\n\n" +
        "Exit code: 0 done, 1 refused or failed, 2 asked wrongly, 3 a check found a difference.",
    )
    .option("--json", "print results as one JSON document")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError()
    .exitOverride(onExit);

  program
    .command("start")
    .description("start the venue; Ctrl-C stops it")
    .option("--accept-clock", "the machine's clock is right, however far from the newest event")
    .addHelpText("after", "\nExample:\n  $ rialto start")
    .action((options: StartOptions) => start(process.env, options));
  addClockCommands(program);
  addMaintenanceCommands(program);
  addJournalCommands(program);
  addKeyCommands(program);
  addAccountCommands(program);
  addInsuranceCommands(program);
  addMakerCommands(program);
  addMarketCommands(program);
  addSettleCommands(program);
  addProvidersCommands(program);
  program.addCommand(providerCommand().copyInheritedSettings(program));
  program.addCommand(swapCommand().copyInheritedSettings(program));
  addSwapCommands(program);
  addCustodyCommands(program);
  addDoctorCommand(program);
  addMasterKeyCommands(program);
  addProofCommands(program);
  program.addCommand(fleetCommand().copyInheritedSettings(program));
  program.addCommand(loadCommand().copyInheritedSettings(program));
  program.hook("preAction", () => {
    if (program.opts<{ json?: boolean }>().json === true) speakJson();
  });
  return program;
}
