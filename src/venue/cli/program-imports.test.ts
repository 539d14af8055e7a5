// Every process of a venue begins with the command line, so whatever all commands import delays each of them.

import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** Libraries of parts that most commands do not need. */
const heavy = new Set(["hdr-histogram-js", "msgpackr", "pg", "piscina", "undici", "ws"]);
const statements = /^(?:import|export)\s(?:[^;]*?\sfrom\s)?"([^"]+)"/gm;

/** What the compiled file and the files that it imports name in their import statements, apart from files. */
function librariesOf(file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>();
  seen.add(file);
  for (const [, name = ""] of readFileSync(file, "utf8").matchAll(statements)) {
    const path = resolve(dirname(file), name);
    if (!name.startsWith(".")) found.add(name);
    else if (!seen.has(path)) for (const one of librariesOf(path, seen)) found.add(one);
  }
  return found;
}

test("a command imports what only it needs when it runs", () => {
  const own = fileURLToPath(new URL("./main.js", import.meta.url));
  const start = fileURLToPath(new URL("./start.js", import.meta.url));
  const heavyOf = (file: string) => [...librariesOf(file)].filter((name) => heavy.has(name)).sort();
  deepEqual(heavyOf(own), []);
  deepEqual(heavyOf(start), ["msgpackr", "pg", "piscina"]);
});
