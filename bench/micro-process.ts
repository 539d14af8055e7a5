// One micro benchmark in a process of its own, so that no other benchmark has shaped the compiled code
// it measures. Takes the module's name from the command line and sends the figures to its parent. Those
// of the engine are bundled as the threads of the engine are: the compiler makes more of one file.

const [name] = process.argv.slice(2);
const folder = ["order-book", "venue-machine"].includes(name ?? "") ? "../bundle/bench" : ".";
const module: { measure(): Promise<Record<string, number>> } = await import(
  `${folder}/micro/${name}.bench.js`
);
process.send?.(await module.measure(), () => process.exit(0));
