// The result of one check of `doctor`.

type Verdict = "ok" | "warning" | "fault";

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  /** Advice how to fix the problem; empty if nothing is wrong. */
  readonly mend: string;
}

export function ok(check: string, found: string): Finding {
  return { check, verdict: "ok", found, mend: "" };
}

export function fault(check: string, found: string, mend: string): Finding {
  return { check, verdict: "fault", found, mend };
}

export function warning(check: string, found: string, mend: string): Finding {
  return { check, verdict: "warning", found, mend };
}
