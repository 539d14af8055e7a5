// Runs the auditor's kit, tools/audit, as its users do: Python started on the files that the venue exported. The kit
// needs no packages, so any Python 3 will do.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";

const kit = join(projectRoot, "tools/audit");
const auditAll = join(projectRoot, "test/audit/audit_all.py");
const deadlineMs = 600_000;
const usualPython = "python3";

/** The files of one audit, by path. */
export interface AuditFiles {
  readonly journal: string;
  readonly epochs?: string;
  readonly balances?: string;
  readonly statements?: string;
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
  /** Number of entries after the newest epoch; null without epochs. */
  readonly entries_not_sealed: number | null;
  /** Number of statements of liabilities that agree. */
  readonly liabilities_statements: number | null;
  readonly entries_per_second: number;
}

export interface KitRun {
  readonly code: number;
  readonly printed: string;
  readonly complained: string;
}

/** Runs the kit with these arguments. */
export function runKit(args: readonly string[], python = usualPython): Promise<KitRun> {
  return runPython(["-m", "rialto_audit", ...args], { python });
}

/** One audit of many: by a kit in which the check with this rule is switched off, or by the whole kit. */
export interface Audit {
  readonly files: AuditFiles;
  readonly rule: string | null;
}

/** Runs many audits in one process. Returns what each found; null for one that broke off. */
export async function auditedAll(audits: readonly Audit[]): Promise<(AuditResult | null)[]> {
  const wanted = audits.map(({ files, rule }) => ({ arguments: argumentsOf(files), rule }));
  const input = JSON.stringify(wanted);
  const { code, printed, complained } = await runPython([auditAll], { input });
  if (code !== 0) throw new Error(`the audits ended with ${code}: ${complained}`);
  const results = JSON.parse(printed) as string[];
  return results.map((text) => (text === "" ? null : (JSON.parse(text) as AuditResult)));
}

function runPython(
  args: readonly string[],
  { input = "", python = usualPython }: { readonly input?: string; readonly python?: string },
): Promise<KitRun> {
  const env = { ...process.env, PYTHONPATH: kit };
  const options = { cwd: kit, timeout: deadlineMs, maxBuffer: 2 ** 26, env };
  return new Promise((done, fail) => {
    const child = execFile(python, ["-W", "error", ...args], options, (error, out, complained) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") done({ code, printed: out, complained });
      else fail(error);
    });
    child.stdin?.end(input);
  });
}

/** The kit's arguments for these files. */
export function argumentsOf({ journal, ...given }: AuditFiles): string[] {
  const more = Object.entries(given).flatMap(([name, path]) => [`--${name}`, path]);
  return [journal, ...more, "--json"];
}

/** Audits these files. Throws if the kit can neither confirm nor refute them. */
export async function audited(files: AuditFiles, python = usualPython): Promise<AuditResult> {
  const { code, printed, complained } = await runKit(argumentsOf(files), python);
  if (code > 1) throw new Error(`the kit ended with ${code}: ${complained}`);
  return JSON.parse(printed) as AuditResult;
}

/** Runs one command of the venue's command line. */
export type RunCommand = (
  args: readonly string[],
) => Promise<{ readonly code: number | null; readonly complained: string }>;

/** Exports a venue's journal, epochs, balances and statements to `folder`, replacing earlier ones, and audits them. */
export async function auditedVenue(run: RunCommand, folder: string): Promise<AuditResult> {
  const files = {
    journal: join(folder, "audit.rialto"),
    epochs: join(folder, "audit.epochs"),
    balances: join(folder, "audit.balances"),
    statements: join(folder, "audit.statements"),
  };
  const { code, complained } = await run([
    ...["journal", "export", "--force", "--out", files.journal],
    ...["--epochs", files.epochs, "--balances", files.balances],
    ...["--statements", files.statements],
  ]);
  if (code !== 0) throw new Error(`the export ended with ${code}: ${complained}`);
  return audited(files);
}
