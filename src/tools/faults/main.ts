// Entry point of the fault proxy that a venue started with --rewind runs beside itself. Arguments: the venue's URL, host
// and port to listen on, the venue's data folder. It has an entry of its own because it loads while the venue starts: the
// command line would take as much processor time again.

import { createLog } from "../../adapters/telemetry/log.ts";
import { runFaultProxy } from "./fault-process.ts";

const [, , venue = "", host = "", port = "", dataDir = ""] = process.argv;
const log = createLog(process.env["LOG_LEVEL"] ?? "info", "faults");

try {
  const proxy = await runFaultProxy({ venue, host, port: Number(port), dataDir, log });
  log.info({ port: proxy.port, venue }, "faults happen here, in front of the venue");
} catch (error) {
  log.error({ err: error }, "the fault proxy could not be started");
  process.exit(1);
}
