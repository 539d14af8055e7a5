// Entry point of the development ledger's process: one argument, the file of its settings. Unlike the
// other entry points it is no thread of the venue, so that either can die without the other.

import { runDevnetLedger } from "../src/adapters/ledger/devnet/devnet-process.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";

const [, , settingsFile = ""] = process.argv;
const log = createLog("info", "ledger");

runDevnetLedger(settingsFile, log).catch((error: unknown) => {
  log.error({ err: error }, "the development ledger could not be opened");
  process.exit(1);
});
