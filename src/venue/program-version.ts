// The version, commit and start of this program, as `rialto --version` and /v1/version tell them. The version is in the
// package.json of the nearest folder above this file that also has the folder `sql`. This works in the sources, in
// `dist` and in the bundle.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { BuildInfo } from "../ports/build-info.ts";

const manifest = z.object({ version: z.string() });

/** The program's folder; null if it has none. */
function programFolder(): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(existsSync(join(folder, "package.json")) && existsSync(join(folder, "sql")))) {
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
  return folder;
}

export function programVersion(): string {
  const folder = programFolder();
  if (folder === null) return "unknown";
  return manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).version;
}

/** The commit that `make build` found in `folder`, a checkout without changes; null if it found none. Spec OPS-108. */
export function builtCommit(folder: string): string | null {
  const file = join(folder, "dist/commit");
  if (!existsSync(file)) return null;
  return /^[0-9a-f]{40}$/.exec(readFileSync(file, "utf8").trim())?.[0] ?? null;
}

/** Version and age of this process, as its status tells them. */
export function runningSince(): object {
  return { version: programVersion(), uptime_s: Math.floor(performance.now() / 1000) };
}

interface BuildSettings {
  readonly buildCommit: string | null;
  readonly isRewind: boolean;
}

/**
 * What this process tells about itself; `buildCommit` is the commit that the settings name. The main thread calls it,
 * because another thread has its own start.
 */
export function buildInfo({ buildCommit, isRewind }: BuildSettings): BuildInfo {
  const startedAt = new Date(performance.timeOrigin).toISOString();
  const folder = programFolder();
  const built = folder === null ? null : builtCommit(folder);
  return { version: programVersion(), commit: buildCommit ?? built, startedAt, isRewind };
}
