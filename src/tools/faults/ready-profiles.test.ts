// Proves that the ready profiles are valid, and that an error in a file names the file and the field.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FileFault } from "../json-file/json-file.ts";
import { readProfile, readyProfiles } from "./ready-profiles.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-profiles-"));
after(() => rmSync(folder, { recursive: true }));

function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function faultOf(nameOrPath: string): string {
  try {
    readProfile(nameOrPath);
    return "";
  } catch (error) {
    assert.ok(error instanceof FileFault);
    return error.message;
  }
}

test("REW-33 each ready profile is found by its name", () => {
  const names = readyProfiles.map(({ name }) => name);
  assert.deepEqual(names, [
    ...["flaky-answers", "slow-venue", "rate-storm", "stale-book"],
    ...["gappy-streams", "reconnects", "skewed-clock", "outage", "bad-day"],
  ]);
  for (const name of names) assert.equal(readProfile(name).name, name);
});

test("REW-33 an error names the file and the field", () => {
  assert.match(faultOf("flaky"), /^no profile flaky: expected a file, or one of flaky-answers, /);
  assert.match(faultOf(join(folder, "none.json")), /none\.json: no such file$/);
  assert.match(faultOf(written("text.json", "{")), /text\.json: not JSON: /);
  const rate = { name: "own", faults: [{ kind: "reorder", rate: 2 }] };
  assert.match(faultOf(written("rate.json", rate)), /rate\.json: faults\.0\.rate: /);
  const kind = { name: "own", faults: [{ kind: "explode" }] };
  assert.match(faultOf(written("kind.json", kind)), /kind\.json: faults\.0\.kind: /);
  const field = { name: "own", faults: [{ kind: "reorder", often: 1 }] };
  assert.match(faultOf(written("field.json", field)), /field\.json: faults\.0: .*often/);
  const delay = { name: "own", faults: [{ kind: "latency-in", delay: { about: 3 } }] };
  assert.match(faultOf(written("delay.json", delay)), /delay\.json: faults\.0\.delay: expected/);
  for (const during of [{ every_ms: 100 }, { for_ms: 100, every_ms: 100 }]) {
    const open = { name: "own", faults: [{ kind: "outage", during }] };
    const told = faultOf(written("open.json", open));
    assert.match(told, /open\.json: faults\.0\.during: expected for_ms, less than every_ms$/);
  }
  assert.match(faultOf(written("long.json", " ".repeat(60_001))), /longer than 60000 bytes$/);
});

test("REW-33 a trace is read from a file beside the profile", () => {
  written("trace.txt", "12\n3.5\n\n400\n");
  const delay = { trace_file: "trace.txt" };
  const path = written("traced.json", { name: "own", faults: [{ kind: "latency-in", delay }] });
  const [fault] = readProfile(path).faults;
  assert.deepEqual(fault?.kind === "latency-in" && fault.delay, { trace_ms: [12, 3.5, 400] });
});
