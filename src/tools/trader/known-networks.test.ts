// Tests that a wallet retains what it has seen of a venue, whatever concurrent swaps of the same wallet do.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { lock } from "proper-lockfile";
import type { KnownNetwork } from "../../services/swaps/known-network.ts";
import { KnownNetworks } from "./known-networks.ts";
import { walletKeyIn } from "./wallet-key.ts";

/** The machine may be busy, and its disk slow. */
const longMs = 60_000;

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-known-"));
});
after(() => rm(folder, { recursive: true }));

function seen(operator: string, ...assets: string[]): KnownNetwork {
  const issuers = Object.fromEntries(assets.map((asset) => [asset, `issuer-of-${asset}`]));
  return { operator, issuers, factories: {} };
}

test("RFQ-23 simultaneous swaps of one wallet lose neither a venue nor an asset from the file", async () => {
  const key = join(folder, "many.pem");
  const hosts = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => `http://${name}.example`);
  const assets = ["CC", "USDC", "CBTC", "CETH"];
  await Promise.all(
    hosts.flatMap((host) =>
      assets.map((asset) => new KnownNetworks(key, host, longMs).keep(seen(`of ${host}`, asset))),
    ),
  );
  for (const host of hosts) {
    const known = await new KnownNetworks(key, host).read();
    assert.equal(known.operator, `of ${host}`);
    assert.deepEqual(Object.keys(known.issuers).toSorted(), assets.toSorted());
  }
  const left = (await readdir(folder)).filter((name) => name.startsWith("many.pem"));
  assert.deepEqual(left, ["many.pem.known.json"], "no unfinished file may be left behind");
});

test("RFQ-23 what another swap recorded meanwhile with other contents is not overwritten", async () => {
  const key = join(folder, "other.pem");
  const venue = "http://venue.example";
  const [first, second] = [new KnownNetworks(key, venue), new KnownNetworks(key, venue)];
  await first.keep(seen("operator", "CC"));
  await assert.rejects(second.keep(seen("stranger", "CC")), /saw a different operator or issuer/);
  assert.deepEqual(await second.read(), seen("operator", "CC"));
});

test("RFQ-23 a venue is recognised however its address is written, also in files of older versions", async () => {
  const key = join(folder, "old.pem");
  const path = `${key}.known.json`;
  const first = seen("operator", "CC");
  await writeFile(path, JSON.stringify({ "HTTP://Venue.example:80": first, note: "mine" }));
  const venue = new KnownNetworks(key, "http://venue.example/");
  assert.deepEqual(await venue.read(), first);
  await venue.keep(seen("operator", "USDC"));
  assert.deepEqual(JSON.parse(await readFile(path, "utf8")), {
    note: "mine",
    "http://venue.example": seen("operator", "CC", "USDC"),
  });
  const two = { "http://venue.example": first, "http://venue.example/": seen("stranger") };
  await writeFile(path, JSON.stringify(two));
  await assert.rejects(venue.read(), /has two entries for http:\/\/venue\.example$/);
});

test("RFQ-23 while another swap holds the file nothing is signed and nothing is written", async () => {
  const key = join(folder, "held.pem");
  const letGo = await lock(`${key}.known.json`, { realpath: false });
  const venue = new KnownNetworks(key, "http://venue.example", 60);
  await assert.rejects(
    venue.keep(seen("operator")),
    /nothing was signed: .*held\.pem\.known\.json/,
  );
  assert.equal((await venue.read()).operator, null);
  await letGo();
  await venue.keep(seen("operator"));
  assert.equal((await venue.read()).operator, "operator");
});

test("RFQ-23 a lock that an interrupted swap left behind is released", async () => {
  const key = join(folder, "ended.pem");
  const left = `${key}.known.json.lock`;
  await mkdir(left);
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(left, longAgo, longAgo);
  await new KnownNetworks(key, "http://venue.example", 60).keep(seen("operator"));
  assert(!(await readdir(folder)).includes("ended.pem.known.json.lock"));
});

test("RFQ-23 a lock left by an earlier version is named, and nothing is written", async () => {
  const key = join(folder, "earlier.pem");
  await writeFile(`${key}.known.json.lock`, "");
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${key}.known.json.lock`, longAgo, longAgo);
  const venue = new KnownNetworks(key, "http://venue.example", 60);
  await assert.rejects(venue.keep(seen("operator")), /remove .*earlier\.pem\.known\.json\.lock/);
  assert.equal((await venue.read()).operator, null);
});

test("RFQ-21 a wallet's key is created with its folder, which only its owner may read", async () => {
  const home = join(folder, "new", "data");
  const path = join(home, "trader.pem");
  const { isNew, publicKey } = await walletKeyIn(path);
  assert.equal(isNew, true);
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const again = await walletKeyIn(path);
  assert.deepEqual([again.isNew, again.publicKey], [false, publicKey]);
});
