// Owns a venue's time: decides at the start whether to trust the machine's clock, watches it while the venue runs,
// logs when it is no longer trusted, and stores what the next start needs.

import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "../../adapters/postgres/connection.ts";
import { newestEventMs } from "../../adapters/postgres/queries/journal/journal-time.ts";
import { ClockOwner } from "../../adapters/runtime/clock-owner.ts";
import { asleepMs, bootId, readClocks } from "../../adapters/runtime/system-clock.ts";
import { type VenueClock, venueClock } from "../../adapters/runtime/venue-clock.ts";
import type { Log } from "../../ports/log.ts";
import { type ClockRecord, type StartTime, startTimeOf } from "../../services/clock/start-time.ts";
import type { Config } from "../config/config.ts";
import type { ShownMarket } from "./market-control.ts";

const fileMode = 0o600;
/** Interval in ms at which the record for the next start is stored. The record changes as the clock drifts. */
const writeEveryMs = 60_000;

/**
 * The venue's time and the machine's time, as shown to the operator. `held` means that the venue does not trust the
 * machine's clock and continues on the monotonic clock.
 */
export interface ShownClock {
  readonly state: "trusted" | "held";
  readonly venue_time: string;
  readonly machine_time: string;
  /** Seconds by which the machine's time is ahead. */
  readonly difference_s: number;
  readonly held_since: string | null;
  /** The market's time; only in a venue that can be rewound. */
  readonly market?: ShownMarket;
}

/** Shows the clock to the operator and lets the operator accept the machine's clock. */
export interface ClockControl {
  show(): ShownClock;
  /** Adopts the machine's clock immediately. */
  accept(): ShownClock & { readonly accepted_s: number };
}

export interface ClockGround {
  readonly config: Config;
  readonly sql: Sql;
  readonly log: Log;
  /** Whether the operator declared at the start that the machine's clock is right. */
  readonly isAccepted: boolean;
}

export class ClockMonitor implements ClockControl {
  readonly clock: VenueClock;
  readonly #owner: ClockOwner;
  readonly #log: Log;
  readonly #file: string;
  readonly #bootId = bootId();
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> = Promise.resolve();

  /**
   * Publishes the time in `memory` (a `ClockBuffer`). Throws an error with a message for the operator if the start time
   * cannot be determined.
   */
  static async open(ground: ClockGround, memory: SharedArrayBuffer): Promise<ClockMonitor> {
    const { config, sql } = ground;
    // Events of a venue that can be rewound have the market's time, which says nothing about the machine's clock.
    const journalMs = config.isRewind ? 0 : await newestEventMs(sql);
    const began = beginning(config, journalMs, ground.isAccepted);
    if (began.kind === "refused") throw new Error(clockRefusalMessage(began.aheadMs));
    return new ClockMonitor(config, ground.log, memory, began);
  }

  private constructor(
    config: Config,
    log: Log,
    memory: SharedArrayBuffer,
    began: Exclude<StartTime, { kind: "refused" }>,
  ) {
    this.#log = log;
    this.#file = recordFile(config);
    this.clock = venueClock(memory);
    const isHeld = began.kind === "held";
    this.#owner = new ClockOwner({
      memory,
      offsetMs: began.offsetMs,
      isHeld,
      stepMs: config.clockStepMs,
      onChange: (change, differenceMs) => this.#tell(change, differenceMs),
    });
    if (isHeld) this.#tell("held", this.clock.differenceMs());
    else this.#write();
    this.#timer = setInterval(() => this.#write(), writeEveryMs);
    this.#timer.unref();
  }

  show(): ShownClock {
    const { heldSinceMs } = this.#owner;
    const nowMs = this.clock.nowMs();
    const differenceMs = this.clock.differenceMs();
    return {
      state: heldSinceMs === null ? "trusted" : "held",
      venue_time: isoOf(nowMs),
      machine_time: isoOf(nowMs + differenceMs),
      difference_s: differenceMs / 1000,
      held_since: heldSinceMs === null ? null : isoOf(heldSinceMs),
    };
  }

  accept(): ReturnType<ClockControl["accept"]> {
    const stepMs = this.#owner.accept();
    this.#log.warn({ stepS: stepMs / 1000 }, "the operator accepted the machine's clock");
    this.#write();
    return { accepted_s: Math.round(stepMs) / 1000, ...this.show() };
  }

  /** Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#owner.close();
    this.#write();
    await this.#writing;
  }

  #tell(change: "held" | "recovered" | "slept", differenceMs: number): void {
    const told = { differenceS: Math.round(differenceMs) / 1000 };
    if (change === "held") this.#log.error(told, clockHeldMessage);
    else if (change === "recovered") this.#log.warn(told, "the machine's clock is trusted again");
    else this.#log.warn(told, "the machine was suspended; its clock is trusted");
    this.#write();
  }

  /** Replaces the file atomically. A failure is only logged: the next start then has an older record. */
  #write(): void {
    if (this.#bootId === null) return;
    const text = JSON.stringify(this.#owner.record(this.#bootId));
    this.#writing = this.#writing
      .then(() => writeFile(`${this.#file}.new`, text, { mode: fileMode }))
      .then(() => rename(`${this.#file}.new`, this.#file))
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, "the clock state could not be stored");
      });
  }
}

const clockHeldMessage =
  "the machine's clock was set: the venue continues on the monotonic clock; funding, commission and epochs " +
  "wait; set the clock back, or accept it with `rialto clock accept`";

/** Returns the start time of a venue with `config`, from the stored record and the journal. */
export function beginning(config: Config, journalMs: number, isAccepted: boolean): StartTime {
  return startTimeOf({
    ...readClocks(),
    bootId: bootId(),
    asleepMs: asleepMs(),
    record: readRecord(recordFile(config)),
    journalMs,
    stepMs: config.clockStepMs,
    downtimeMsMax: config.clockDowntimeMs,
    isAccepted,
  });
}

/**
 * Returns the message of a start that is refused because the machine's clock is too far from the newest event.
 * `aheadMs` is negative if the clock is behind.
 */
export function clockRefusalMessage(aheadMs: number): string {
  const hours = (Math.abs(aheadMs) / 3_600_000).toFixed(1);
  const place = aheadMs > 0 ? `${hours} h after` : `${hours} h before`;
  return (
    `the machine's clock says ${isoOf(Date.now())}, ${place} the newest event of this venue: ` +
    "set the clock; if it is right, start once with 'rialto start --accept-clock'"
  );
}

function recordFile({ dataDir }: Config): string {
  return join(dataDir, "clock.json");
}

/** Returns null if the file is missing or is not a record. */
function readRecord(file: string): ClockRecord | null {
  try {
    const read = JSON.parse(readFileSync(file, "utf8")) as ClockRecord;
    const { monotonicMs, offsetMs, asleepMs: slept } = read;
    return [monotonicMs, offsetMs, slept].every(Number.isFinite) ? read : null;
  } catch {
    return null;
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
