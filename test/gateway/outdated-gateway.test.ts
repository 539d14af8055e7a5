// Proves on a gateway process that it ends when its leader has markets that it does not know, so that its supervisor
// starts it again with all of them.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { GatewayVenue } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import { CliProcess, type Settings } from "../support/venue/cli-process.ts";

const skip = lacksNats();
let venue: GatewayVenue;
let folder: string;
const started: CliProcess[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-outdated-"));
  if (skip === false) venue = await GatewayVenue.open();
});
after(async () => {
  for (const gateway of started) {
    gateway.signal("SIGKILL");
    await gateway.ended;
  }
  await venue?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a gateway and returns it with the markets that it shows. */
async function start(settings: Settings) {
  const gateway = new CliProcess(["gateway"], settings);
  started.push(gateway);
  const [, address = ""] = await gateway.untilPrinted(/^The gateway is open at (\S+),/m);
  const info = await fetch(`${address}/fapi/v1/exchangeInfo`);
  const { symbols } = (await info.json()) as { symbols: { symbol: string }[] };
  return { gateway, symbols: symbols.map(({ symbol }) => symbol) };
}

test("GWY-19 a gateway ends with exit code 4 when its leader has a new market, and knows it when it is started again", {
  skip,
}, async () => {
  const place = { DATABASE_URL: venue.leader.database.url, DATA_DIR: folder, PORT: "0" };
  const settings = { ...place, NATS_URL: venue.nats.url, MASTER_KEY: "5a".repeat(32) };
  const { gateway, symbols } = await start(settings);
  assert(!symbols.includes("SOLUSDT"));
  await venue.leader.operator.listing.add({ symbol: "SOL-PERP", isHalted: false });
  await venue.leader.restart();
  assert.equal(await gateway.ended, 4, gateway.complained);
  assert((await start(settings)).symbols.includes("SOLUSDT"));
});
