// The clients people have, unmodified and made by the very lines of docs/guides/clients.md, against
// one whole venue: each in a process that can reach nothing but this machine (binance-compat 10,
// points 7, 8, 10, 12 and 19).

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { VenueFixture } from "../support/venue-fixture.ts";
import type { RunReport, RunRequest, TestAccount } from "./client-process.ts";
import { snippetNames } from "./guide-snippets.ts";
import { subjects } from "./subjects.ts";

const program = fileURLToPath(new URL("client-process.js", import.meta.url));

let venue: VenueFixture;

before(async () => {
  venue = await VenueFixture.open();
});
after(() => venue.close());

/** A funded account with an Ed25519 key beside the HMAC key the fixture makes. */
async function ed25519Account(): Promise<TestAccount> {
  const { account } = await venue.trader();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
  const created = await venue.operator.createKey({ account, tier: "house", publicKey: raw });
  const { api_key: key } = created as { api_key: string };
  return { key, secret: privateKey.export({ format: "pem", type: "pkcs8" }).toString() };
}

async function report(subject: string, view: "root" | "compat"): Promise<RunReport> {
  const { key, secret } = await venue.trader();
  const request: RunRequest = {
    subject,
    view,
    base: venue.address,
    hmac: { key, secret },
    ed25519: await ed25519Account(),
  };
  const child = fork(program, { execArgv: ["--enable-source-maps"] });
  child.send(request);
  const answered = once(child, "message");
  const ended = once(child, "exit").then(([code]) => assert.fail(`the process ended with ${code}`));
  const [message] = await Promise.race([answered, ended]);
  child.kill();
  return message as RunReport;
}

for (const [name, { client, views }] of Object.entries(subjects)) {
  for (const view of views) {
    test(`conformance 10, 19: ${client} (${name}) at ${view}`, async (t) => {
      const { steps, outside } = await report(name, view);
      for (const step of steps) {
        await t.test(`${step.feature}, ${step.name}`, () => assert.equal(step.error, ""));
      }
      await t.test("it asks for no other host", () => assert.deepEqual(outside, []));
    });
  }
}

test("every block of the guide makes a client that is tested", () => {
  const made = Object.values(subjects).flatMap(({ hmac, ed25519 }) => [hmac, ed25519]);
  assert.deepEqual(snippetNames().sort(), [...new Set(made)].sort());
});
