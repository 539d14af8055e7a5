// Findings of `doctor` about a running venue: what it warns of itself at /health, each with what to do.

import type { ToldState } from "../venue-state.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const check = "state";

/** What to do about each warning of /health, by what is written in it. */
const remedies: ReadonlyArray<readonly [is: RegExp, remedy: string]> = [
  [/ is halted$/, "run 'rialto markets resume' with its name when it may trade again"],
  [
    /index is stale$/,
    "let designated makers quote the index-depth on both sides of its index market ('rialto markets risk' shows it), or check the price feed; a halt or freeze has cancelled their orders",
  ],
  [/insurance fund paused it$/, "it opens at the next full hour; see docs/guides/risk.md"],
  [/^the ledger has not been read /, "run 'rialto ledger'; check the ledger and the network to it"],
  [/^the journal has waited /, "check PostgreSQL: its process, its log and its disk"],
  [/^clock: /, "run 'rialto clock show'"],
];

const elsewhere = "see docs/guides/operate.md";

/** Returns a finding for each warning; faults while the venue acknowledges nothing. */
export function stateFindings({ health, warnings }: ToldState): Finding[] {
  if (health === "following") return [ok(check, "follows another venue")];
  const isServing = health === "ok" || health === "degraded";
  if (warnings.length === 0)
    return isServing
      ? [ok(check, "the venue warns of nothing")]
      : [fault(check, `the venue says that it is ${health}`, elsewhere)];
  const verdict = isServing ? warning : fault;
  return warnings.map((found) =>
    verdict(check, found, remedies.find(([is]) => is.test(found))?.[1] ?? elsewhere),
  );
}
