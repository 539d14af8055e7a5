// Rules for the tree as a whole: no file imports itself through other files, and no folder has too many files to read
// at a glance.

import { posix } from "node:path";
import { importsOf } from "./floors.ts";
import type { TreeFile } from "./tree.ts";

/** Most source files in one folder without sub-folders; tests do not count. */
const filesPerFolderMax = 25;

/** Folders with the source of the venue and of its pages. */
const housed = /^(src|workers|schemas|web)\//;

/** Lists cycles of imports, type imports included: one line per cycle, with its files in order. */
export function circleFaults(files: readonly TreeFile[]): string[] {
  const known = new Set(files.map(({ path }) => path));
  const graph = new Map(
    files.map((file) => [file.path, importsOf(file).filter((target) => known.has(target))]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) found.push([...way.slice(start), path].join(" -> "));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) follow(path, []);
  return found;
}

/** Lists folders with too many source files. */
export function folderFaults(files: readonly TreeFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const isSource = /(?<!\.test)\.tsx?$/.test(path) && !path.includes("/generated/");
    if (!isSource || !housed.test(path)) continue;
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > filesPerFolderMax)
    .map(([folder, count]) => `${folder}: ${count} files`);
}
