// Proves that bots on unmodified clients trade through a replayed day with faults, as examples/rewind/README.md says: what
// each believes at its end is true, or differs from the truth in the way that its client is known to lose track.
// EXAMPLE selects one of them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { pythonEnvironment } from "../clients/python-environment.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { OwnTestBed, runProgram } from "../support/venue/own-test-bed.ts";

/** A day of two minutes, the start of the client, and what it takes to settle; a busy machine takes longer. */
const timeoutMs = 15 * 60_000;

interface Outcome {
  readonly trades: number;
  readonly orders: number;
  readonly fills: number;
  readonly lost_answers: number;
  readonly disconnects: number;
  readonly differences: readonly unknown[];
}

interface Example {
  readonly client: string;
  /** Whether the client keeps connections open that can break. */
  readonly hasStreams: boolean;
  /** The profile under which the client itself loses track. It hits each order, since some clients send few of them. */
  readonly losesTrackUnder?: string;
}

const examples: readonly Example[] = [
  { client: "ccxt", hasStreams: false },
  { client: "go-binance", hasStreams: true },
  { client: "nautilus", hasStreams: true },
  { client: "hummingbot", hasStreams: true, losesTrackUnder: "cut-orders" },
  { client: "freqtrade", hasStreams: false, losesTrackUnder: "cut-orders" },
];
const only = process.env["EXAMPLE"] ?? "";
const chosen = examples.filter(({ client }) => only === "" || client === only);

let bed: OwnTestBed;
before(async () => {
  bed = await OwnTestBed.open();
});
after(() => bed.close());

/** Go keeps its modules and what it has built where it does for the user. */
const kept = ["GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY"];

async function environmentOf(client: string): Promise<Record<string, string>> {
  if (client !== "go-binance")
    return { PYTHON: await pythonEnvironment(client, `test/clients/${client}/requirements.txt`) };
  const { stdout } = await promisify(execFile)("go", ["env", "-json", ...kept]);
  return JSON.parse(stdout);
}

async function throughTheDay(client: string, words: readonly string[] = []) {
  const env = { ...bed.environment, ...(await environmentOf(client)) };
  const program = join(projectRoot, "examples/rewind/run.mjs");
  const options = { cwd: bed.folder, env, timeoutMs };
  const { code, output, printed } = await runProgram(
    process.execPath,
    [program, client, ...words],
    options,
  );
  const begin = output.indexOf("{");
  assert(begin >= 0, printed);
  return { code, printed, outcome: JSON.parse(output.slice(begin)) as Outcome };
}

for (const { client, hasStreams, losesTrackUnder } of chosen) {
  test(`REW-150 ${client} trades through a replayed day with faults, and knows what is true`, async (t) => {
    const { code, printed, outcome } = await throughTheDay(client);
    t.diagnostic(JSON.stringify(outcome));
    assert.deepEqual(outcome.differences, []);
    assert.equal(code, 0, printed);
    assertTried(outcome, hasStreams);
  });
  if (losesTrackUnder === undefined) continue;
  test(`REW-151 ${client} loses track under ${losesTrackUnder}, which the comparison shows`, async (t) => {
    const { code, printed, outcome } = await throughTheDay(client, ["--profile", losesTrackUnder]);
    t.diagnostic(JSON.stringify(outcome));
    assert(outcome.lost_answers > 0);
    assert(outcome.differences.length > 0);
    assert.equal(code, 1, printed);
  });
}

/** The day has trades, the bot has fills, and faults have happened to it. */
function assertTried(
  { trades, orders, fills, lost_answers, disconnects }: Outcome,
  hasStreams: boolean,
): void {
  assert(trades > 8_000, `${trades} trades`);
  assert(orders >= 6, `${orders} orders`);
  assert(fills > 0, `${fills} fills`);
  assert(lost_answers > 0, `${lost_answers} lost answers`);
  if (hasStreams) assert(disconnects > 0, `${disconnects} disconnects`);
}
