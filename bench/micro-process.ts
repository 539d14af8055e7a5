// One micro benchmark in a process of its own, so that no other benchmark has shaped the compiled code
// it measures. Takes the module's name from the command line and sends the figures to its parent.

const [name] = process.argv.slice(2);
const module: { measure(): Promise<Record<string, number>> } = await import(
  `./micro/${name}.bench.js`
);
process.send?.(await module.measure(), () => process.exit(0));
