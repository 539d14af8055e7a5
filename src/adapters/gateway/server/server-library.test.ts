// Tests of which build of the server's library is loaded, also if the newer build has no binary for the system.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { loadServerLibrary } from "./server-library.ts";

test("HTP-8 the newer build is loaded if it has a binary, otherwise the older one", async () => {
  assert.equal((await loadServerLibrary()).isNewer, true);
  const missing = () => {
    throw new Error("Cannot find module '@uwsjs/plan9-mips-22'");
  };
  const { isNewer, library } = await loadServerLibrary(missing);
  assert.deepEqual([isNewer, typeof library.App], [false, "function"]);
});

test("HTP-8 on a processor without a binary of the newer build the process continues with the older one", () => {
  // Both builds find their binary by the processor name, so the script changes that name for the newer build only.
  const module = new URL("./server-library.js", import.meta.url).href;
  const script = `
    const true_ = process.arch;
    Object.defineProperty(process, "arch", { value: "mips", configurable: true });
    const { loadServerLibrary } = await import(${JSON.stringify(module)});
    const loading = loadServerLibrary();
    Object.defineProperty(process, "arch", { value: true_ });
    const { isNewer } = await loading;
    console.log(isNewer);`;
  const result = execFileSync(process.execPath, ["--input-type=module", "-e", script]);
  assert.equal(result.toString().trim(), "false");
});
