// Entry point of the development ledger's process. Arguments: its settings file, the number of ms to add to the
// monotonic clock to get the ledger's time, and the data folder of the venue that started it. The ledger ends once no
// venue holds the lock of that folder. It is a separate process, so that a failure of the venue does not end the ledger
// or vice versa. A venue that restarts soon after a failure finds the ledger still running. Like the venue, the ledger
// does not follow steps of the machine's clock.

import { ClockOwner } from "../src/adapters/runtime/clock-owner.ts";
import { whenUnheld } from "../src/adapters/runtime/folder-lock.ts";
import { venueClock } from "../src/adapters/runtime/venue-clock.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";
import { runDevnetLedger } from "../src/devnet/devnet-process.ts";
import { ClockBuffer } from "../src/wire/clock-buffer.ts";

/** How long in ms the ledger waits for another venue to take over the folder before it ends. */
const graceMs = 10_000;
/** Largest step of the machine's clock in ms that is corrected gradually; equals the default of CLOCK_STEP_MS. */
const stepMs = 5_000;
/** Interval of the clock checks in ms. The ledger does nothing at an exact time, so it need not wake as often as a venue. */
const lookMs = 500;

const [, , settingsFile = "", offsetMs = "", venueFolder] = process.argv;
const log = createLog("info", "ledger");

const memory = ClockBuffer.allocate();
const owner = new ClockOwner({
  memory,
  offsetMs: Number(offsetMs),
  isHeld: false,
  stepMs,
  lookMs,
  onChange: (change, differenceMs) =>
    log.warn({ change, differenceMs }, "the machine's clock changed"),
});
const clock = venueClock(memory);
// The venue sends this signal when its operator has accepted the machine's clock.
process.on("SIGHUP", () => owner.accept());

if (venueFolder !== undefined) {
  whenUnheld(venueFolder, graceMs, () => {
    log.info({}, "the venue has stopped: stopping the development ledger");
    process.kill(process.pid, "SIGTERM");
  });
}

runDevnetLedger(settingsFile, log, () => clock.nowMs()).catch((error: unknown) => {
  log.error({ err: error }, "the development ledger could not be started");
  process.exit(1);
});
