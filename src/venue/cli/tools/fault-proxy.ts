// `rialto fault-proxy`: the second address of a venue that can be rewound, at which faults happen. The venue runs one itself
// (src/tools/faults/main.ts); by hand it is started only to look at it.

import { resolve } from "node:path";
import { Command } from "commander";
import { createLog } from "../../../adapters/telemetry/log.ts";
import { say, show, speaksJson } from "../terminal/output.ts";
import { addressOf, dataDirDefault, venueAddress } from "../venue-address.ts";
import { canBeRewound } from "../venue-answers.ts";
import { integer } from "./arguments.ts";

interface FaultProxyCommandOptions {
  readonly venue?: string;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
}

const examples = `
Example:
  $ rialto fault-proxy --port 9090

The venue must have been started with --rewind; it then runs one itself, so this command is rarely needed.
`;

export function faultProxyCommand(): Command {
  return new Command("fault-proxy")
    .description("pass traffic to a venue started with --rewind, with faults (the venue runs one)")
    .option("--venue <url>", "the venue's URL (default: the running venue's)")
    .option("--host <host>", "the host to listen on", "127.0.0.1")
    .option("--port <n>", "the port to listen on; 0 picks a free one", integer(0, 65_535), 0)
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .addHelpText("after", examples)
    .action(run);
}

async function run(options: FaultProxyCommandOptions): Promise<void> {
  // Imported only here, because other commands do not need it.
  const { runFaultProxy } = await import("../../../tools/faults/fault-process.ts");
  const { host, port } = options;
  const dataDir = resolve(options.dataDir);
  const venue = await venueAddress(options.venue, dataDir);
  await checkRewind(venue);
  const log = createLog(process.env["LOG_LEVEL"] ?? "info", "faults");
  const proxy = await runFaultProxy({ venue, host, port, dataDir, log });
  const address = addressOf(host, proxy.port);
  if (speaksJson()) show({ address, venue });
  else say(`Faults happen at ${address}, in front of ${venue}`);
}

/** Refuses a venue that was not started for it, whose clients must never meet faults. */
async function checkRewind(venue: string): Promise<void> {
  if (!(await canBeRewound(venue)))
    throw new Error(`no venue started with 'rialto start --rewind' answers at ${venue}`);
}
