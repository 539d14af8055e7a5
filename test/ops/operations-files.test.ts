// Proves that the files which operators copy from docs/ops name settings, commands and paths that the venue has.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { present } from "../../src/core/assert.ts";
import { startingEnvironment } from "../../src/venue/config/process-settings.ts";
import { projectRoot } from "../support/tidy/tree.ts";

function read(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8");
}

const systemdAnalyze = "/usr/bin/systemd-analyze";

test("OPS-21 the systemd unit runs the venue without privileges", () => {
  const unit = read("docs/ops/rialto.service");
  for (const line of ["User=rialto", "ProtectSystem=strict", "NoNewPrivileges=yes"]) {
    assert(unit.split("\n").includes(line), line);
  }
  const started = /^ExecStart=\S+ (.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  const entry = started.find((word) => word.endsWith(".js")) ?? "";
  assert(existsSync(join(projectRoot, entry)), entry);
});

test("OPS-21 systemd accepts the unit", {
  skip: existsSync(systemdAnalyze)
    ? false
    : "no systemd-analyze here: Debian's package systemd has it",
}, () => {
  const unit = read("docs/ops/rialto.service");
  // Check a copy of the unit with this machine's folders and without users, because those of the unit do not exist
  // here.
  const folder = mkdtempSync(join(tmpdir(), "rialto-unit-"));
  const local = unit
    .replaceAll("/opt/rialto", projectRoot)
    .replace("/usr/bin/node", process.execPath)
    .replace(/^(User|Group)=.*\n/gm, "");
  writeFileSync(join(folder, "rialto.service"), local);
  execFileSync(systemdAnalyze, ["verify", join(folder, "rialto.service")], { stdio: "pipe" });
  rmSync(folder, { recursive: true });
});

test("OPS-21 every way to start a venue limits the memory that the C library keeps", () => {
  const [setting] = Object.entries(startingEnvironment).map(([name, value]) => `${name}=${value}`);
  for (const path of [
    "Makefile",
    "package.json",
    "docs/ops/rialto.service",
    "docs/ops/Containerfile",
  ]) {
    assert(read(path).includes(present(setting, "the setting")), `${path} must set ${setting}`);
  }
});

test("OPS-21 the container copies files that exist and runs as a user without privileges", () => {
  const container = read("docs/ops/Containerfile");
  assert.match(container, /^USER rialto$/m);
  const copied = [...container.matchAll(/^COPY --from=build \/opt\/rialto\/(\S+)/gm)].map(
    ([, path = ""]) => path,
  );
  assert(copied.length >= 4);
  for (const path of copied) assert(existsSync(join(projectRoot, path)), path);
});
