// How a provider behaves, and who is asked. A score of 0 to 1000 falls with each thing that costs a trader
// time or a price, most of all with a word that was not kept, and rises slowly. Below the bar a provider is
// not asked until health checks have brought it back. Spec LPC-5.

import { providersPerQuoteMax } from "../../core/limits.ts";
import type { FigureChange, ProviderFigures } from "../../ports/swaps/provider-registry.ts";

export const scoreMax = 1000;

/** Below it a provider is not asked. */
const scoreMin = 200;

/** Scores this near to each other count as equal, so that equals take turns. */
const turnWidth = 100;

/** Health checks in a row without an answer after which a provider is out. */
const missesMax = 3;

/** What each of them does to the score. */
const worth = {
  quoted: 2,
  passed: 0,
  late: -10,
  failed: -10,
  invalid: -50,
  settled: 50,
  declined: -200,
  unlocked: -300,
  /** A health check that was answered. */
  healthAnswered: 5,
} as const;

export type Conduct = Exclude<keyof typeof worth, "healthAnswered">;

const nothing: ProviderFigures = {
  asked: 0,
  quoted: 0,
  passed: 0,
  late: 0,
  invalid: 0,
  failed: 0,
  settled: 0,
  declined: 0,
  unlocked: 0,
  answerMs: 0,
};

export interface HealthReport {
  readonly status: "ok" | "degraded" | "paused";
  readonly pairs: readonly string[];
}

export class ProviderScore {
  readonly provider: string;
  #score: number;
  #pairs: readonly string[] = [];
  #health: string | null = null;
  #healthMs: number | null = null;
  #misses = missesMax;
  /** Number of its last turn: who waited longest comes first among equals. */
  #lastTurn = 0;
  #figures: { -readonly [name in keyof ProviderFigures]: number } = { ...nothing };
  #isChanged = false;

  constructor(provider: string, score: number) {
    this.provider = provider;
    this.#score = score;
  }

  get score(): number {
    return this.#score;
  }

  get lastTurn(): number {
    return this.#lastTurn;
  }

  /** Whether it may be asked for quotes of `pair`. */
  isAbleTo(pair: string): boolean {
    const isWell = this.#misses < missesMax && this.#health !== "paused";
    return isWell && this.#score >= scoreMin && this.#pairs.includes(pair);
  }

  /** Its health check was answered. */
  healthAnswered({ status, pairs }: HealthReport, nowMs: number): void {
    this.#misses = 0;
    this.#health = status;
    this.#healthMs = nowMs;
    this.#pairs = pairs;
    this.#move(worth.healthAnswered);
  }

  /** Its health check was not answered, or with what is none. */
  miss(): void {
    this.#misses = Math.min(this.#misses + 1, missesMax);
    if (this.#misses === missesMax) this.#health = "unreachable";
    this.#isChanged = true;
  }

  requested(turn: number): void {
    this.#lastTurn = turn;
    this.#figures.asked++;
    this.#isChanged = true;
  }

  /** Counts what it did; `answerMs` for answers in time. */
  did(conduct: Conduct, answerMs = 0): void {
    this.#figures[conduct]++;
    this.#figures.answerMs += Math.round(answerMs);
    this.#move(worth[conduct]);
  }

  /** What has changed since the last time; null for nothing. */
  takeChange(): FigureChange | null {
    if (!this.#isChanged) return null;
    const figures = this.#figures;
    this.#figures = { ...nothing };
    this.#isChanged = false;
    const { provider } = this;
    const [score, health, healthMs] = [this.#score, this.#health, this.#healthMs];
    return { ...figures, provider, score, health, healthMs };
  }

  #move(points: number): void {
    this.#score = Math.max(0, Math.min(scoreMax, this.#score + points));
    this.#isChanged = true;
  }
}

/** Who is asked for a quote of `pair`: the best, and among equals who waited longest. */
export function chosenFor<S extends ProviderScore>(pair: string, all: Iterable<S>): S[] {
  const bandOf = ({ score }: S) => Math.ceil(score / turnWidth);
  return [...all]
    .filter((candidate) => candidate.isAbleTo(pair))
    .sort((a, b) => bandOf(b) - bandOf(a) || a.lastTurn - b.lastTurn)
    .slice(0, providersPerQuoteMax);
}
