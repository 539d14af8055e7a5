// Proves that HAProxy and NATS accept their files of deploy/ together with the examples of settings that operators copy
// from deploy/etc. The tests of a cluster run the same files with settings of their own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { CertificateAuthority } from "../support/cluster/certificates.ts";
import { environmentOf } from "../support/cluster/cluster-programs.ts";
import { createUserNkey } from "../support/cluster/nkeys.ts";
import { programs } from "../support/cluster/programs.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const run = promisify(execFile);

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-settings-"));
  const tls = join(folder, "tls");
  const { certFile, keyFile } = await new CertificateAuthority(join(folder, "ca")).issue(tls, [
    "localhost",
  ]);
  const pem = await Promise.all([certFile, keyFile].map((file) => readFile(file, "utf8")));
  await writeFile(join(tls, "clients.pem"), pem.join(""));
});
after(() => rm(folder, { recursive: true, force: true }));

/** The settings of an example, without the quotes that systemd takes away. */
async function exampleOf(name: string): Promise<Record<string, string>> {
  const pairs = Object.entries(await environmentOf(`etc/${name}.env`));
  return Object.fromEntries(pairs.map(([key, value]) => [key, value.replace(/^'(.*)'$/, "$1")]));
}

/** What a program says against its file, as deploy/ has it or with one text replaced; empty if it accepts it. */
async function objectionsOf(
  [program = "", ...options]: readonly string[],
  path: string,
  settings: Readonly<Record<string, string>>,
  [before, now]: readonly [before: string, now: string] = ["", ""],
): Promise<string> {
  const text = await readFile(join(projectRoot, "deploy", path), "utf8");
  assert(text.includes(before), `${path} has no ${before}`);
  const file = join(folder, "checked.conf");
  await writeFile(file, text.replace(before, now));
  const env = { PATH: process.env["PATH"] ?? "", ...settings };
  return run(program, [...options, file], { cwd: folder, env }).then(
    () => "",
    (error: Error & { stderr: string; stdout: string }) =>
      `${error.message}\n${error.stderr}${error.stdout}`,
  );
}

function missing(program: string): string | false {
  return existsSync(program) ? false : `${program} is missing`;
}

const haproxy = [programs.haproxy, "-c", "-f"];

test("OPS-49 HAProxy accepts both of its files with the examples of their settings", {
  skip: missing(programs.haproxy),
}, async () => {
  for (const [path, name] of [
    ["haproxy/haproxy.cfg", "proxy"],
    ["haproxy/clients.cfg", "balancer"],
  ] as const) {
    const settings = await exampleOf(name);
    assert.equal(await objectionsOf(haproxy, path, settings), "", path);
    const broken = await objectionsOf(haproxy, path, settings, ["timeout check", "timeout chuck"]);
    assert.match(broken, /chuck/, path);
    const [first = ""] = Object.keys(settings);
    const without = { ...settings, [first]: "" };
    assert.notEqual(await objectionsOf(haproxy, path, without), "", `${path} without ${first}`);
  }
});

const nats = [programs.nats, "-t", "-c"];

test("OPS-49 NATS accepts its file with the example of its settings and the keys that the script makes", {
  skip: missing(programs.nats),
}, async () => {
  const example = await exampleOf("nats");
  const [venue, gateway] = await Promise.all([createUserNkey(), createUserNkey()]);
  const settings = {
    ...example,
    NATS_VENUE_NKEY: venue.publicKey,
    NATS_GATEWAY_NKEY: gateway.publicKey,
  };
  assert.equal(await objectionsOf(nats, "nats/nats.conf", settings), "");
  const broken = ["max_pending:", "max_pendign:"] as const;
  assert.match(await objectionsOf(nats, "nats/nats.conf", settings, broken), /max_pendign/);
  const noKey = { ...settings, NATS_VENUE_NKEY: "UNOKEY" };
  assert.match(await objectionsOf(nats, "nats/nats.conf", noKey), /nkey/i);
});
