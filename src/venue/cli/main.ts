#!/usr/bin/env node
// The command line, `rialto`. Exit codes: 0 success, 1 refused or failed, 2 usage error, 3 verification mismatch or, of
// `doctor`, not running, 4 another venue leads, or markets were added: start again, 5 the journal lacks acknowledged
// events.

import { type Command, CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { withoutPasswords } from "../config/url-text.ts";
import { forkSettings } from "../fork/fork-file.ts";
import { JournalRefused } from "../leadership/journal-refused.ts";
import { WrongValue } from "../operator/operator-commands.ts";
import { folderCommands } from "./fork-commands.ts";
import { createProgram } from "./program.ts";
import { nearest } from "./terminal/nearest.ts";
import { ExitCode, heedReaders, show, showFailure, speakJson } from "./terminal/output.ts";

/** Commands that run until they are stopped: they continue even if the program that reads their output has ended. */
const lasting = new Set(["start", "gateway", "provider", "fleet", "testbed", "watch"]);

const args = process.argv.slice(2);
// The library reads --json only from a command line that is right, but a wrong one is answered in JSON too.
const isJson = args.includes("--json");

const program = createProgram((error) => {
  if (error.exitCode === 0) process.exit(ExitCode.done);
  // The library has already printed the message for people.
  if (isJson) show({ error: withoutPasswords(error.message.replace(/^error: /, "")) });
  process.exit(ExitCode.usage);
});
const running = { goesOn: false };
program.hook("preAction", (_, command) => {
  running.goesOn = lasting.has(command.name());
  if (!folderCommands.has(command.name())) Object.assign(process.env, forkSettings(process.env));
});
heedReaders(() => running.goesOn);
if (isJson) speakJson();
const unknown = unknownArgument(program, args);
if (unknown !== null) {
  const { within, stranger, meant } = unknown;
  const suggestion = meant === null ? "" : ` Did you mean '${within} ${meant}'?`;
  showFailure(
    `${within} has no command '${stranger}'; '${within} --help' lists them.${suggestion}`,
  );
  process.exit(ExitCode.usage);
}
try {
  await program.parseAsync();
} catch (error) {
  showFailure(error);
  const isUsage = [ConfigError, CommanderError, WrongValue].some((kind) => error instanceof kind);
  if (error instanceof JournalRefused) process.exit(ExitCode.lacking);
  process.exit(isUsage ? ExitCode.usage : ExitCode.failed);
}

interface UnknownArgument {
  /** The command line before the unknown word. */
  readonly within: string;
  readonly stranger: string;
  /** The command that was probably meant. */
  readonly meant: string | null;
}

/** Returns the first word that is not a command, or null. With `--help` the library would ignore that word. */
function unknownArgument(from: Command, args: readonly string[]): UnknownArgument | null {
  let command = from;
  let within = from.name();
  for (const word of args) {
    if (word === "--json") continue;
    if (word.startsWith("-") || word === "help" || command.commands.length === 0) return null;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) {
      const stranger = withoutPasswords(word).slice(0, 40);
      const known = command.commands.map((one) => one.name());
      return { within, stranger, meant: nearest(stranger, known) };
    }
    command = next;
    within += ` ${next.name()}`;
  }
  return null;
}
