// Proves that the packages of rialto-test do what the guide says: its programs run, on a test bed that two of them start at
// the same time. The programs for pytest run in make slow.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { binanceAggTradesText, sampleMarket } from "../support/replay/sample-recording.ts";
import { GuidePrograms } from "./guide-programs.ts";

let guide: GuidePrograms;
before(async () => {
  guide = await GuidePrograms.open("docs/guides/test-your-bot.md");
});
after(() => guide.close());

test("REW-107 REW-108 the guide's programs for Node and Python start one test bed for both", async () => {
  const [node, python] = await Promise.all([
    guide.run("node", ["--test", "quoter.mjs"]),
    guide.run("python3", ["-W", "error", "test_truth.py"]),
  ]);
  assert.equal(node.code, 0, node.printed);
  assert.match(node.printed, /# pass 1\n/);
  assert.equal(python.code, 0, python.printed);
  assert.match(python.printed, /Ran 1 test/);
});

test("REW-107 REW-108 REW-154 both packages tell the same differences, and refuse in the same words", async () => {
  const node = await guide.run("node", ["beliefs.mjs"]);
  const python = await guide.run("python3", ["-W", "error", "beliefs.py"]);
  assert.equal(node.code, 0, node.printed);
  assert.equal(python.code, 0, python.printed);
  const told = JSON.parse(node.printed);
  assert.deepEqual(JSON.parse(python.printed), told);
  const difference = (what: string, name: string, believed: unknown, real: unknown) => {
    return { what, name, believed, true: real };
  };
  assert.deepEqual(told, {
    right: [],
    wrong: [
      difference("open order", "resting qty", "201", "200.0"),
      difference("open order", "taken", "OPEN", "EXPIRED UNFILLED"),
      difference("open order", "never", "OPEN", null),
      difference("position", "BTCUSDT", "0.5", "0"),
      difference("balance", "spot CC", "1", "99.90000000"),
    ],
    tiny: [
      [],
      [],
      [difference("balance", "spot CC", 2e-7, "0.00000010")],
      [difference("balance", "spot CC", "e-7", "0.00000010")],
    ],
    forgotten: [difference("open order", "resting", null, "NEW")],
    reasons: ["EXPIRED UNFILLED", "NEW null", "CANCELED CANCELLED"],
    fills: ["taken 100.0 CC"],
    noAsset: "accounts/fund: no asset XYZ",
    noSetting:
      "venues/open: settings.POTR: a venue has no such setting; see docs/reference/config.md",
    afterClose: "nothing answers",
  });
});

test("REW-107 REW-70 REW-63 both packages play made and recorded markets, with faults and moves of time", async () => {
  const source = join(guide.folder, "recorded.csv");
  await writeFile(source, binanceAggTradesText(sampleMarket(3, 20), "usdm"));
  const [node, python] = await Promise.all([
    guide.run("node", ["markets.mjs", source]),
    guide.run("python3", ["-W", "error", "markets.py", source], { TZ: "Asia/Tokyo" }),
  ]);
  assert.equal(node.code, 0, node.printed);
  assert.equal(python.code, 0, python.printed);
  const told = JSON.parse(node.printed);
  assert.deepEqual(JSON.parse(python.printed), told);
  assert.deepEqual(told, {
    made: ["calm", 7, 0],
    recorded: ["generated", 0],
    stopped: ["calm", 0],
    refused: [503, 200],
    states: ["paused", "paused", "paused", "paused", "running"],
    moved_ms: 300_000,
    reached: "candle",
    set: 0,
    far: "clock/set: time: expected at most 31 days",
  });
});

test("REW-107 a program outlives the test bed that it has started", async () => {
  const env = { RIALTO_TESTBED: `${guide.folder}/own` };
  const { code, printed } = await guide.run("node", ["ended.mjs"], env);
  assert.equal(code, 0, printed);
  assert.equal(printed, "the test bed has ended\n");
});

test("REW-107 the types of the package for Node fit the guide's program", async () => {
  const { code, printed } = await guide.run("tsc", ["--project", "."]);
  assert.equal(code, 0, printed);
});

test("REW-107 a command that does not exist is said, with what to do", async () => {
  const env = { RIALTO: "no-such-rialto", RIALTO_TESTBED: `${guide.folder}/none` };
  for (const [program, file] of [
    ["node", "beliefs.mjs"],
    ["python3", "beliefs.py"],
  ] as const) {
    const { code, printed } = await guide.run(program, [file], env);
    assert.equal(code, 1);
    assert.match(printed, /there is no program no-such-rialto\n.*set RIALTO to its command/);
  }
});
