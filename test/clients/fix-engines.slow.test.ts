// Proves that two published engines, QuickFIX/Go and QuickFIX, unmodified, trade over FIX against a whole venue: orders,
// recovery by resend, by reset and with numbers that go on, and a drop copy that equals the account's fills.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort } from "../support/free-port.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { type Command, runDriver } from "./driver-process.ts";
import { goDriver, pythonDriver } from "./driver-tools.ts";
import { outsideAccount } from "./outside-accounts.ts";

let venue: VenueFixture;
let folder = "";
let port = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-fix-engines-"));
  port = await freePort();
  venue = await VenueFixture.open({ FIX_PORT: `${port}`, RATE_LIMIT_WS_CONNS_PER_IP: "100" });
});
after(async () => {
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

const engines: readonly { readonly name: string; prepare(): Promise<Command> }[] = [
  { name: "QuickFIX/Go", prepare: () => goDriver("quickfixgo") },
  { name: "QuickFIX", prepare: () => pythonDriver("quickfix") },
];

for (const { name, prepare } of engines) {
  test(`FIX-6 FIX-8 FIX-18 FIX-20 FIX-28 ${name} trades, recovers, and has a copy of its fills`, async (t) => {
    const command = await prepare();
    const maker = await outsideAccount(venue, folder, "house");
    const { key, secret, ed25519Key, ed25519File } = await outsideAccount(venue, folder);
    const { status } = await venue.signed(maker, "POST", "/api/v3/order", {
      ...{ symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "GTC" },
      ...{ quantity: "400.0", price: "0.1700" },
    });
    assert.equal(status, 200);
    const settings = {
      ...{ BASE: `${venue.address}/compat`, KEY: key, SECRET: secret, FIX_PORT: `${port}` },
      ...{ ED25519_KEY: ed25519Key, ED25519_FILE: ed25519File, SPOT: "CC-USDC" },
    };
    const report = await runDriver(command, settings, { cwd: folder, timeoutMs: 300_000 });
    for (const { name, error } of report.steps) {
      await t.test(name, () => assert.equal(error, ""));
    }
    assert.equal(report.fault, "");
    assert.equal(report.steps.length, 9);
  });
}
