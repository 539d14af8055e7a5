// Proves FIX sessions against a whole venue with two fronts and TLS: certificate, reports of orders from every front, and a
// crash, after which the session's orders are cancelled and reports have no number twice.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { FixClient, type FixKey, venueKey } from "../fix/fix-client.ts";
import { freePort } from "../support/free-port.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let venue: VenueFixture;
let folder = "";
let port = 0;
const clients: FixClient[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rialto-fix-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const self = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=localhost", "-days", "1", "-keyout", key, "-out", cert];
  execFileSync("openssl", ["req", ...self, ...names], { stdio: "ignore" });
  port = await freePort();
  venue = await VenueFixture.open({
    ...{ DEV_TOOLS: "1", FRONT_THREADS: "2", RATE_LIMIT_WS_CONNS_PER_IP: "200" },
    ...{ FIX_PORT: `${port}`, FIX_TLS_CERT: cert, FIX_TLS_KEY: key },
  });
});
after(async () => {
  for (const client of clients) client.drop();
  await venue.close();
  rmSync(folder, { recursive: true, force: true });
});

async function loggedOn(key: FixKey, more: Record<number, string> = {}): Promise<FixClient> {
  const client = new FixClient(port, "MAKER", true);
  clients.push(client);
  client.logon(key, more);
  await client.ofType("A");
  return client;
}

test("FIX-1 the listener speaks TLS, and nothing without it", async () => {
  const plain = new FixClient(port, "PLAIN");
  plain.raw("8=FIX.4.4\x019=5\x0135=0\x0110=161\x01");
  await plain.closed(60_000);
  assert.deepEqual(plain.messages, []);
});

test("FIX-16 FIX-20 after a crash orders are cancelled, and no report has the number of another", async () => {
  const trader = await venue.trader("house");
  const key = await venueKey(venue, trader.account);
  const first = await loggedOn(key, { 9001: "Y" });
  const reports = [await first.bid("bound-1", "0.0900"), await first.bid("bound-2", "0.0901")];
  const terms = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const more = { quantity: "200.0", price: "0.0899" };
  for (const newClientOrderId of ["r1", "r2", "free"]) {
    await venue.signed(trader, "POST", "/api/v3/order", { ...terms, ...more, newClientOrderId });
    reports.push(await first.reported(newClientOrderId));
    if (newClientOrderId === "free") continue;
    const named = { symbol: "CC-USDC", origClientOrderId: newClientOrderId };
    await venue.signed(trader, "DELETE", "/api/v3/order", named);
    reports.push(await first.next(({ 35: type, 150: exec }) => type === "8" && exec === "4"));
  }
  await venue.crashAndRestart();
  await first.closed();
  const second = await loggedOn(key);
  reports.push(await second.bid("again", "0.0902"));
  const { json } = await venue.signed(trader, "GET", "/api/v3/openOrders");
  const open = json.map(({ clientOrderId }: { clientOrderId: string }) => clientOrderId);
  assert.deepEqual(open.sort(), ["again", "free"]);
  const ids = reports.map(({ 17: id }) => Number(id));
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
});

test("FIX-24 a stop is announced, and each session is logged out", async () => {
  const client = await loggedOn(await venueKey(venue, (await venue.trader("house")).account));
  const restarted = venue.restart();
  assert.match((await client.ofType("B"))[148] ?? "", /about to be closed/);
  await client.ofType("5");
  await client.closed();
  await restarted;
});
