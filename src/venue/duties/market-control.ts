// What the operator does with the market's time: pause, resume, speed, step, jump, set. Steps, jumps and sets walk through
// everything that is due (market-walk.ts); one runs at a time, and `pause` ends it early.

import { sampleIntervalMs } from "../../core/market-samples.ts";
import { OperatorRefusal, WrongValue } from "../operator/operator-commands.ts";
import type { MarketTime } from "./market-time.ts";
import { MarketWalk, type MarketWalkParts } from "./market-walk.ts";

const dayMs = 86_400_000;
/** Longest way of one step. At one mark a second it has 2.7 million stops, which take about half an hour. */
const stepMsMax = 31 * dayMs;
/** How far a step by events goes if less happens. */
const eventsMsMax = dayMs;
const candleMs = 60_000;

/** What a jump can go to: the next candle of a minute, funding settlement, mark, market sample or end of a GTD order. */
export const jumpNames = ["funding", "expiry", "candle", "sample", "mark"] as const;
export type JumpName = (typeof jumpNames)[number];

/** The market's time, as shown to the operator. */
export interface ShownMarket {
  readonly state: "running" | "paused" | "stepping";
  readonly time: string;
  /** How many times as fast as real time it runs when it is not paused. */
  readonly speed: number;
  /** Of a step that runs: where it began and where it ends; absent otherwise. */
  readonly step?: { readonly from: string; readonly to: string };
}

/** What a step, a jump or a set did. */
interface Moved {
  /** Number of events that happened on the way; all are committed. */
  readonly events: number;
  readonly moved_ms: number;
  /** Whether it went all the way; false if `clock pause` ended it, or too few events happened within a day. */
  readonly is_complete: boolean;
  /** What a jump has reached. */
  readonly reached?: JumpName;
}

type Stepped = ShownMarket & Moved;

interface Way {
  readonly toMs: number;
  readonly events?: number | undefined;
  readonly ending: AbortController;
  /** Default true. */
  readonly isReadable?: boolean;
}

export interface MarketControlParts extends Omit<MarketWalkParts, "nowMs" | "moveTo"> {
  readonly time: MarketTime;
  readonly fundingMs: number;
  /** When the next GTD order expires, in ms after `ms`; null if none does. */
  readonly nextExpiryMs: (ms: number) => Promise<number | null>;
  /** Makes the rows of everything committed readable. */
  readonly settle: () => Promise<unknown>;
}

export class MarketControl {
  readonly #parts: MarketControlParts;
  readonly #walk: MarketWalk;
  /** Ends the step, jump or set that runs; null while none does. */
  #ending: AbortController | null = null;
  /** Resolves at its end, also of one that fails. */
  #held: Promise<unknown> = Promise.resolve();
  #step: { readonly fromMs: number; readonly toMs: number } | null = null;

  constructor(parts: MarketControlParts) {
    this.#parts = parts;
    const { time } = parts;
    this.#walk = new MarketWalk({
      ...parts,
      nowMs: () => time.clock.nowMs(),
      moveTo: (ms) => time.moveTo(ms),
    });
  }

  show(): ShownMarket {
    const { time } = this.#parts;
    const shown = { time: isoOf(time.clock.nowMs()), speed: time.speed };
    if (this.#step !== null) {
      const { fromMs, toMs } = this.#step;
      return { state: "stepping", ...shown, step: { from: isoOf(fromMs), to: isoOf(toMs) } };
    }
    return { state: time.isPaused ? "paused" : "running", ...shown };
  }

  /** Ends a step, if one runs, at its next stop; resolves when the time stands still. */
  async pause(): Promise<ShownMarket> {
    this.#ending?.abort();
    this.#parts.time.pause();
    await this.#held;
    return this.show();
  }

  resume(): ShownMarket {
    this.#checkIdle();
    this.#parts.time.resume();
    return this.show();
  }

  /** Throws a WrongValue unless `speed` is 0.1 to 1000. */
  setSpeed(speed: number): ShownMarket {
    if (!(speed >= 0.1 && speed <= 1000))
      throw new WrongValue(`speed: expected 0.1 to 1000, not ${speed}`);
    this.#checkIdle();
    this.#parts.time.setSpeed(speed);
    return this.show();
  }

  /** Moves on by `byMs`, or until `events` more events have happened. Exactly one of them is given. */
  step({ byMs, events }: { readonly byMs?: number; readonly events?: number }): Promise<Stepped> {
    if ((byMs === undefined) === (events === undefined))
      throw new WrongValue("step: expected either by or events");
    return this.#hold((ending) => {
      const toMs = this.#nowMs() + (byMs ?? eventsMsMax);
      return this.#move("by", { toMs, events, ending });
    });
  }

  /** Moves on to the next `name`; without it, to the nearest of all but marks, of which there is one every second. */
  jump(name: JumpName | null): Promise<Stepped> {
    return this.#hold(async (ending) => {
      const [reached, toMs] = await this.#dueNext(name);
      if (!Number.isFinite(toMs)) throw new OperatorRefusal(`jump: no ${reached} is due`);
      return { ...(await this.#move("to", { toMs, ending })), reached };
    });
  }

  /** Moves on to the time `toMs`. With `isReadable`, the rows of what happened can be read when it resolves. */
  set(toMs: number, isReadable = true): Promise<Stepped> {
    if (toMs < this.#nowMs()) {
      const now = isoOf(this.#nowMs());
      throw new WrongValue(`time: expected ${now} or later: the market's time never goes back`);
    }
    return this.#hold((ending) => this.#move("time", { toMs, ending, isReadable }));
  }

  #nowMs(): number {
    return this.#parts.time.clock.nowMs();
  }

  /** What is due next, and when; +∞ if nothing is. */
  async #dueNext(name: JumpName | null): Promise<readonly [JumpName, number]> {
    const { fundingMs, markMs, nextExpiryMs, settle } = this.#parts;
    await settle();
    const nowMs = this.#nowMs();
    const after = (everyMs: number) => (Math.floor(nowMs / everyMs) + 1) * everyMs;
    const due: Readonly<Record<JumpName, number>> = {
      funding: after(fundingMs),
      expiry: (await nextExpiryMs(nowMs)) ?? Number.POSITIVE_INFINITY,
      candle: after(candleMs),
      sample: after(sampleIntervalMs),
      mark: after(markMs),
    };
    if (name !== null) return [name, due[name]];
    const named = jumpNames.filter((one) => one !== "mark").map((one) => [one, due[one]] as const);
    return named.reduce((first, one) => (one[1] < first[1] ? one : first));
  }

  /** Pauses the time for `work`, of which one runs at a time, and lets it run on afterwards if it did before. */
  async #hold(work: (ending: AbortController) => Promise<Moved>): Promise<Stepped> {
    this.#checkIdle();
    const { time } = this.#parts;
    const wasPaused = time.isPaused;
    const ending = new AbortController();
    this.#ending = ending;
    time.pause();
    let moved: Moved;
    const working = work(ending);
    this.#held = working.catch(() => undefined);
    try {
      moved = await working;
    } finally {
      this.#ending = null;
      this.#step = null;
      if (!wasPaused && !ending.signal.aborted) time.resume();
    }
    return { ...this.show(), ...moved };
  }

  async #move(field: string, { toMs, events, ending, isReadable }: Way): Promise<Moved> {
    const fromMs = this.#nowMs();
    if (toMs - fromMs > stepMsMax)
      throw new WrongValue(`${field}: expected at most 31 days after ${isoOf(fromMs)}`);
    this.#step = { fromMs, toMs };
    const happened = await this.#walk.to({ toMs, events, signal: ending.signal });
    if (isReadable !== false) await this.#parts.settle();
    const isThere = events === undefined ? this.#nowMs() >= toMs : happened >= events;
    return { events: happened, moved_ms: this.#nowMs() - fromMs, is_complete: isThere };
  }

  #checkIdle(): void {
    if (this.#ending === null) return;
    throw new OperatorRefusal(
      "a step is running: wait for it, or end it with `rialto clock pause`",
    );
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
