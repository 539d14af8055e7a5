// The floors: one table defines which folder may import which, and one function checks a file against it. Imports
// go strictly down or stay inside the file's own folder. `import type` counts as an import. Tests are above every
// floor, so their imports are free.

import { posix } from "node:path";
import type { TreeFile } from "./tree.ts";

interface Floor {
  readonly folder: string;
  readonly level: number;
  /** Packages that this floor may import; any if absent. */
  readonly packages?: readonly string[];
  /** Sub-folders of this folder may not import each other. */
  readonly partsAreStrangers?: boolean;
}

/** Tests and benchmarks may import anything, including each other. */
export const outside = 10;

/** Nothing below it knows the time. */
const servicesLevel = 5;

const floors: readonly Floor[] = [
  { folder: "src/core", level: 0, packages: [] },
  { folder: "src/ports", level: 1, packages: [] },
  // Programs that the build runs before it compiles: they turn the tables of records into types and codecs.
  { folder: "schemas/generate", level: 8, packages: ["node:fs", "node:path"] },
  { folder: "schemas", level: 1, packages: ["zod", "flatbuffers"] },
  // First the replicated state, then what is computed from it (fronts read both), then the machines that decide.
  { folder: "src/engine/state", level: 2, packages: [] },
  { folder: "src/engine/risk", level: 3, packages: [] },
  { folder: "src/engine", level: 4, packages: [], partsAreStrangers: true },
  { folder: "src/wire", level: 4, packages: ["flatbuffers", "msgpackr"] },
  {
    folder: "src/services",
    level: servicesLevel,
    packages: ["node:crypto"],
    partsAreStrangers: true,
  },
  // Below the other adapters, which do not know each other: gateway, prices and providers all check addresses.
  { folder: "src/adapters/network", level: servicesLevel, packages: ["node:dns", "node:net"] },
  { folder: "src/adapters", level: 6, partsAreStrangers: true },
  // The development ledger is a process beside the venue and speaks the ledger's protocol.
  { folder: "src/devnet", level: 7 },
  { folder: "workers", level: 8 },
  // Programs that call a venue from outside: load generator, house fleet, reference provider, trader's walk.
  { folder: "src/tools", level: 8 },
  { folder: "src/venue", level: 9 },
  { folder: "bench", level: outside },
  { folder: "test", level: outside },
];

/** Terms that would make a replay differ from the first run, or let a machine wait. */
const bannedTerms =
  /\b(Date\.now|new Date|Math\.random|performance\.now|setTimeout|setInterval|process\b|node:)|(?<!\.)\b(async|await)\b/;

const importForms = [
  /\bfrom "([^"]+)"/g,
  /\bimport "([^"]+)"/g,
  /\bimport\("([^"]+)"\)/g,
  /\bimport\.meta\.resolve\("([^"]+)"\)/g,
];

/** The floor of a path; undefined if the table has none. */
export function floorOf(path: string): Floor | undefined {
  return floors.find(({ folder }) => path.startsWith(`${folder}/`));
}

/** Imports of a file: packages by name, files by their path from the root. */
export function importsOf(file: TreeFile): string[] {
  const specifiers = importForms.flatMap((form) =>
    [...file.text.matchAll(form)].map(([, specifier = ""]) => specifier),
  );
  return specifiers.map((specifier) =>
    specifier.startsWith(".")
      ? posix.normalize(posix.join(posix.dirname(file.path), specifier))
      : specifier,
  );
}

/** `matching` of src/engine/matching/fast-book.ts; empty for a file directly in the folder. */
function partOf(path: string, folder: string): string {
  const below = path.slice(folder.length + 1).split("/");
  return below.length > 1 ? (below[0] ?? "") : "";
}

function importFault(from: Floor, path: string, target: string): string | undefined {
  const to = floorOf(target);
  if (target.startsWith("..")) return "leaves the project";
  if (to === undefined) {
    const allowed = from.packages === undefined || from.packages.includes(target);
    return allowed ? undefined : `${from.folder} may not use this package`;
  }
  if (to.folder !== from.folder) {
    return to.level < from.level ? undefined : `${from.folder} does not stand above ${to.folder}`;
  }
  const [own, other] = [partOf(path, from.folder), partOf(target, from.folder)];
  const strangers = from.partsAreStrangers === true && own !== "" && other !== "" && own !== other;
  return strangers ? `${own} and ${other} do not know each other` : undefined;
}

/** Faults in the imports of one file, one line each; none for tests. */
export function importFaults(file: TreeFile): string[] {
  const from = floorOf(file.path);
  const isFree = from === undefined || from.level === outside || file.path.endsWith(".test.ts");
  if (isFree) return [];
  return importsOf(file).flatMap((target) => {
    const fault = importFault(from, file.path, target);
    return fault === undefined ? [] : [`${file.path} -> ${target}: ${fault}`];
  });
}

/** Lines below the services floor that depend on a clock, on chance or on waiting. */
export function determinismFaults(file: TreeFile): string[] {
  const floor = floorOf(file.path);
  if (floor === undefined || floor.level >= servicesLevel || file.path.endsWith(".test.ts"))
    return [];
  return file.text.split("\n").flatMap((line, index) => {
    const word = bannedTerms.exec(line)?.[0];
    return word === undefined ? [] : [`${file.path}:${index + 1}: ${word}`];
  });
}
