// Findings of `doctor` about a running venue: what it says of itself at /health, each with what to do.

import { mendOf, worstOf } from "../../../ports/venue-problems.ts";
import type { ToldState } from "../venue-state.ts";
import { type Finding, fault, findingOf, ok } from "./finding.ts";

const check = "state";

/** Returns a finding for each problem; at least one is a fault while the venue acknowledges nothing. */
export function stateFindings({ health, problems }: ToldState): Finding[] {
  if (health === "following") return [ok(check, "follows another venue")];
  // The disk is examined by its own check.
  const told = problems
    .filter(({ kind }) => kind !== "disk_full" && kind !== "disk_low")
    .map((one) => findingOf(check, one.severity, one.text, mendOf(one)));
  const isServing = health === "ok" || health === "degraded";
  if (isServing || worstOf(problems) === "fault")
    return told.length > 0 ? told : [ok(check, "the venue reports no problem")];
  return [
    ...told,
    fault(check, `the venue says that it is ${health}`, "see its log and docs/guides/operate.md"),
  ];
}
