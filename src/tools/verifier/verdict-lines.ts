// Verdicts as lines of text: for the command line and for the verifier that is one file.

import type { LiabilitiesVerdict } from "../../services/epochs/liability-verifier.ts";
import type { Verdict } from "../../services/epochs/proof-verifier.ts";

/** How the mark of a step is coloured; the text has the width of all marks. */
export type Painted = (isOk: boolean, mark: string) => string;

/** Title and steps. */
export function stepLines({ title, steps }: Verdict, painted: Painted): string[] {
  const lines = steps.map(({ isOk, message }, index) => {
    return `  ${index + 1}. ${painted(isOk, isOk ? "ok    " : "FAILED")} ${message}`;
  });
  return [title, ...lines];
}

/** What a verdict about liabilities means. A deficit stands there even if a later step fails. */
export function meaningLines(verdict: LiabilitiesVerdict): string[] {
  const { isValid, steps, balances, deficits, unknown, atMs } = verdict;
  const short = deficits.map(
    ({ asset, amount }) =>
      `  DEFICIT: the venue itself states ${amount} ${asset} less than it owes.`,
  );
  if (!isValid) return [...short, "  Verification failed. Do not trust this statement."];
  const when = atMs === null ? "" : ` at ${new Date(atMs).toISOString()}`;
  const owed = balances.map(({ asset, amount }) => `${amount} ${asset}`).join(", ");
  const isOpen = steps.some((step) => step.isOpen);
  return [
    ...(owed === "" ? [] : [`  The venue stated that it owed you${when}: ${owed}.`]),
    ...short,
    ...(unknown.length === 0 ? [] : [`  Holdings not stated: ${unknown.join(", ")}.`]),
    `  Verified.${isOpen ? " Steps that say so are left for you to compare." : ""}`,
  ];
}
