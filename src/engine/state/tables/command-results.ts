// The results of gateways' commands, so that a command sent again after a change of leader gets its first answer. An
// origin is one incarnation of a gateway. Each of its two lanes keeps the results that the origin has not confirmed, in
// a window of fixed size: a ring indexed by the command's number.
//
//   confirmed, forgotten │ kept: none, unfinished or finished │ refused until the origin confirms more
//          confirmedUpTo ┘                                    └ confirmedUpTo + originWindowMax

import { assert, byteAt, numberAt, present } from "../../../core/assert.ts";
import { type CommandIdentity, isInWindow, OriginLane } from "../../../core/command-identity.ts";
import { originMemoryMs, originsMax, originWindowMax } from "../../../core/limits.ts";

const memoryUs = originMemoryMs * 1000;

/** What is known about one number of a lane. */
const Stage = { none: 0, unfinished: 1, finished: 2 } as const;

/** The result of a command, as far as it is done. */
export interface CommandResult {
  /** The subject of the reply; of an unfinished command, the number of orders cancelled so far. */
  readonly subject: number;
  /** Seq of the event that recorded it. */
  readonly seq: number;
  readonly isFinished: boolean;
}

/** A result with its command, as stored in snapshots. */
export interface RecordedResult extends CommandResult, Omit<CommandIdentity, "confirmedUpTo"> {}

/** An origin without its results, as stored in snapshots. */
export interface OriginRow {
  readonly origin: number;
  readonly name: string;
  /** Microseconds at which it was registered or last recorded a result. */
  readonly usedUs: number;
  /** By lane: results up to these numbers are forgotten. */
  readonly ordersConfirmed: number;
  readonly cancelsConfirmed: number;
  /** By lane: the highest number with a result. */
  readonly ordersHighest: number;
  readonly cancelsHighest: number;
}

class Lane {
  confirmedUpTo = 0;
  highest = 0;
  readonly #stages = new Uint8Array(originWindowMax);
  readonly #subjects = new Float64Array(originWindowMax);
  readonly #seqs = new Float64Array(originWindowMax);

  resultOf(number: number): CommandResult | null {
    if (number <= this.confirmedUpTo || number > this.highest) return null;
    const place = number % originWindowMax;
    const stage = byteAt(this.#stages, place);
    if (stage === Stage.none) return null;
    const [subject, seq] = [numberAt(this.#subjects, place), numberAt(this.#seqs, place)];
    return { subject, seq, isFinished: stage === Stage.finished };
  }

  /** Forgets the results up to `number`. */
  confirm(number: number): void {
    const end = Math.min(number, this.highest);
    for (let at = this.confirmedUpTo + 1; at <= end; at++) {
      this.#stages[at % originWindowMax] = Stage.none;
    }
    this.confirmedUpTo = Math.max(this.confirmedUpTo, number);
  }

  set(number: number, { subject, seq, isFinished }: CommandResult): void {
    assert(isInWindow(number, this.confirmedUpTo), "a result must be in its lane's window");
    const place = number % originWindowMax;
    assert(this.#stages[place] !== Stage.finished, "a command must be finished only once");
    this.#stages[place] = isFinished ? Stage.finished : Stage.unfinished;
    this.#subjects[place] = subject;
    this.#seqs[place] = seq;
    this.highest = Math.max(this.highest, number);
  }
}

interface Origin {
  readonly origin: number;
  readonly name: string;
  usedUs: number;
  readonly lanes: readonly [Lane, Lane];
  /** The incarnation of the gateway before this one, if it may still live; else 0. */
  earlier: number;
}

export class CommandResults {
  /** The number given last; 0 before the first. */
  issued = 0;
  /** Living origins, oldest first. */
  readonly #origins = new Map<number, Origin>();

  /** Number of living origins. */
  get count(): number {
    return this.#origins.size;
  }

  isLiving(origin: number): boolean {
    return this.#origins.has(origin);
  }

  /** Whether a gateway of this name may register at `nowUs`. */
  hasRoom(name: string, nowUs: number): boolean {
    return this.#origins.size - this.#replaced(name, nowUs).length < originsMax;
  }

  /**
   * Adds an origin. Of earlier incarnations with this name, only the latest lives on until the new one confirms its first
   * answer; origins that were idle for `originMemoryMs` end too. Asserts the next number, and room.
   */
  register(origin: number, name: string, usedUs: number): void {
    assert(origin === this.issued + 1, "origins must be numbered without a gap");
    for (const old of this.#replaced(name, usedUs)) this.#origins.delete(old);
    assert(this.#origins.size < originsMax, "there must be room for another origin");
    this.issued = origin;
    this.#add(origin, name, usedUs);
  }

  /** The result of a command; null if there is none, or if its origin has confirmed it or does not live. */
  resultOf({ origin, lane, number }: Omit<CommandIdentity, "confirmedUpTo">): CommandResult | null {
    return this.#origins.get(origin)?.lanes[lane].resultOf(number) ?? null;
  }

  /** Results of the lane up to this number are forgotten. 0 for an origin that does not live. */
  confirmedUpTo(origin: number, lane: OriginLane): number {
    return this.#origins.get(origin)?.lanes[lane].confirmedUpTo ?? 0;
  }

  /** The highest number of the lane that has had a result; 0 for none. */
  highest(origin: number, lane: OriginLane): number {
    return this.#origins.get(origin)?.lanes[lane].highest ?? 0;
  }

  /**
   * Keeps the result of a command, or of its next step, and forgets what the command confirms. Asserts that the origin
   * lives and that the command was not finished before. A result that the origin has confirmed meanwhile, which only a
   * faulty gateway does, is not kept.
   */
  record(identity: CommandIdentity, result: CommandResult, usedUs: number): void {
    const { lane: at, number, confirmedUpTo } = identity;
    const origin = present(this.#origins.get(identity.origin), "the origin of a result must live");
    const lane = origin.lanes[at];
    lane.confirm(confirmedUpTo);
    if (number > lane.confirmedUpTo) lane.set(number, result);
    origin.usedUs = usedUs;
    if (confirmedUpTo === 0 || origin.earlier === 0) return;
    this.#origins.delete(origin.earlier);
    origin.earlier = 0;
  }

  /** Living origins, oldest first. */
  origins(): OriginRow[] {
    return Array.from(this.#origins.values(), ({ origin, name, usedUs, lanes }) => {
      const [orders, cancels] = lanes;
      return {
        ...{ origin, name, usedUs },
        ...{ ordersConfirmed: orders.confirmedUpTo, cancelsConfirmed: cancels.confirmedUpTo },
        ...{ ordersHighest: orders.highest, cancelsHighest: cancels.highest },
      };
    });
  }

  /** All kept results, by origin, lane and number. */
  *results(): Generator<RecordedResult> {
    for (const { origin, lanes } of this.#origins.values()) {
      for (const lane of Object.values(OriginLane)) {
        const { confirmedUpTo, highest } = lanes[lane];
        for (let number = confirmedUpTo + 1; number <= highest; number++) {
          const result = lanes[lane].resultOf(number);
          if (result !== null) yield { origin, lane, number, ...result };
        }
      }
    }
  }

  /** Adds an origin from a snapshot, without its results; they follow by `restoreResult`. */
  restore(row: OriginRow): void {
    const [orders, cancels] = this.#add(row.origin, row.name, row.usedUs).lanes;
    orders.confirmedUpTo = row.ordersConfirmed;
    orders.highest = row.ordersHighest;
    cancels.confirmedUpTo = row.cancelsConfirmed;
    cancels.highest = row.cancelsHighest;
  }

  restoreResult({ origin, lane, number, ...result }: RecordedResult): void {
    present(this.#origins.get(origin), "the origin of a result must live").lanes[lane].set(
      number,
      result,
    );
  }

  #add(origin: number, name: string, usedUs: number): Origin {
    const earlier = this.#named(name).at(-1) ?? 0;
    const added: Origin = { origin, name, usedUs, earlier, lanes: [new Lane(), new Lane()] };
    this.#origins.set(origin, added);
    return added;
  }

  /** Living origins of this name, oldest first. */
  #named(name: string): number[] {
    return [...this.#origins.values()].flatMap((one) => (one.name === name ? [one.origin] : []));
  }

  /** The origins that end when a gateway of this name registers. */
  #replaced(name: string, nowUs: number): number[] {
    const earlier = this.#named(name).slice(0, -1);
    const idle = [...this.#origins.values()].filter(({ usedUs }) => usedUs + memoryUs <= nowUs);
    return [...new Set([...earlier, ...idle.map(({ origin }) => origin)])];
  }
}
