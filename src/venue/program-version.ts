// The version and start of this program, as `rialto --version` and /v1/version tell them. The version is in the package.json of the nearest folder above this file
// that also has the folder `sql`. This works in the sources, in `dist` and in the bundle.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { BuildInfo } from "../ports/build-info.ts";

const manifest = z.object({ version: z.string() });

export function programVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!(existsSync(join(folder, "package.json")) && existsSync(join(folder, "sql")))) {
    const parent = dirname(folder);
    if (parent === folder) return "unknown";
    folder = parent;
  }
  return manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).version;
}

/** What this process tells about itself; the main thread calls it, because another thread has its own start. */
export function buildInfo(commit: string | null): BuildInfo {
  const startedAt = new Date(performance.timeOrigin).toISOString();
  return { version: programVersion(), commit, startedAt };
}
