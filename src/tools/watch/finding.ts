// What a round of a watcher finds, by subject. A state is told when it changes, so a subject keeps its name from round
// to round.

/**
 * - `disputed`: a peer says something else, but not under a key that is known as the venue's;
 * - `broken`: what the venue says contradicts itself, or what it said before or to others;
 * - `deficit`: it holds less than it owes;
 * - `silent`: it does not answer, or its chain or statements do not advance;
 * - `unknown`: it could not be checked, which is no fault of the venue.
 */
export type FindingState = "ok" | "unknown" | "silent" | "deficit" | "disputed" | "broken";

export interface Finding {
  /** `venue`, `chain`, `head`, `statement`, `assets`, `ledger`, `root` and an epoch, or `peer` and its address. */
  readonly subject: string;
  readonly state: FindingState;
  readonly message: string;
}

/** The state of each subject that was told last, to a reader or to a webhook. */
export type ToldStates = Readonly<Record<string, FindingState>>;

/** The findings that differ from what was told; a subject that is new and well is none. */
export function changesIn(findings: readonly Finding[], told: ToldStates): readonly Finding[] {
  return findings.filter(({ subject, state }) => (told[subject] ?? "ok") !== state);
}

/** What is told after these findings; subjects that were not looked at keep their state. */
export function toldAfter(findings: readonly Finding[], told: ToldStates): ToldStates {
  const states = findings.map(({ subject, state }) => [subject, state] as const);
  return { ...told, ...Object.fromEntries(states) };
}

/** The exit code of a watch whose last round found this: that of the worst finding (WCH-2). */
export function exitCodeOf(findings: readonly Finding[]): number {
  const has = (wanted: FindingState) => findings.some(({ state }) => state === wanted);
  if (has("broken") || has("disputed")) return 3;
  if (has("deficit")) return 4;
  return has("silent") ? 5 : 0;
}
