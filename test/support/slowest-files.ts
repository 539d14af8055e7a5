// A reporter of the test runner: says at the end which test files took longest, so that the time of `make test` can be
// kept within its bound.

import { relative } from "node:path";

const filesShown = 20;

interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly details?: { readonly duration_ms?: number };
  };
}

// biome-ignore lint/style/noDefaultExport: the runner takes a reporter from a module's default export.
export default async function* slowestFiles(events: AsyncIterable<TestEvent>) {
  const files: { readonly name: string; readonly seconds: number }[] = [];
  for await (const { type, data } of events) {
    // The runner reports each file as a test with the name of the file.
    if (type !== "test:complete" || data.name === undefined || data.name !== data.file) continue;
    const name = relative(process.cwd(), data.name);
    files.push({ name, seconds: (data.details?.duration_ms ?? 0) / 1000 });
  }
  if (files.length <= 1) return;
  files.sort((a, b) => b.seconds - a.seconds);
  const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
  yield `slowest of ${files.length} files, which took ${all.toFixed(0)} s one after the other:\n`;
  for (const { name, seconds } of files.slice(0, filesShown))
    yield `${seconds.toFixed(1).padStart(8)} s  ${name}\n`;
}
