// All commands of `rialto`. Each has a description and an example and takes `--json` and `--help`. What only some commands
// need is imported when they run: every process of a venue begins with this file.

import { Command, type CommanderError } from "commander";
import { withoutPasswords } from "../config/url-text.ts";
import { accountVerbs, keyVerbs } from "../operator/verbs/accounts.ts";
import { faultVerbs } from "../operator/verbs/faults.ts";
import { custodyVerbs, depositVerbs, settleVerbs, swapVerbs } from "../operator/verbs/ledger.ts";
import { insuranceVerbs, makerVerbs, marketVerbs } from "../operator/verbs/markets.ts";
import { providerVerbs } from "../operator/verbs/providers.ts";
import { truthVerbs } from "../operator/verbs/truth.ts";
import { clockVerbs, venueVerbs } from "../operator/verbs/venue.ts";
import { callOf, type Noun } from "../operator/verbs/verb.ts";
import { programVersion } from "../program-version.ts";
import { addCompletion } from "./completion.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addForkCommands } from "./fork-commands.ts";
import { addGateway } from "./gateway-command.ts";
import { addJournalCommands } from "./journal-commands.ts";
import { addMigration, addReplay } from "./maintenance-commands.ts";
import { addMasterKeyCommands } from "./master-key.ts";
import type { StartOptions } from "./start.ts";
import { oneOf } from "./terminal/choices.ts";
import { show, speakJson } from "./terminal/output.ts";
import { faultProxyCommand } from "./tools/fault-proxy.ts";
import { fleetCommand } from "./tools/fleet.ts";
import { loadCommand } from "./tools/load.ts";
import { providerCommand } from "./tools/provider.ts";
import { replayMarketCommand } from "./tools/replay-market.ts";
import { reportCommand } from "./tools/report.ts";
import { swapCommand } from "./tools/swap.ts";
import { syntheticMarketCommand } from "./tools/synthetic-market.ts";
import { testbedCommand } from "./tools/testbed.ts";
import { watchCommand } from "./tools/watch.ts";
import { addProfileCommands } from "./trader/profile-commands.ts";
import { addTradingCommands } from "./trader/trading-commands.ts";
import { addViewCommands } from "./trader/view-commands.ts";
import { callVenue, withVenue } from "./venue-call.ts";
import { addProofCommands } from "./verify-proof.ts";

/** The program without commands: what it says of itself, and how it tells of errors. */
function emptyProgram(): Command {
  return new Command("rialto")
    .description(
      "A trading venue: spot and perpetual order books. An order is durable before it is acknowledged.",
    )
    .addHelpText(
      "after",
      "\nSettings are environment variables, listed in docs/reference/config.md:\n" +
        "  $ PORT=9000 DATA_DIR=./venue rialto start\n" +
        "In a source checkout, run 'npm run -s cli --' instead of 'rialto'.\n\n" +
        "Exit codes: 0 success, 1 refused or failed, 2 usage error, 3 verification mismatch or (doctor) not running, 4 start again: another venue leads, or markets were added, 5 the journal lacks acknowledged events.",
    )
    .version(programVersion(), "--version", "print the version")
    .option("--json", "print the result as one JSON document")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(withoutPasswords(text)) })
    .showHelpAfterError("Run the command with --help to see its usage and examples.");
}

/** `onExit` is called when the library ends the program: for help, the version or a usage error. */
export function createProgram(onExit: (error: CommanderError) => never): Command {
  const program = emptyProgram().exitOverride(onExit);

  program
    .command("start")
    .description("start the venue and run it until Ctrl-C")
    .option("--accept-clock", "trust the machine's clock, however far it is from the newest event")
    .option(
      "--rewind",
      "let replayed markets, market time and faults be played here; for tests, never for money",
    )
    .option("--market-time <time>", "with --rewind: the market's time at the start, in UTC")
    .option(
      "--step",
      "with --rewind: start with the market's time paused, and take clients' commands one at a time",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto start\n  $ rialto start --rewind --market-time 2026-01-31T09:30:00Z",
    )
    .action(async (options: StartOptions) => {
      const { start } = await import("./start.ts");
      await start(process.env, options);
    });
  addGateway(program);
  addNoun(program, clockVerbs);
  addNoun(program, faultVerbs);
  program.addCommand(faultProxyCommand().copyInheritedSettings(program));
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
  addTradingCommands(program);
  addViewCommands(program);
  addProfileCommands(program);
  addDoctorCommand(program);
  addMasterKeyCommands(program);
  addProofCommands(program);
  program.addCommand(watchCommand().copyInheritedSettings(program));
  program.addCommand(fleetCommand().copyInheritedSettings(program));
  program.addCommand(loadCommand().copyInheritedSettings(program));
  program.addCommand(replayMarketCommand().copyInheritedSettings(program));
  addNoun(program, truthVerbs);
  program.addCommand(testbedCommand().copyInheritedSettings(program));
  program.addCommand(syntheticMarketCommand().copyInheritedSettings(program));
  addForkCommands(program);
  program.addCommand(reportCommand().copyInheritedSettings(program));
  addCompletion(program);
  program.hook("preAction", () => {
    if (program.opts<{ json?: boolean }>().json === true) speakJson();
  });
  return program;
}

/**
 * Adds a command for each verb of a noun, such as `markets halt`. Each command calls the venue and shows the result.
 */
function addNoun(program: Command, noun: Noun): void {
  const above = noun.name === "" ? program : program.command(noun.name).description(noun.summary);
  for (const verb of noun.verbs) {
    const { usage, summary, notes, examples, options = [], choices = {} } = verb;
    const { toRequest, converse } = verb;
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
        // The library passes the options and the command after the arguments.
        const args = typed.slice(0, -2).flat() as (string | undefined)[];
        const chosen = typed.at(-2) as object;
        if (converse !== undefined) await withVenue((call) => converse(call, args, chosen));
        else show(await callVenue(callOf(noun, verb), toRequest(args, chosen)));
      });
    for (const option of options) command.addOption(option);
    for (const argument of command.registeredArguments) {
      const names = choices[argument.name()];
      if (names !== undefined) oneOf(argument, names);
    }
  }
}
