// Holds the faults that tests inject. A rule defines which submissions or reads it matches, how often it applies, its
// probability with a seed, and its effect. Rules are kept in memory only, so a restart clears them.

import type { ApiCommand } from "../adapters/ledger/api-shapes.ts";
import { Fields } from "./fields.ts";
import { LedgerRefusal } from "./ledger-refusal.ts";

export const faultEffects = [
  "locked",
  "inactive",
  "delay",
  "timeout_before_commit",
  "timeout_after_commit",
  "drop_after_commit",
  "unavailable",
  "backpressure",
  "no_traffic",
  "in_flight",
  "preapproval_missing",
  "stream_stall",
  "stream_duplicate",
  "token_expired",
  "crash_after_lock",
] as const;
export type FaultEffect = (typeof faultEffects)[number];

/** Effects that apply to submissions; the stream effects apply to reads only. */
export const submissionEffects = faultEffects.filter((effect) => !effect.startsWith("stream_"));

export interface FaultRule {
  readonly id: string;
  readonly effect: FaultEffect;
  readonly ms: number;
  /** Number of times the fault may still be applied. */
  remaining: number;
  readonly probability: number;
  readonly match: {
    readonly commandIdPrefix: string | null;
    readonly choice: string | null;
    readonly party: string | null;
    readonly lane: string | null;
    readonly endpoint: string | null;
  };
  prng: number;
  struck: number;
}

/** What a rule is matched against: a submission has all fields, a read only its endpoint. */
export interface FaultSubject {
  readonly endpoint: string;
  readonly commandId?: string;
  readonly workflowId?: string;
  readonly actAs?: readonly string[];
  readonly commands?: readonly ApiCommand[];
}

const rulesMax = 1000;

export class FaultPlan {
  readonly #rules = new Map<string, FaultRule>();

  /** Adds the rule, or replaces the one with the same id. */
  add(given: unknown): FaultRule {
    const fields = new Fields(given, "");
    const effect = faultEffects.find((name) => name === fields.text("effect"));
    if (effect === undefined)
      throw new LedgerRefusal("INVALID_ARGUMENT", `effect: expected ${faultEffects.join(", ")}`);
    const match = fields.optional("match");
    const text = (name: string) => (match?.has(name) ? match.text(name) : null);
    const number = (name: string, otherwise: number) => {
      const value = fields.json[name];
      return typeof value === "number" && value >= 0 ? value : otherwise;
    };
    const rule: FaultRule = {
      id: fields.text("id"),
      effect,
      ms: number("ms", 0),
      remaining: number("count", Number.POSITIVE_INFINITY),
      probability: number("probability", 1),
      match: {
        commandIdPrefix: text("commandIdPrefix"),
        choice: text("choice"),
        party: text("party"),
        lane: text("lane"),
        endpoint: text("endpoint"),
      },
      prng: mixed(number("seed", 1)),
      struck: 0,
    };
    if (this.#rules.size >= rulesMax && !this.#rules.has(rule.id))
      throw new LedgerRefusal("INVALID_ARGUMENT", `there must be at most ${rulesMax} fault rules`);
    this.#rules.set(rule.id, rule);
    return rule;
  }

  get(id: string): FaultRule | undefined {
    return this.#rules.get(id);
  }

  all(): FaultRule[] {
    return [...this.#rules.values()];
  }

  remove(id: string): void {
    this.#rules.delete(id);
  }

  /** Returns which of the `wanted` effects apply to `subject` now, with their durations in ms, and counts them. */
  strike(subject: FaultSubject, wanted: readonly FaultEffect[]): ReadonlyMap<FaultEffect, number> {
    const struck = new Map<FaultEffect, number>();
    for (const rule of this.#rules.values()) {
      if (rule.remaining <= 0 || !wanted.includes(rule.effect)) continue;
      if (!matches(rule, subject) || !isDrawn(rule)) continue;
      rule.remaining -= 1;
      rule.struck += 1;
      struck.set(rule.effect, rule.ms);
    }
    return struck;
  }
}

function matches({ match, effect }: FaultRule, subject: FaultSubject): boolean {
  const { commandIdPrefix, choice, party, lane, endpoint } = match;
  if (endpoint !== null && endpoint !== subject.endpoint) return false;
  // A rule without conditions matches submissions only. It matches a read only if it names the endpoint or has a stream
  // effect.
  const isRead = subject.commandId === undefined;
  if (isRead && endpoint === null && !effect.startsWith("stream_")) return false;
  if (commandIdPrefix !== null && !subject.commandId?.startsWith(commandIdPrefix)) return false;
  if (lane !== null && subject.workflowId !== `lane:${lane}`) return false;
  if (party !== null && !subject.actAs?.includes(party)) return false;
  if (choice === null) return true;
  return (subject.commands ?? []).some(
    (command) => "ExerciseCommand" in command && command.ExerciseCommand.choice === choice,
  );
}

/** Spreads adjacent seeds. Never returns 0, because a xorshift that starts at 0 stays at 0. */
function mixed(seed: number): number {
  let x = Math.imul((seed ^ (seed >>> 16)) | 0, 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return (x ^ (x >>> 16)) | 1;
}

/**
 * Draws whether the rule applies. Each rule has its own 32-bit xorshift, so the same seed selects the same submissions.
 */
function isDrawn(rule: FaultRule): boolean {
  if (rule.probability >= 1) return true;
  let x = rule.prng | 0;
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  rule.prng = x;
  return (x >>> 0) / 2 ** 32 < rule.probability;
}
