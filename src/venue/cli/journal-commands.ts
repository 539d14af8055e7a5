// The commands `journal …`.

import { type Command, InvalidArgumentError } from "commander";
import type { ExportOptions } from "./journal.ts";

export function addJournalCommands(program: Command): void {
  const journal = program
    .command("journal")
    .description("export the journal's events, verify an export, and accept a loss");
  journal
    .command("export")
    .description("write events to a self-describing file")
    .option("--from <seq>", "the first event (default: the journal's first one)", seqNumber)
    .option("--to <seq>", "the last event (default: the newest committed one)", seqNumber)
    .requiredOption("--out <file>", "the file to write; - is standard output (required)")
    .option("--epochs <file>", "also write the sealed epochs of these events, with openings")
    .option("--balances <file>", "also write everybody's balances and positions after them")
    .option("--statements <file>", "also write the statements of liabilities, with openings")
    .option("--force", "replace existing files")
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto journal export --out journal.rialto" +
        "\n  $ rialto journal export --from 1000 --to 2000 --out part.rialto" +
        "\n  $ rialto journal export --out journal.rialto --epochs epochs.jsonl --balances balances.json" +
        " --statements statements.jsonl" +
        "\n\nThe venue may be running. docs/guides/journal-export.md describes the file format.",
    )
    .action(async (options: ExportOptions) => {
      const { exportFiles } = await import("./journal.ts");
      await exportFiles(options);
    });
  journal
    .command("verify <file>")
    .description("check that an exported file is complete and unchanged; - is standard input")
    .addHelpText("after", "\nExample:\n  $ rialto journal verify journal.rialto")
    .action(async (file: string) => {
      const { verify } = await import("./journal.ts");
      await verify(file);
    });
  journal
    .command("accept <seq>")
    .description("accept that acknowledged events up to <seq> are missing from the journal")
    .addHelpText(
      "after",
      "\nExample:\n  $ rialto journal accept 4711" +
        "\n\nA venue whose journal lacks what it has acknowledged does not start (exit code 5) and names the number to" +
        "\naccept. Restore or promote the server that has the events, if there is one: accepting gives them up.",
    )
    .action(async (given: string) => {
      const seq = seqNumber(given);
      const { accept } = await import("./journal.ts");
      await accept(seq);
    });
}

function seqNumber(text: string): number {
  const seq = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(seq) && seq > 0) return seq;
  throw new InvalidArgumentError("expected an event number, 1 or higher");
}
