// Rules for files that neither the compiler nor the linter checks, as pure functions from files to findings.
// `tidy.test.ts` applies the rules to the tree and shows that each of them can fail.

import { posix } from "node:path";
import { floorOf, importsOf, outside } from "./floors.ts";
import type { TreeFile } from "./tree.ts";

const linesMax = 500;
const openingLinesMax = 8;

/** Names that say where a file was put instead of what it contains. */
const emptyNames = /(^|\/)(types|utils?|helpers?|index|constants|misc|manager)\.ts$/;

// The words are split, so that this file passes its own rule.
const unfinished = new RegExp(`\\b(TO${"DO"}|FIX${"ME"})\\b(?!\\(#\\d+\\))`);
const machinePath = new RegExp(`(^|[^\\w.$}])/(${"wo"}rk|${"fa"}rm|${"ro"}ot|${"ho"}me|${"tm"}p)/`);
const registryHost = /\b(registry|deb|pypi|proxy)\.(npmjs|yarnpkg|debian|python|golang)\.org\b/;

function isSource(path: string): boolean {
  return path.endsWith(".ts") && !path.includes("/generated/");
}

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

function linesMatching(file: TreeFile, pattern: RegExp, message: string): string[] {
  return file.text
    .split("\n")
    .flatMap((line, index) =>
      pattern.test(line) ? [`${file.path}:${index + 1}: ${message}`] : [],
    );
}

/** Rule: a source file has at most 500 lines; generated files are exempt. */
export function lengthFaults(file: TreeFile): string[] {
  const lines = file.text.split("\n").length - 1;
  return isSource(file.path) && lines > linesMax ? [`${file.path}: ${lines} lines`] : [];
}

/** Rule: a source file opens with one to eight lines of prose; an indented drawing may follow them. */
export function openingFaults(file: TreeFile): string[] {
  if (!isSource(file.path)) return [];
  const lines = file.text.replace(/^#!.*\n/, "").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  const prose = lines.slice(0, Math.max(end, 0)).filter((line) => /^\/\/ \S/.test(line)).length;
  if (prose >= 1 && prose <= openingLinesMax) return [];
  return [`${file.path}: opening comment of ${prose} lines`];
}

export function nameFaults(file: TreeFile): string[] {
  return emptyNames.test(file.path)
    ? [`${file.path}: the file name does not say what the file contains`]
    : [];
}

/** Rule: a mark of unfinished work names its issue. */
export function unfinishedFaults(file: TreeFile): string[] {
  return linesMatching(file, unfinished, "unfinished work must name its issue");
}

/**
 * Rule: top-level declarations are constant, because the bundles of the threads need this (workers/bundle.config.ts).
 */
export function rebindingFaults({ path, text }: TreeFile): string[] {
  const isBundled = /^(src|workers|schemas)\/.*(?<!\.test)\.ts$/.test(path);
  return isBundled && /^(export )?(let|var) /m.test(text)
    ? ["a top-level variable must be a constant"]
    : [];
}

/** Rule: nothing in the project depends on the machine it was written on. */
export function machineFaults(file: TreeFile): string[] {
  return [
    ...linesMatching(file, machinePath, "contains a path of one machine"),
    ...linesMatching(file, registryHost, "contains the host of a package registry"),
  ];
}

/** Rule: a Markdown file has one title; lines inside code fences do not count. */
export function titleFaults(file: TreeFile): string[] {
  if (!file.path.endsWith(".md")) return [];
  const prose = file.text.replace(/^```[\s\S]*?^```/gm, "");
  const titles = prose.split("\n").filter((line) => line.startsWith("# ")).length;
  return titles === 1 ? [] : [`${file.path}: ${titles} titles`];
}

/** Rule: a relative link in Markdown leads to a project file or folder. */
export function linkFaults(file: TreeFile, paths: ReadonlySet<string>): string[] {
  if (!file.path.endsWith(".md")) return [];
  const targets = [...file.text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(
    ([, target = ""]) => target,
  );
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const path = posix.join(posix.dirname(file.path), target).replace(/\/$/, "");
      return !paths.has(path) && ![...paths].some((known) => known.startsWith(`${path}/`));
    })
    .map((target) => `${file.path}: link to ${target}`);
}

/** Files that are started by name. Every other production file must be imported or named by a file that is no test. */
const entries =
  /^(src\/venue\/cli\/main|src\/tools\/(?:faults|verifier)\/main|schemas\/generate\/main|bench\/run|test\/support\/run-tests)\.ts$|^workers\//;

/** Rule: a file that is not a test imports each production file, or names it in the URL of a worker. */
export function orphanFaults(files: readonly TreeFile[]): string[] {
  const reached = new Set<string>();
  for (const file of files) {
    if (!file.path.endsWith(".ts") || isTest(file.path)) continue;
    for (const target of importsOf(file)) reached.add(target);
    for (const [, url = ""] of file.text.matchAll(/"(\.\.?\/[^"]+)\.js"/g)) {
      reached.add(posix.join(posix.dirname(file.path), `${url}.ts`));
    }
  }
  return files
    .map(({ path }) => path)
    .filter(
      (path) => isSource(path) && !isTest(path) && (floorOf(path)?.level ?? outside) < outside,
    )
    .filter((path) => !entries.test(path) && !reached.has(path))
    .map((path) => `${path}: no production file uses this file`);
}

/** Returns the assertions per 1,000 lines of code in core and engine, not counting blank lines and comments. */
export function assertionDensity(files: readonly TreeFile[]): number {
  const code = files
    .filter(({ path }) => /^src\/(core|engine)\//.test(path) && isSource(path) && !isTest(path))
    .flatMap(({ text }) => text.split("\n"))
    .filter((line) => /\S/.test(line) && !/^\s*(\/\/|\/?\*)/.test(line));
  const assertions = code.filter((line) =>
    /\b(assert|present|unreachable|as[A-Z]\w+)\(/.test(line),
  );
  return code.length === 0 ? 0 : (1000 * assertions.length) / code.length;
}

/**
 * Files that may read the machine's wall clock: the clock adapter, code that shows times to people, and programs
 * outside a venue. All other files use the venue's clock, which steps of the machine's clock do not affect.
 */
const wallClockReaders =
  /^(src\/adapters\/runtime\/system-clock\.ts|src\/venue\/(cli|testbed)\/.*|src\/(tools|devnet)\/.*|src\/venue\/duties\/clock-monitor\.ts)$/;

/** Rule: only the listed files read the machine's wall clock, so that its steps do not affect the venue. */
export function wallClockFaults(file: TreeFile): string[] {
  const isOfVenue = /^(src|workers)\/.*\.ts$/.test(file.path) && !isTest(file.path);
  if (!isOfVenue || wallClockReaders.test(file.path)) return [];
  return linesMatching(
    file,
    /\bDate\.now\b|\bnew Date\(\)|\bsystemClock\b/,
    "reads the wall clock",
  );
}
