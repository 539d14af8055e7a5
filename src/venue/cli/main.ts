#!/usr/bin/env node
// The command line, `rialto`. Exit codes: 0 success, 1 refused or failed, 2 usage error, 3 verification mismatch, 4
// another venue leads, or markets were added: start again, 5 the journal lacks acknowledged events.

import { type Command, CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { JournalRefused } from "../leadership/mark-file.ts";
import { createProgram } from "./program.ts";
import { complain, ExitCode, heedReaders, showFailure } from "./terminal/output.ts";

/** Commands that run until they are stopped: they continue even if the program that reads their output has ended. */
const lasting = new Set(["start", "gateway", "provider", "fleet"]);

const program = createProgram((error) =>
  process.exit(error.exitCode === 0 ? ExitCode.done : ExitCode.usage),
);
const running = { goesOn: false };
program.hook("preAction", (_, command) => {
  running.goesOn = lasting.has(command.name());
});
heedReaders(() => running.goesOn);
const unknown = unknownArgument(program, process.argv.slice(2));
if (unknown !== null) {
  const { within, stranger } = unknown;
  complain(`${within} has no command '${stranger}'; '${within} --help' lists them`);
  process.exit(ExitCode.usage);
}
try {
  await program.parseAsync();
} catch (error) {
  showFailure(error);
  const isUsage = error instanceof ConfigError || error instanceof CommanderError;
  if (error instanceof JournalRefused) process.exit(ExitCode.lacking);
  process.exit(isUsage ? ExitCode.usage : ExitCode.failed);
}

interface UnknownArgument {
  /** The command line before the unknown word. */
  readonly within: string;
  readonly stranger: string;
}

/** Returns the first word that is not a command, or null. With `--help` the library would ignore that word. */
function unknownArgument(from: Command, args: readonly string[]): UnknownArgument | null {
  let command = from;
  let within = from.name();
  for (const word of args) {
    if (word.startsWith("-") || word === "help" || command.commands.length === 0) return null;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return { within, stranger: word.slice(0, 40) };
    command = next;
    within += ` ${next.name()}`;
  }
  return null;
}
