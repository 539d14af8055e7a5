// Runs the auditor's kit, tools/audit, as its users do: Python started on the files that the venue exported. The kit
// needs no packages, so any Python 3 will do.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";

const kit = join(projectRoot, "tools/audit");
const withoutRule = join(projectRoot, "test/audit/without_rule.py");
const deadlineMs = 600_000;

/** The files of one audit, by path. */
export interface AuditFiles {
  readonly journal: string;
  readonly epochs?: string;
  readonly balances?: string;
}

/** What the kit printed with `--json`. Of a difference: where it is, and what was expected and found. */
export interface AuditResult {
  readonly result: "agrees" | "differs";
  readonly seq: number | null;
  readonly kind: string | null;
  readonly account: number | null;
  readonly asset: string | null;
  readonly rule: string;
  readonly expected: unknown;
  readonly found: unknown;
  readonly entries: number;
  readonly balances: number;
  readonly positions: number;
  readonly epochs: number | null;
  readonly leaves_recomputed: boolean;
  readonly entries_per_second: number;
}

export interface KitRun {
  readonly code: number;
  readonly printed: string;
  readonly complained: string;
}

/** Runs the kit with these arguments; with `rule`, a kit in which the check with this rule is switched off. */
export function runKit(args: readonly string[], rule: string | null = null): Promise<KitRun> {
  const program = rule === null ? ["-m", "rialto_audit"] : [withoutRule, rule];
  const options = { cwd: kit, timeout: deadlineMs, env: { ...process.env, PYTHONPATH: kit } };
  return new Promise((done, fail) => {
    execFile(
      "python3",
      ["-W", "error", ...program, ...args],
      options,
      (error, printed, complained) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === "number") done({ code, printed, complained });
        else fail(error);
      },
    );
  });
}

/** The kit's arguments for these files. */
export function argumentsOf({ journal, epochs, balances }: AuditFiles): string[] {
  const more = [
    ...(epochs === undefined ? [] : ["--epochs", epochs]),
    ...(balances === undefined ? [] : ["--balances", balances]),
  ];
  return [journal, ...more, "--json"];
}

/** Audits these files. Throws if the kit can neither confirm nor refute them. */
export async function audited(files: AuditFiles): Promise<AuditResult> {
  const { code, printed, complained } = await runKit(argumentsOf(files));
  if (code > 1) throw new Error(`the kit ended with ${code}: ${complained}`);
  return JSON.parse(printed) as AuditResult;
}

/** Runs one command of the venue's command line. */
export type RunCommand = (
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly complained: string }>;

/** Exports a venue's journal, epochs and balances to `folder`, replacing earlier ones, and audits them. */
export async function auditedVenue(run: RunCommand, folder: string): Promise<AuditResult> {
  const files = {
    journal: join(folder, "audit.rialto"),
    epochs: join(folder, "audit.epochs"),
    balances: join(folder, "audit.balances"),
  };
  const { code, complained } = await run([
    ...["journal", "export", "--force", "--out", files.journal],
    ...["--epochs", files.epochs, "--balances", files.balances],
  ]);
  if (code !== 0) throw new Error(`the export ended with ${code}: ${complained}`);
  return audited(files);
}
