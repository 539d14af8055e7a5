// Proves that a development ledger which restarts while another process uses its port returns on another port, and that
// its clients reconnect there.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { DevnetControl } from "../support/ledger/devnet.ts";
import { until } from "../support/venue/ledger-venue.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const settings = {
  LEDGER_PROFILE: "devnet",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "0",
  LEDGER_ACCEPT_DELAY_MS: "0",
  SETTLEMENT_POLL_MS: "100",
  SETTLEMENT_WINDOW_MS: "0",
  SETTLEMENT_LONG_WINDOW_MS: "0",
  RECONCILE_INTERVAL_MS: "50",
  DEV_TOOLS: "1",
};

interface Place {
  readonly pid: number;
  readonly url: string;
  readonly adminUrl: string;
}

let fixture: VenueFixture;
const squatters: Server[] = [];
/** Longest time in ms until the port of a killed process is free. */
const squatMsMax = 60_000;

before(async () => {
  fixture = await VenueFixture.open(settings);
  await until(async () => fixture.venue.ledger.settlement !== null);
});

after(async () => {
  for (const squatter of squatters) squatter.close();
  await fixture.close();
});

async function place(): Promise<Place> {
  return JSON.parse(await readFile(join(fixture.dataDir, "ledger", "place.json"), "utf8"));
}

async function tap(party: string, amount: string): Promise<void> {
  const { adminUrl } = await place();
  const text = await readFile(join(fixture.dataDir, "ledger", "secrets.json"), "utf8");
  const { admin } = JSON.parse(text) as { admin: string };
  await new DevnetControl(adminUrl, admin).tap(party, "USDC", amount);
}

/** Takes the port of `url` as soon as it is free: at once, because the next ledger starts while the test waits. */
async function squat(url: string): Promise<void> {
  const port = Number(new URL(url).port);
  const untilMs = performance.now() + squatMsMax;
  while (!(await isTaken(port))) {
    assert(performance.now() < untilMs, `port ${port} must become free`);
    await sleep(1);
  }
}

/** Tries to listen at a port; true if that succeeded. */
function isTaken(port: number): Promise<boolean> {
  const squatter = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    squatter.once("error", () => resolve(false));
    squatter.listen(port, "127.0.0.1", () => {
      squatters.push(squatter);
      resolve(true);
    });
  });
}

async function openMember(): Promise<Trader & { readonly party: string }> {
  const { account } = await fixture.operator.createAccount("wallet");
  const created = await fixture.operator.createKey({ account, tier: "house" });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  const party = `m${account}::1220${randomBytes(32).toString("hex")}`;
  await fixture.venue.ledger.settlement("enroll", account, party);
  return { account, key, secret, party };
}

async function free(trader: Trader): Promise<number> {
  const { json } = await fixture.signed(trader, "GET", "/api/v3/account");
  return Number(json.balances.find(({ asset }: { asset: string }) => asset === "USDC")?.free);
}

test("LED-21 settlement and faucet follow a ledger that returns on other ports", async () => {
  const member = await openMember();
  const before = await place();
  process.kill(before.pid, "SIGKILL");
  await Promise.all([squat(before.url), squat(before.adminUrl)]);
  await until(async () => (await place()).pid !== before.pid);
  const { url, adminUrl } = await place();
  assert.notEqual(url, before.url);
  assert.notEqual(adminUrl, before.adminUrl);
  await until(async () => "url" in (await fixture.venue.ledger.status()));
  await tap(member.party, "1000");
  await until(async () => (await free(member)) === 1000);
  // A new member can enroll only if the admin API is found at its new address too.
  const newcomer = await openMember();
  await tap(newcomer.party, "7");
  await until(async () => (await free(newcomer)) === 7);
  const { sql } = fixture.venue.database;
  await until(async () => {
    const rows = await sql<{ registry: string }[]>`select registry from custody_places`;
    return rows.length > 0 && rows.every(({ registry }) => registry === url);
  });
});
