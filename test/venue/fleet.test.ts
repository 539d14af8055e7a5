// Proves that the house fleet's command works as its operator expects, against a venue with every limit enabled.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

let venue: VenueProcess;
let dataDir: string;
let url: string;

const spots = ["CC-USDC", "CBTC-USDC", "CETH-USDC"];
const perps = ["BTCUSDT", "ETHUSDT", "CCUSDT"];
const waitMsMax = 180_000;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-fleet-"));
  venue = await VenueProcess.start({ dataDir });
  url = `http://${venue.endpoint.host}:${venue.endpoint.port}`;
});

after(async () => {
  await venue.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(url + path)).json()) as T;
}

interface Depth {
  readonly bids: readonly unknown[];
  readonly asks: readonly unknown[];
}

/** Returns the markets whose book has both sides. */
async function quoted(): Promise<string[]> {
  const paths = [
    ...spots.map((symbol) => [symbol, `/api/v3/depth?limit=5&symbol=${symbol}`] as const),
    ...perps.map((symbol) => [symbol, `/fapi/v1/depth?limit=5&symbol=${symbol}`] as const),
  ];
  const sided: string[] = [];
  for (const [symbol, path] of paths) {
    const { bids, asks } = await get<Depth>(path);
    if (bids.length >= 5 && asks.length >= 5) sided.push(symbol);
  }
  return sided;
}

interface Fleet {
  readonly state: string;
  readonly fleet: readonly { readonly account: number; readonly open_orders: number }[];
}

/** Starts the fleet, which finds the venue's port by its data folder. */
function fleet(...args: string[]): CliProcess {
  return new CliProcess(["fleet", "--data-dir", dataDir, ...args], {});
}

test("TRF-5 TRF-7 the fleet quotes every market without a refused request, and leaves no open orders", async () => {
  const running = fleet("--rate", "80", "--json");
  const untilMs = Date.now() + waitMsMax;
  while ((await quoted()).length < spots.length + perps.length) {
    assert(Date.now() < untilMs, `only ${await quoted()} quoted: ${running.complained}`);
    await sleep(200);
  }
  // Resolves to true once takers have traded with makers on both surfaces.
  const traded = async () => {
    const [spot, perp] = await Promise.all([
      get<unknown[]>("/api/v3/trades?symbol=CC-USDC"),
      get<unknown[]>("/fapi/v1/trades?symbol=BTCUSDT"),
    ]);
    return spot.length > 0 && perp.length > 0;
  };
  while (!(await traded())) {
    assert(Date.now() < untilMs, "The fleet's takers did not trade in time");
    await sleep(200);
  }
  running.signal("SIGINT");
  assert.equal(await running.ended, 0, running.complained + running.printed);
  const { orders, trades, outcomes, lastRefusal } = JSON.parse(running.printed);
  assert.deepEqual(
    [outcomes.refused, outcomes.limited, outcomes.unavailable, outcomes.unsure, lastRefusal],
    [0, 0, 0, 0, ""],
  );
  assert(
    orders > 60 && trades > 0,
    `the fleet must place orders and trade: ${orders} orders, ${trades} trades`,
  );
  const left = await get<Fleet>("/v1/traffic/mm");
  assert(left.fleet.length >= 14, "The fleet must have all makers and takers");
  assert.deepEqual(new Set(left.fleet.map(({ open_orders }) => open_orders)), new Set([0]));
});

test("a second fleet run trades with the same accounts, in the given markets, for the given time", async () => {
  const file = join(dataDir, "fleet.json");
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const before = await readFile(file, "utf8");
  const running = fleet("--rate", "40", "--markets", "cc-usdc,BTCUSDT", "--for", "3");
  assert.equal(await running.ended, 0, running.complained + running.printed);
  assert.equal(await readFile(file, "utf8"), before);
  assert.match(running.printed, /^CC-USDC, BTCUSDT at http/);
  // If the output is not a terminal, it has one plain line per second.
  assert.match(running.printed, /^\d s {2}\d+ orders\/s .*ack ms p50 .*rejects 0 .* ok$/m);
  assert.match(running.printed, /^\d+ orders in \d+ s.*\n.* 0 unexpected rejects\n/m);
});

test("OPS-102 a fleet that a venue started ends by itself when it is told to, although the venue's channel is open", async (t) => {
  const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
  const child = fork(cli, ["fleet", "--data-dir", dataDir, "--rate", "30"], { stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  const ended = once(child, "exit", { signal: AbortSignal.timeout(2 * waitMsMax) });
  // The first line of figures shows that it trades.
  for await (const bytes of child.stdout ?? []) if (/^\d+ s /m.test(String(bytes))) break;
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

test("the fleet reports what it cannot do before it begins", async () => {
  const told = async (...args: string[]) => {
    const { code, complained } = await runCli(["fleet", ...args], {});
    return `${code} ${complained}`;
  };
  assert.match(await told("--data-dir", tmpdir()), /^1 no venue is running on .*: start one/);
  assert.match(await told("--rate", "0"), /^2 .*expected an integer from 1 to 10000/);
  const here = ["--url", url, "--data-dir", dataDir];
  assert.match(
    await told(...here, "--markets", "DOGE-USDC"),
    /^1 no trading market DOGE-USDC; trading markets: CC-USDC, .*BTCUSDT/,
  );
});
