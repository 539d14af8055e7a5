// The market's time of a venue that can be rewound. The main thread is its only writer: it starts it, pauses it, sets its
// speed, and moves it on while it is paused. All threads read it in shared memory (wire/clock-buffer.ts).
//
//   running at a speed ◀──resume── paused ──moveTo──▶ paused, later
//                      ──pause───▶

import type { Sql } from "../../adapters/postgres/connection.ts";
import { PostgresEpochs } from "../../adapters/postgres/queries/journal/epochs.ts";
import { newestEventMs } from "../../adapters/postgres/queries/journal/journal-time.ts";
import { monotonicMs } from "../../adapters/runtime/system-clock.ts";
import { type MarketClock, marketClock } from "../../adapters/runtime/venue-clock.ts";
import { assert } from "../../core/assert.ts";
import { marketStartOf } from "../../services/clock/market-start.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import type { Config } from "../config/config.ts";

export interface MarketTimeGround {
  readonly config: Pick<Config, "marketTime" | "epochMs">;
  readonly sql: Sql;
  /** Memory of a `ClockBuffer`, which no other thread reads yet. */
  readonly memory: SharedArrayBuffer;
  /** The edge's time in ms. */
  readonly edgeMs: number;
}

export class MarketTime {
  readonly clock: MarketClock;
  readonly #buffer: ClockBuffer;
  #speed = 1;
  #isPaused: boolean;

  /**
   * Starts the market's time as the settings say. Throws an error with a message for the operator if `--market-time` is
   * before the newest event.
   */
  static async open({ config, sql, memory, edgeMs }: MarketTimeGround): Promise<MarketTime> {
    const { startMs: wantedMs, isStepped } = config.marketTime;
    const [newest] = await new PostgresEpochs(sql).epochs(null, 1);
    const sealedMs = newest === undefined ? 0 : (newest.epoch + 1) * config.epochMs;
    const journalMs = await newestEventMs(sql);
    const start = marketStartOf({ wantedMs, journalMs, sealedMs, edgeMs });
    if ("earliestMs" in start) throw new Error(marketTimeRefusal(start.earliestMs));
    return new MarketTime(memory, start.startMs, isStepped);
  }

  /** Begins at `startMs`, paused or at real speed. */
  constructor(memory: SharedArrayBuffer, startMs: number, isPaused: boolean) {
    this.#buffer = new ClockBuffer(memory);
    this.#isPaused = isPaused;
    this.#buffer.storeMarket(startMs, monotonicMs(), isPaused ? 0 : 1);
    this.clock = marketClock(memory);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** How many times as fast as real time it runs while it is not paused. */
  get speed(): number {
    return this.#speed;
  }

  /** Idempotent, as `resume`. */
  pause(): void {
    this.#isPaused = true;
    this.#store();
  }

  resume(): void {
    this.#isPaused = false;
    this.#store();
  }

  /** Runs at `speed` times real time from now on, or from the next `resume` on if it is paused. */
  setSpeed(speed: number): void {
    this.#speed = speed;
    this.#store();
  }

  /** Moves a paused time on to `ms`, which must not be earlier. */
  moveTo(ms: number): void {
    assert(this.#isPaused, "only a paused time is moved, so that nobody reads times between");
    assert(ms >= this.clock.nowMs(), "the market's time must never go back");
    this.#buffer.storeMarket(ms, monotonicMs(), 0);
  }

  #store(): void {
    const speed = this.#isPaused ? 0 : this.#speed;
    this.#buffer.storeMarket(this.clock.nowMs(), monotonicMs(), speed);
  }
}

function marketTimeRefusal(earliestMs: number): string {
  const earliest = new Date(earliestMs).toISOString();
  return (
    `--market-time: expected ${earliest} or later, because the journal is that far and the market's time never ` +
    "goes back; an earlier time needs an empty DATA_DIR"
  );
}
