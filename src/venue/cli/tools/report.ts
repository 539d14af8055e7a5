// `rialto report`: what the programs on a venue did, what they were told, and what is wrong with them. Reads the journal and
// the fault proxy's log; the venue may be running or stopped.

import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import * as z from "zod";
import { FileFault, jsonOf, parsed } from "../../../tools/json-file/json-file.ts";
import type { BeliefDifference, Report } from "../../../tools/report/report-form.ts";
import { readConfig } from "../../config/config.ts";
import { utcExpected, utcMs } from "../../config/utc-time.ts";
import { show, speaksJson } from "../terminal/output.ts";
import { openOutput } from "../terminal/output-file.ts";
import { dataDirDefault } from "../venue-address.ts";
import { withVenue } from "../venue-call.ts";
import type { Moment } from "./stored-report.ts";

interface ReportOptions {
  readonly dataDir: string;
  readonly account?: number;
  readonly from?: Moment;
  readonly to?: Moment;
  readonly believed?: string;
  readonly out?: string;
  readonly force?: boolean;
}

const value = z.union([z.string().max(64), z.number()]);
const belief = z.strictObject({
  openOrders: z
    .array(z.union([value, z.looseObject({ id: value })]))
    .max(10_000)
    .optional(),
  positions: z.record(z.string().max(32), value).optional(),
  balances: z.record(z.string().max(32), z.record(z.string().max(32), value)).optional(),
});
type Belief = z.output<typeof belief>;

const examples = `
Examples:
  $ rialto report --out report.html
  $ rialto report --account 1002 --believed believed.json --out report.html --json
  $ rialto report --from 2026-01-31T09:30:00Z --to 2026-01-31T16:00:00Z --out day.html

Without --account the report is about all members that acted, not about house accounts. --from and --to are numbers
of events, or times of the market. What programs were told is known only of those that used the address with faults.
The file given with --believed has openOrders, positions and balances, as the packages of rialto-test take them.
docs/guides/report-a-run.md describes the report.
`;

export function reportCommand(): Command {
  return new Command("report")
    .description("report what programs did on a venue, what they were told, and what is wrong")
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .addOption(
      new Option("--account <id>", "one account, or all-but-house for all members")
        .argParser(accountNumber)
        .default(undefined, "all-but-house"),
    )
    .option("--from <seq|time>", "the first event", moment)
    .option("--to <seq|time>", "the last event (default: the newest)", moment)
    .option("--believed <file>", "what the account's program believes, as JSON")
    .option("--out <file>", "the page to write, in HTML")
    .option("--force", "replace an existing file")
    .addHelpText("after", examples)
    .action(run);
}

function accountNumber(text: string): number | undefined {
  if (text === "all-but-house") return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("expected the number of an account, or all-but-house");
  return Number(text);
}

function moment(text: string): Moment {
  if (/^[1-9]\d{0,14}$/.test(text)) return { seq: Number(text) };
  const atMs = utcMs(text);
  if (atMs !== null) return { atMs };
  throw new InvalidArgumentError(`expected the number of an event, or ${utcExpected}`);
}

function believed(path: string): Belief {
  try {
    return parsed(belief, jsonOf(path), { where: path, what: "the belief" });
  } catch (error) {
    throw error instanceof FileFault
      ? new InvalidArgumentError(`--believed: ${error.message}`)
      : error;
  }
}

async function run(options: ReportOptions): Promise<void> {
  const { account, out, force = false } = options;
  const given = options.believed === undefined ? undefined : believed(options.believed);
  if (out === undefined && !speaksJson())
    throw new InvalidArgumentError("expected --out FILE, or --json");
  if (given !== undefined && (account === undefined || options.to !== undefined))
    throw new InvalidArgumentError(
      "--believed is about one account at the end of the journal: give --account, and no --to",
    );
  if (out === "-" && speaksJson())
    throw new InvalidArgumentError("--out -: the page and --json cannot both be printed");
  process.env["DATA_DIR"] = resolve(options.dataDir);
  // The file is refused before the work, not after it.
  const terms = { option: "--out", replaces: force, isPrivate: false };
  const output = out === undefined ? null : await openOutput(out, terms);
  try {
    const beliefs =
      given === undefined || account === undefined ? null : await differences(given, account);
    // Imported only here, because it would slow down every other command.
    const { reportOf } = await import("./stored-report.ts");
    const report = await reportOf(readConfig(process.env), options, beliefs);
    const { reportPage } = await import("../../../tools/report/report-page.ts");
    await output?.write(Buffer.from(reportPage(report), "utf8"));
    await output?.close();
    if (speaksJson()) show(report);
    else if (out !== undefined && out !== "-") show(summaryOf(report, out));
  } finally {
    await output?.discard();
  }
}

/** Compares a belief with the truth that the venue tells, with the code of the package for tests. */
async function differences(given: Belief, account: number): Promise<BeliefDifference[]> {
  const { differencesOf } = await import("../../../../rialto-test/node/src/beliefs.js");
  const { truthOf } = await import("../../../../rialto-test/node/src/truth.js");
  return withVenue(async (call) => differencesOf(given, await truthOf({ call }, account)));
}

function summaryOf({ window, findings, accounts }: Report, file: string): object {
  return {
    file,
    events: window.events,
    from: window.from,
    to: window.to,
    accounts: accounts.length,
    findings: findings.map(({ severity, account, text }) => ({ severity, account, text })),
  };
}
