// The score of a liquidity provider, which decides who receives quote requests. The score of 0 to 1000 drops
// when the provider costs a trader time or a quote, most when it breaks a commitment. It rises slowly.
// Below the minimum a provider gets no requests until health checks have raised its score. Spec LPC-5.

import { providersPerQuoteMax } from "../../core/provider-limits.ts";
import type { FigureChange, ProviderFigures } from "../../ports/swaps/provider-registry.ts";

export const scoreMax = 1000;

/** Below this score a provider gets no requests. */
const scoreMin = 200;

/** Width of a band of scores. Providers whose scores are in the same band count as equal and take turns. */
const turnWidth = 100;

/** After this many missed health checks in a row a provider is unavailable. */
const missesMax = 3;

/** How much each event changes the score. */
const worth = {
  quoted: 2,
  passed: 0,
  late: -10,
  failed: -10,
  invalid: -50,
  settled: 50,
  declined: -200,
  unlocked: -300,
  /** An answered health check. */
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
  /**
   * Number of the quote round in which the provider last received a request. Among providers that count as equal, the
   * provider that has waited longest comes first.
   */
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

  /** Whether the provider may receive quote requests for `pair`. */
  isAbleTo(pair: string): boolean {
    const isWell = this.#misses < missesMax && this.#health !== "paused";
    return isWell && this.#score >= scoreMin && this.#pairs.includes(pair);
  }

  /** Records an answered health check. */
  healthAnswered({ status, pairs }: HealthReport, nowMs: number): void {
    this.#misses = 0;
    this.#health = status;
    this.#healthMs = nowMs;
    this.#pairs = pairs;
    this.#move(worth.healthAnswered);
  }

  /** Records a health check without a valid answer. */
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

  /**
   * Counts one act of the provider, such as a quote, and changes the score. `answerMs` is how long the answer took, if
   * it arrived in time.
   */
  did(conduct: Conduct, answerMs = 0): void {
    this.#figures[conduct]++;
    this.#figures.answerMs += Math.round(answerMs);
    this.#move(worth[conduct]);
  }

  /** The counts since the last call, with the current score and health; null if nothing has changed. */
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

/** The providers that receive a request for `pair`: highest score band first, longest waiting first within a band. */
export function chosenFor<S extends ProviderScore>(pair: string, all: Iterable<S>): S[] {
  const bandOf = ({ score }: S) => Math.ceil(score / turnWidth);
  return [...all]
    .filter((candidate) => candidate.isAbleTo(pair))
    .sort((a, b) => bandOf(b) - bandOf(a) || a.lastTurn - b.lastTurn)
    .slice(0, providersPerQuoteMax);
}
