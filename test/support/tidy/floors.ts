// The floors: one table defines which folder may import which, and one function checks a file against the table. A file
// imports only from lower floors or from its own folder. `import type` counts as an import. Tests are above every
// floor, so they may import anything.

import { posix } from "node:path";
import type { TreeFile } from "./tree.ts";

interface Floor {
  readonly folder: string;
  readonly level: number;
  /** Packages that this floor may import; any package if absent. */
  readonly packages?: readonly string[];
  /** Whether sub-folders of this folder are forbidden to import each other. */
  readonly partsAreStrangers?: boolean;
}

/** Level of tests and benchmarks, which may import anything, including each other. */
export const outside = 10;

/** Level of the services. No floor below this level reads a clock. */
const servicesLevel = 5;

const floors: readonly Floor[] = [
  { folder: "src/core", level: 0, packages: [] },
  { folder: "src/ports", level: 1, packages: [] },
  // Programs that the build runs before it compiles: they generate types and codecs from the tables of records.
  { folder: "schemas/generate", level: 8, packages: ["node:fs", "node:path"] },
  { folder: "schemas", level: 1, packages: ["zod", "flatbuffers"] },
  // Three floors: the replicated state, the values computed from it (fronts read both), and above them the machines
  // that decide.
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
  // One level below the other adapters, which may not import each other: gateway, prices and providers all need the
  // checks of addresses that are here.
  { folder: "src/adapters/network", level: servicesLevel, packages: ["node:dns", "node:net"] },
  { folder: "src/adapters", level: 6, partsAreStrangers: true },
  // The development ledger is a separate process that uses the ledger's protocol.
  { folder: "src/devnet", level: 7 },
  { folder: "workers", level: 8 },
  // Programs that use a venue from outside: load generator, house fleet, reference provider, example trader.
  { folder: "src/tools", level: 8 },
  { folder: "src/venue", level: 9 },
  { folder: "bench", level: outside },
  { folder: "test", level: outside },
];

/** Names of things that make a replay differ from the first run, or that make a machine wait. */
const bannedTerms =
  /\b(Date\.now|new Date|Math\.random|performance\.now|setTimeout|setInterval|process\b|node:)|(?<!\.)\b(async|await)\b/;

const importForms = [
  /\bfrom "([^"]+)"/g,
  /\bimport "([^"]+)"/g,
  /\bimport\("([^"]+)"\)/g,
  /\bimport\.meta\.resolve\("([^"]+)"\)/g,
];

/** Returns the floor of a path; undefined if the table has none. */
export function floorOf(path: string): Floor | undefined {
  return floors.find(({ folder }) => path.startsWith(`${folder}/`));
}

/** Returns the imports of a file: packages by name, files by their path from the root. */
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

/** Returns the sub-folder: `matching` for src/engine/matching/fast-book.ts, empty for a file directly in the folder. */
function partOf(path: string, folder: string): string {
  const below = path.slice(folder.length + 1).split("/");
  return below.length > 1 ? (below[0] ?? "") : "";
}

function importFault(from: Floor, path: string, target: string): string | undefined {
  const to = floorOf(target);
  if (target.startsWith("..")) return "this path is outside the project";
  if (to === undefined) {
    const allowed = from.packages === undefined || from.packages.includes(target);
    return allowed ? undefined : `${from.folder} may not use this package`;
  }
  if (to.folder !== from.folder) {
    return to.level < from.level
      ? undefined
      : `${from.folder} may not import ${to.folder}, which is not below it`;
  }
  const [own, other] = [partOf(path, from.folder), partOf(target, from.folder)];
  const strangers = from.partsAreStrangers === true && own !== "" && other !== "" && own !== other;
  return strangers ? `${own} and ${other} may not import each other` : undefined;
}

/** Lists forbidden imports of one file, one line each; none for tests. */
export function importFaults(file: TreeFile): string[] {
  const from = floorOf(file.path);
  const isFree = from === undefined || from.level === outside || file.path.endsWith(".test.ts");
  if (isFree) return [];
  return importsOf(file).flatMap((target) => {
    const fault = importFault(from, file.path, target);
    return fault === undefined ? [] : [`${file.path} -> ${target}: ${fault}`];
  });
}

/** Lists lines below the services floor that depend on a clock, on chance or on waiting. */
export function determinismFaults(file: TreeFile): string[] {
  const floor = floorOf(file.path);
  if (floor === undefined || floor.level >= servicesLevel || file.path.endsWith(".test.ts"))
    return [];
  return file.text.split("\n").flatMap((line, index) => {
    const word = bannedTerms.exec(line)?.[0];
    return word === undefined ? [] : [`${file.path}:${index + 1}: ${word}`];
  });
}
