// Entry point of the development ledger's process: the file of its settings, its time less monotonic time, and
// the folder of the venue it was started for, without which it ends. Unlike the other entry points it is no
// thread of the venue, so that either can die without the other; a venue that is started again at once finds
// it running. The venue's own rules keep its time from steps of the machine's clock.

import { ClockOwner } from "../src/adapters/runtime/clock-owner.ts";
import { whenUnheld } from "../src/adapters/runtime/folder-lock.ts";
import { venueClock } from "../src/adapters/runtime/venue-clock.ts";
import { createLog } from "../src/adapters/telemetry/log.ts";
import { runDevnetLedger } from "../src/devnet/devnet-process.ts";
import { ClockBuffer } from "../src/wire/clock-buffer.ts";

/** How long it waits for the next venue. */
const graceMs = 5_000;
/** As a venue's is by default. */
const stepMs = 5_000;

const [, , settingsFile = "", offsetMs = "", venueFolder] = process.argv;
const log = createLog("info", "ledger");

const memory = ClockBuffer.allocate();
const owner = new ClockOwner({
  memory,
  offsetMs: Number(offsetMs),
  isHeld: false,
  stepMs,
  onChange: (change, differenceMs) =>
    log.warn({ change, differenceMs }, "the machine's clock changed"),
});
const clock = venueClock(memory);
// The venue's operator says that the machine's clock is right.
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
