// The result of one check of `doctor`.

import type { Severity } from "../../../ports/venue-problems.ts";

/** `skipped`: not examined, so nothing is known of it. */
export type Verdict = "ok" | "skipped" | Severity;

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  /** Advice how to fix the problem, or how to have it examined; empty if nothing is wrong. */
  readonly mend: string;
}

export function ok(check: string, found: string): Finding {
  return { check, verdict: "ok", found, mend: "" };
}

export function skipped(check: string, found: string, mend: string): Finding {
  return { check, verdict: "skipped", found, mend };
}

export function fault(check: string, found: string, mend: string): Finding {
  return findingOf(check, "fault", found, mend);
}

export function warning(check: string, found: string, mend: string): Finding {
  return findingOf(check, "warning", found, mend);
}

export function findingOf(check: string, verdict: Severity, found: string, mend: string): Finding {
  return { check, verdict, found, mend };
}
