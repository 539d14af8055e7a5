// Runs one micro benchmark in its own process. In a shared process, earlier benchmarks would influence how the compiler
// optimises the measured code. The command line names the benchmark's module, and the figures are sent to the parent
// process. Engine benchmarks are bundled like the engine's threads and compiled with the same settings.

import { inlineDeeply } from "../src/adapters/runtime/compiler.ts";

const [name] = process.argv.slice(2);
const isOfEngine = ["order-book", "price-paths", "price-scenarios", "venue-machine"].includes(
  name ?? "",
);
const folder = isOfEngine ? "../bundle/bench" : ".";
if (isOfEngine) inlineDeeply();
const module: { measure(): Promise<Record<string, number>> } = await import(
  `${folder}/micro/${name}.bench.js`
);
process.send?.(await module.measure(), () => process.exit(0));
