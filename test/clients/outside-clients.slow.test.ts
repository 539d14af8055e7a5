// Proves that published clients in other languages work unmodified, at pinned versions, against a whole venue with
// active books. Each client reads market data, keeps a local book that must equal the venue's, places and cancels
// orders and receives their execution reports. The results are printed, and published as docs/reference/clients.md.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { publishedPage, publishPage, renderedPage } from "./client-page.ts";
import { type DriverReport, runDriver } from "./driver-process.ts";
import { activeMarkets, MarketActivity } from "./market-activity.ts";
import { outsideAccount } from "./outside-accounts.ts";
import { type OutsideClient, outsideClients } from "./outside-clients.ts";

/** The setting CLIENT selects one client by its folder; the page keeps the published results of the others. */
const only = process.env["CLIENT"] ?? "";
const chosen = outsideClients.filter(({ folder }) => only === "" || folder === only);

let venue: VenueFixture;
let activity: MarketActivity;
let folder = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-clients-"));
  venue = await VenueFixture.open();
  const { account: _, ...maker } = await outsideAccount(venue, folder, "house");
  const taker = await outsideAccount(venue, folder);
  await venue.operator.risk.setReference("BTC-PERP", "60000", 86_400);
  activity = await MarketActivity.start(venue.address, maker, taker);
});
after(async () => {
  activity.stop();
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

async function drive(client: OutsideClient): Promise<DriverReport> {
  const command = await client.prepare();
  const { key, secret, ed25519Key, ed25519File } = await outsideAccount(venue, folder);
  const settings = {
    BASE: `${venue.address}/compat`,
    KEY: key,
    SECRET: secret,
    ED25519_KEY: ed25519Key,
    ED25519_FILE: ed25519File,
    SPOT: activeMarkets.spot,
    PERPETUAL: activeMarkets.perpetual,
  };
  const cwd = await mkdtemp(join(folder, "driver-"));
  return runDriver(command, settings, { cwd, timeoutMs: client.timeoutMs });
}

const reports = new Map<OutsideClient, DriverReport>();

for (const client of chosen) {
  test(`CNF-21: ${client.title}, ${client.packages.join(", ")}`, async (t) => {
    const report = await drive(client);
    reports.set(client, report);
    for (const { feature, name, error } of report.steps) {
      await t.test(`${feature}: ${name}`, () => assert.equal(error, ""));
    }
    await t.test("the driver finishes", () => assert.equal(report.fault, ""));
    await t.test("the driver reports at least one step", () =>
      assert.notEqual(report.steps.length, 0),
    );
    await t.test("the client contacts no host other than this machine", () =>
      assert.deepEqual(report.outside, []),
    );
  });
}

test("docs/reference/clients.md shows the results of these runs", (t) => {
  const page = renderedPage(outsideClients, reports);
  t.diagnostic(`\n${page}`);
  if (process.env["UPDATE_REFERENCE"] === "1") publishPage(page);
  assert.equal(
    publishedPage(),
    page,
    "the page is stale: run UPDATE_REFERENCE=1 make slow ONLY=test/clients",
  );
});
