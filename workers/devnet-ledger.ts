// Entry point of the development ledger's process: the file of its settings, and the folder of the venue it
// was started for, without which it ends. Unlike the other entry points it is no thread of the venue, so
// that either can die without the other; a venue that is started again at once finds it running.

import { runDevnetLedger } from "../src/adapters/ledger/devnet/devnet-process.ts";
import { whenUnheld } from "../src/adapters/runtime/folder-lock.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";

/** How long it waits for the next venue. */
const graceMs = 5_000;

const [, , settingsFile = "", venueFolder] = process.argv;
const log = createLog("info", "ledger");

if (venueFolder !== undefined) {
  whenUnheld(venueFolder, graceMs, () => {
    log.info({}, "the venue is gone, and the development ledger ends");
    process.kill(process.pid, "SIGTERM");
  });
}

runDevnetLedger(settingsFile, log).catch((error: unknown) => {
  log.error({ err: error }, "the development ledger could not be opened");
  process.exit(1);
});
