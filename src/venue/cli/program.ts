// Every command of `rialto`. Each says what it does with an example; `--json` and `--help` are everybody's.

import { Command, type CommanderError } from "commander";
import { accountVerbs, keyVerbs } from "../operator/verbs/accounts.ts";
import { custodyVerbs, depositVerbs, settleVerbs, swapVerbs } from "../operator/verbs/ledger.ts";
import { insuranceVerbs, makerVerbs, marketVerbs } from "../operator/verbs/markets.ts";
import { providerVerbs } from "../operator/verbs/providers.ts";
import { clockVerbs, venueVerbs } from "../operator/verbs/venue.ts";
import { callOf, type Noun } from "../operator/verbs/verb.ts";
import { addDoctorCommand } from "./doctor/doctor.ts";
import { addJournalCommands } from "./journal.ts";
import { addMigration, addReplay } from "./maintenance.ts";
import { addMasterKeyCommands } from "./master-key.ts";
import { type StartOptions, start } from "./start.ts";
import { show, speakJson } from "./terminal/output.ts";
import { fleetCommand } from "./tools/fleet.ts";
import { loadCommand } from "./tools/load.ts";
import { providerCommand } from "./tools/provider.ts";
import { swapCommand } from "./tools/swap.ts";
import { callVenue, withVenue } from "./venue-call.ts";
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
  addNoun(program, clockVerbs);
  addMigration(program);
  addNoun(program, venueVerbs);
  addReplay(program);
  addJournalCommands(program);
  for (const noun of [keyVerbs, accountVerbs, insuranceVerbs, makerVerbs, marketVerbs, settleVerbs])
    addNoun(program, noun);
  addNoun(program, providerVerbs);
  program.addCommand(providerCommand().copyInheritedSettings(program));
  program.addCommand(swapCommand().copyInheritedSettings(program));
  for (const noun of [swapVerbs, depositVerbs, custodyVerbs]) addNoun(program, noun);
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

/** The commands of a noun's verbs: each asks the venue, and shows what it answers. */
function addNoun(program: Command, noun: Noun): void {
  const above = noun.name === "" ? program : program.command(noun.name).description(noun.summary);
  for (const verb of noun.verbs) {
    const { usage, summary, notes, examples, options = [], toRequest, converse } = verb;
    const title = examples.length > 1 ? "Examples" : "Example";
    const lines = examples.map((example) => `\n  $ rialto ${example}`);
    const command = above
      .command(usage)
      .description(summary)
      .addHelpText(
        "after",
        `\n${notes === undefined ? "" : `${notes}\n\n`}${title}:${lines.join("")}`,
      )
      .action(async (...typed: unknown[]) => {
        // The library hands the options and the command over behind the arguments.
        const args = typed.slice(0, -2).flat() as (string | undefined)[];
        const chosen = typed.at(-2) as object;
        if (converse !== undefined) await withVenue((call) => converse(call, args, chosen));
        else show(await callVenue(callOf(noun, verb), toRequest(args, chosen)));
      });
    for (const option of options) command.addOption(option);
  }
}
