// Proves what `rialto doctor` finds in a cluster: two venues on a synchronous pair, a bus, and a gateway's settings.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { type GatewayLogin, gatewayLogin } from "../support/bus/gateway-login.ts";
import { lacksNats, NatsServer } from "../support/bus/nats-server.ts";
import { TwoVenues } from "../support/cluster/two-venues.ts";
import { runCli } from "../support/venue/cli-process.ts";

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly found: string;
  readonly mend: string;
}

const skip = lacksNats();
const key = { MASTER_KEY: "11".repeat(32) };
let folder: string;
let nats: NatsServer;
let venues: TwoVenues;
let login: GatewayLogin;

before(async () => {
  if (skip !== false) return;
  folder = await mkdtemp(join(tmpdir(), "rialto-doctor-"));
  nats = await NatsServer.open();
  // A long lease, so that a busy machine does not change the leader.
  const settings = { NATS_URL: nats.url, EPOCH_SECONDS: "1", LEASE_MS: "20000" };
  venues = await TwoVenues.start(settings);
  login = await gatewayLogin(venues.pair.primary, venues.pair.url);
});
after(async () => {
  await venues?.close();
  await nats?.kill();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Runs doctor with the settings of one more venue, or of a gateway. */
async function examined(
  settings: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  const shared = {
    ...key,
    NATS_URL: nats.url,
    PORT: "0",
    DATA_DIR: folder,
    LEDGER_PROFILE: "none",
  };
  const own = { ROLE: "auto", SYNCHRONOUS_STANDBY: "required", DATABASE_URL: venues.pair.url };
  const all = args.includes("--gateway")
    ? { ...shared, DATABASE_URL: login.url, ...settings }
    : { ...shared, ...own, ...settings };
  const { code, printed } = await runCli(["doctor", "--json", ...args], all);
  const findings = JSON.parse(printed) as Finding[];
  return { code, of: (check: string) => findings.find((one) => one.check === check) };
}

/**
 * Runs doctor until `isSound` takes what it found, and returns that; what it found last if a minute was not enough. Doctor
 * waits for a commit or an answer for three seconds, and a busy machine may need longer.
 */
async function untilSound(
  isSound: (found: Awaited<ReturnType<typeof examined>>) => boolean,
  ...terms: Parameters<typeof examined>
) {
  for (const endMs = performance.now() + 60_000; ; ) {
    const found = await examined(...terms);
    if (isSound(found) || performance.now() > endMs) return found;
  }
}

const ofVenue = ["database", "schema", "standby", "leader", "followers", "bus", "master key"];
const ofGateway = ["database", "rights", "schema", "leader", "bus", "bus leader", "master key"];

test("OPS-92 in a cluster without faults, doctor says who leads, who follows and what confirms commits", {
  skip,
}, async () => {
  const { code, of } = await untilSound((found) =>
    ofVenue.every((check) => found.of(check)?.verdict === "ok"),
  );
  for (const check of ofVenue)
    assert.equal(of(check)?.verdict, "ok", `${check}: ${of(check)?.found}`);
  assert.equal(code, 3);
  assert.match(of("standby")?.found ?? "", /confirmed a commit in [\d.]+ ms/);
  assert.match(
    of("leader")?.found ?? "",
    new RegExp(`:${venues.leader.endpoint.port}, writer epoch`),
  );
  assert.match(
    of("followers")?.found ?? "",
    new RegExp(`:${venues.follower.endpoint.port}, \\d+ ev`),
  );
  assert.match(of("bus")?.found ?? "", /reached without TLS/);
});

test("OPS-92 with the data folder of a venue that runs, doctor finds no fault at its port, whether it leads or follows", {
  skip,
}, async () => {
  for (const { dataDir, endpoint } of [venues.leader, venues.follower]) {
    const own = { DATA_DIR: dataDir, PORT: String(endpoint.port) };
    const { code, of } = await untilSound((found) => found.code === 0, own);
    assert.match(of("port")?.found ?? "", new RegExp(`running venue listens.*:${endpoint.port}$`));
    assert.equal(code, 0);
  }
});

test("OPS-92 doctor checks a gateway's rights, key, name and bus", { skip }, async () => {
  const right = await untilSound(
    (found) => ofGateway.every((check) => found.of(check)?.verdict === "ok"),
    {},
    ["--gateway"],
  );
  for (const check of ofGateway)
    assert.equal(right.of(check)?.verdict, "ok", `${check}: ${right.of(check)?.found}`);
  assert.equal(right.code, 3);
  const owner = await examined({ DATABASE_URL: venues.pair.url }, ["--gateway"]);
  assert.match(owner.of("rights")?.found ?? "", /can change .*which a gateway must not/);
  const stranger = await examined({ VENUE_NAME: "other", MASTER_KEY: "22".repeat(32) }, [
    "--gateway",
  ]);
  assert.match(stranger.of("bus leader")?.found ?? "", /no venue called other is heard/);
  assert.match(stranger.of("master key")?.found ?? "", /MASTER_KEY is not the key in use/);
  assert.deepEqual([owner.code, stranger.code], [1, 1]);
  const { code, of } = await examined({ NATS_URL: "", DATABASE_URL: "" }, ["--gateway"]);
  assert.equal(code, 1);
  assert.match(of("settings")?.found ?? "", /needs NATS_URL.*needs DATABASE_URL/s);
});

test("OPS-92 AUT-40 a venue or gateway that was given the key of a coming rotation waits for it, and says so", {
  skip,
}, async () => {
  const given = { MASTER_KEY: "22".repeat(32), MASTER_KEY_EARLIER: key.MASTER_KEY };
  for (const args of [[], ["--gateway"]]) {
    const { code, of } = await untilSound((found) => found.code === 3, given, args);
    assert.deepEqual([code, of("master key")?.verdict], [3, "warning"], of("master key")?.found);
    assert.match(of("master key")?.found ?? "", /MASTER_KEY is not in use yet/);
    assert.match(of("master key")?.mend ?? "", /run 'rialto master-key rotate' at the leader/);
  }
});

test("OPS-92 a VENUE_NAME that is not the one of the epochs is a fault", { skip }, async () => {
  const sql = openPostgres(venues.pair.primary, "queries");
  const isNamed = async () => (await sql`select from epoch_chain`).length > 0;
  for (const endMs = performance.now() + 60_000; !(await isNamed()); await sleep(50))
    assert(performance.now() < endMs, "no epoch was sealed");
  await sql.end({ timeout: 1 });
  const { code, of } = await examined({ VENUE_NAME: "other" });
  assert.equal(code, 1);
  assert.match(of("venue name")?.mend ?? "", /set VENUE_NAME=rialto/);
});

test("OPS-92 a lost bus, a lost venue and a lost standby are found, with a remedy", {
  skip,
}, async () => {
  await nats.kill();
  for (const { process } of [venues.follower, venues.leader]) {
    process?.signal("SIGKILL");
    await process?.ended;
  }
  // As if the lease had not been renewed for a minute.
  const sql = openPostgres(venues.pair.primary, "queries");
  await sql`update leadership set renewed_at = renewed_at - interval '1 minute'`;
  await sql.end({ timeout: 1 });
  const { of } = await untilSound((found) => found.of("standby")?.verdict === "ok");
  assert.equal(of("bus")?.verdict, "fault");
  assert.match(of("bus")?.mend ?? "", /check NATS_URL/);
  assert.deepEqual([of("leader")?.verdict, of("standby")?.verdict], ["warning", "ok"]);
  assert.match(of("leader")?.found ?? "", /has run out/);
  await venues.pair.stopStandby();
  const without = await examined();
  assert.match(without.of("standby")?.found ?? "", /no standby confirmed a commit within 3 s/);
  await venues.pair.commitAlone();
  const alone = await examined();
  assert.match(alone.of("standby")?.found ?? "", /synchronous_standby_names is empty/);
  assert.deepEqual([without.code, alone.code], [1, 1]);
});
