// Proves how scripts are found, how parameters are set, and that errors name the field.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { FileFault } from "../json-file/json-file.ts";
import { readScript, readyScripts, scriptWith } from "./ready-scripts.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-scripts-"));
after(() => rmSync(folder, { recursive: true }));

const own = {
  name: "own",
  parameters: { size: 100 },
  agents: {
    makers: {
      ...{ count: 1, levels: 2, refreshes_per_minute: 60 },
      ...{ spread_bps: 5, step_bps: 1, size: "$size" },
    },
    noise: { orders_per_minute: 10, size: 50 },
    momentum: { orders_per_minute: 0, size: 50, window_s: 5, threshold_bps: 5 },
  },
  phases: [
    { name: "one", for_s: 10 },
    { name: "two", for_s: 20, makers: { levels: 3 } },
  ],
};

function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

function faultOf(name: string, settings: Readonly<Record<string, number>> = {}): string {
  try {
    scriptWith(readScript(name), settings);
    return "";
  } catch (error) {
    assert.ok(error instanceof FileFault);
    return error.message;
  }
}

test("REW-71 each ready script is found by its name, and each of its parameters counts", () => {
  const names = readyScripts.map(({ name }) => name);
  assert.deepEqual(names, [
    ...["calm", "trending", "volatile", "flash-crash"],
    ...["thin-night", "gap-open", "wide-book", "one-sided", "liquidation-cascade"],
  ]);
  for (const file of readyScripts)
    for (const [name, value] of Object.entries(file.parameters)) {
      const changed = scriptWith(file, { [name]: value === 5 ? 6 : 5 });
      assert.notDeepEqual(changed, scriptWith(readScript(file.name), {}), `${file.name} ${name}`);
    }
});

test("REW-71 a script in a file has agents for all phases, and what a phase says otherwise", () => {
  const { phases } = scriptWith(readScript(written("own.json", own)), { size: 70 });
  const makers = phases.map((phase) => [phase.makers.levels, phase.makers.size]);
  assert.deepEqual(makers, [
    [2, 70],
    [3, 70],
  ]);
});

test("REW-71 an error names the script and the parameter or the field", () => {
  assert.match(faultOf("calmer"), /^no script calmer: expected a file, or one of calm, /);
  assert.match(faultOf(join(folder, "none.json")), /none\.json: no such file$/);
  assert.match(faultOf("calm", { fall: 3 }), /^calm: no parameter fall: expected size, /);
  assert.match(faultOf("calm", { spread_bps: -1 }), /^calm: phases\.0\.makers\.spread_bps: /);
  assert.match(faultOf("flash-crash", { fall_s: 1.5 }), /^flash-crash: phases\.1\.for_s: /);
  const stray = { ...own, agents: { ...own.agents, whales: {} } };
  assert.match(faultOf(written("stray.json", stray)), /stray\.json: agents.*whales/);
  const field = { ...own, agents: { ...own.agents, noise: { ...own.agents.noise, often: 1 } } };
  assert.match(faultOf(written("field.json", field)), /own: phases\.0\.noise: .*often/);
  const unknown = { ...own, phases: [{ name: "one", for_s: "$long" }] };
  assert.match(faultOf(written("unknown.json", unknown)), /own: no parameter long$/);
  const both = {
    ...own,
    phases: [{ ...own.phases[0], value: { move_percent: 1, return_percent: 1 } }],
  };
  assert.match(faultOf(written("both.json", both)), /phases\.0\.value: expected either/);
  const grown = {
    ...own,
    phases: [own.phases[0], { name: "two", for_s: 9, crowd: { accounts: 5 } }],
  };
  assert.match(faultOf(written("grown.json", grown)), /the same accounts, leverage and size/);
});
