// The files operators copy: they must name what the venue really has.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../support/tree.ts";

function read(path: string): string {
  return readFileSync(join(projectRoot, path), "utf8");
}

const known = new Set(
  [...read("docs/reference/metrics.md").matchAll(/^\| `(rialto_\w+)` \| (\w+)/gm)].flatMap(
    ([, name = "", type = ""]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

/** Metrics an expression names that the venue does not have. */
function unknownIn(text: string): string[] {
  return [...text.matchAll(/rialto_\w+/g)].map(([name]) => name).filter((name) => !known.has(name));
}

test("OPS-21 alert rules and dashboard name metrics that the venue has", () => {
  assert(known.size > 15);
  assert.deepEqual(unknownIn("rialto_committed_seq + rialto_no_such_thing"), [
    "rialto_no_such_thing",
  ]);
  assert.deepEqual(unknownIn(read("docs/ops/alerts.yml")), []);
  const { panels } = JSON.parse(read("docs/ops/grafana.json")) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  for (const { title, targets } of panels) {
    assert(targets.length > 0, title);
    for (const { expr } of targets) assert.deepEqual(unknownIn(expr), [], title);
  }
});

test("OPS-21 the unit is one that systemd takes, and runs the venue without rights", () => {
  const unit = read("docs/ops/rialto.service");
  for (const line of ["User=rialto", "ProtectSystem=strict", "NoNewPrivileges=yes"]) {
    assert(unit.split("\n").includes(line), line);
  }
  const started = /^ExecStart=\S+ (.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  const entry = started.find((word) => word.endsWith(".js")) ?? "";
  assert(existsSync(join(projectRoot, entry)), entry);
  if (!existsSync("/usr/bin/systemd-analyze")) return;
  // Users and folders of the unit are not this machine's.
  const folder = mkdtempSync(join(tmpdir(), "rialto-unit-"));
  const local = unit
    .replaceAll("/opt/rialto", projectRoot)
    .replace("/usr/bin/node", process.execPath)
    .replace(/^(User|Group)=.*\n/gm, "");
  writeFileSync(join(folder, "rialto.service"), local);
  execFileSync("systemd-analyze", ["verify", join(folder, "rialto.service")], { stdio: "pipe" });
  rmSync(folder, { recursive: true });
});

test("OPS-21 the container copies what exists and runs as a user without rights", () => {
  const container = read("docs/ops/Containerfile");
  assert.match(container, /^USER rialto$/m);
  const copied = [...container.matchAll(/^COPY --from=build \/opt\/rialto\/(\S+)/gm)].map(
    ([, path = ""]) => path,
  );
  assert(copied.length >= 4);
  for (const path of copied) assert(existsSync(join(projectRoot, path)), path);
});
