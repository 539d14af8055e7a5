// Findings of `doctor` about a running venue: what it says of itself at /health, each with what to do.

import { problemKinds, worstOf } from "../../../ports/venue-problems.ts";
import type { ToldState } from "../venue-state.ts";
import { type Finding, fault, findingOf, ok } from "./finding.ts";

const check = "state";

/** Returns a finding for each problem; at least one is a fault while the venue acknowledges nothing. */
export function stateFindings({ health, problems }: ToldState): Finding[] {
  if (health === "following") return [ok(check, "follows another venue")];
  const told = problems.map(({ kind, severity, text }) =>
    findingOf(check, severity, text, problemKinds[kind].mend),
  );
  const isServing = health === "ok" || health === "degraded";
  if (isServing || worstOf(problems) === "fault")
    return told.length > 0 ? told : [ok(check, "the venue reports no problem")];
  return [
    ...told,
    fault(check, `the venue says that it is ${health}`, "see its log and docs/guides/operate.md"),
  ];
}
