// Proves that the published JavaScript clients work unmodified against a whole venue (CMP-6, CNF-7 to CNF-13). Each
// client is created by the exact code of docs/guides/clients.md and runs in a process that can reach only this
// machine.

import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { binance } from "ccxt";
import { blocksIn } from "../guides/document-blocks.ts";
import { untilRoomIn } from "../support/clock/clock-windows.ts";
import { newEd25519Key } from "../support/ed25519-key.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import type { RunReport, RunRequest, TestAccount } from "./client-process.ts";
import { FeatureMatrix, printedMatrix, printMatrix } from "./feature-matrix.ts";
import { snippetNames } from "./guide-snippets.ts";
import { addressOf, openRefusalServer } from "./refusal-server.ts";
import { subjects } from "./subjects.ts";

const program = fileURLToPath(new URL("client-process.js", import.meta.url));
const guard = new URL("network-guard.js", import.meta.url).href;

let venue: VenueFixture;
let refusalServer: Server;

before(async () => {
  await untilRoomIn(28_800_000, 180_000);
  [venue, refusalServer] = await Promise.all([VenueFixture.open(), openRefusalServer()]);
});
after(async () => {
  refusalServer.closeAllConnections();
  refusalServer.close();
  await venue.close();
});

/**
 * Creates a funded account with an Ed25519 key in addition to the fixture's HMAC key, and returns the Ed25519 key.
 */
async function ed25519Account(): Promise<TestAccount> {
  const { account } = await venue.trader();
  const { publicKey, privateKey } = newEd25519Key();
  const created = await venue.operator.createKey({ account, tier: "house", publicKey });
  const { api_key: key } = created as { api_key: string };
  return { key, secret: privateKey.export({ format: "pem", type: "pkcs8" }).toString() };
}

/** Creates an account of the standard tier and returns its HMAC key. */
async function standardKey(): Promise<TestAccount> {
  const { account } = await venue.operator.createAccount("standard");
  const created = await venue.operator.createKey({ account });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  return { key, secret };
}

async function report(subject: string, view: "root" | "compat"): Promise<RunReport> {
  const { key, secret } = await venue.trader();
  const request: RunRequest = {
    subject,
    view,
    base: venue.address,
    refusalBase: addressOf(refusalServer),
    hmac: { key, secret },
    ed25519: await ed25519Account(),
    standard: await standardKey(),
  };
  const child = fork(program, { execArgv: ["--enable-source-maps", "--import", guard] });
  child.send(request);
  const answered = once(child, "message");
  const ended = once(child, "exit").then(([code]) => assert.fail(`the process ended with ${code}`));
  const [message] = await Promise.race([answered, ended]);
  child.kill();
  return message as RunReport;
}

const matrix = new FeatureMatrix();

/** The client that expects no funding comes first, because funding is settled every eight hours. */
const inTurn = Object.entries(subjects).sort(
  ([, one], [, other]) => Number(other.trip === "ccxt-usdm") - Number(one.trip === "ccxt-usdm"),
);

for (const [name, { client, views }] of inTurn) {
  for (const view of views) {
    test(`CMP-8 CNF-10 CNF-11 CNF-12 CNF-13 CNF-19: ${client} (${name}) works at ${view}`, async (t) => {
      const { steps, outside } = await report(name, view);
      matrix.add(name, view, steps);
      for (const step of steps) {
        await t.test(`${step.feature}, ${step.name}`, () => assert.equal(step.error, ""));
      }
      await t.test("the client contacts no host other than this machine", () =>
        assert.deepEqual(outside, []),
      );
    });
  }
}

test("CNF-7 CNF-8 no client requests a route that the venue does not have", async () => {
  const metrics = await (await fetch(`${venue.address}/metrics`)).text();
  assert.match(metrics, /status="200"/);
  assert.doesNotMatch(metrics, /status="404"/);
});

test("CNF-19 the network guard detects requests to other hosts", async () => {
  const requested = "https://api.binance.com/api/v3/time";
  const detail = `fetch(${JSON.stringify(requested)}).catch(() => {
    import(${JSON.stringify(guard)}).then(({ hostsOutside }) => console.log(hostsOutside().join()));
  })`;
  const options = ["--import", guard, "--input-type=module", "--eval", detail];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  assert.equal(stdout.trim(), "api.binance.com");
});

test("CMP-6 the matrix in docs/guides/clients.md equals the results of this run", () => {
  const text = matrix.text();
  if (process.env["UPDATE_REFERENCE"] === "1") printMatrix(text);
  assert.equal(
    printedMatrix(),
    text,
    "the guide's matrix is stale: run UPDATE_REFERENCE=1 make test ONLY=test/clients",
  );
});

test("every code block of the guide creates a client that is tested", () => {
  const made = Object.values(subjects).flatMap(({ hmac, ed25519 }) => [hmac, ed25519]);
  assert.deepEqual(snippetNames().sort(), [...new Set(made)].sort());
});

test("with the guide's configuration for freqtrade, ccxt knows no address of another host", () => {
  const [block] = blocksIn("docs/guides/clients.md", "json");
  const { ccxt_config: settings } = JSON.parse(block?.text ?? "").exchange;
  const { api } = new binance(settings).urls as { api: Readonly<Record<string, unknown>> };
  const addresses = Object.entries(api).filter(([, url]) => typeof url === "string");
  const foreign = addresses.filter(([, url]) => !String(url).startsWith("http://127.0.0.1:8080/"));
  assert.deepEqual(foreign, []);
  assert.ok(addresses.length > 15);
});
