// Proves how the development ledger behaves as a process: what survives when it is killed, who may read its tables,
// and that a restarted venue finds the running ledger.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import { endpointOf, type Refusal, Subject } from "../ledger-conformance/subject.ts";
import { DevnetFixture } from "../support/ledger/devnet.ts";

let fixture: DevnetFixture;
let subject: Subject;

before(async () => {
  fixture = await DevnetFixture.start();
  subject = new Subject(endpointOf(fixture), async () => undefined);
});

after(() => fixture.close());

/** Resolves when a process with another pid than `pid` answers at the ledger's endpoint. */
async function untilReplaced(pid: number): Promise<void> {
  for (;;) {
    const isBack = await subject.network.health().catch(() => null);
    if (isBack?.isReady && fixture.ledger.endpoint.pid !== pid) return;
    await sleep(20);
  }
}

test("LED-15 a killed ledger restarts at the same address with everything it had committed", async () => {
  const party = await subject.wallet({ USDC: "5" });
  const end = await subject.network.ledgerEnd();
  const { pid, url } = fixture.ledger.endpoint;
  process.kill(pid, "SIGKILL");
  await untilReplaced(pid);
  assert.equal(fixture.ledger.endpoint.url, url);
  assert.equal(await subject.network.ledgerEnd(), end);
  assert.equal(await subject.balance(party, "USDC"), parseLedgerAmount("5"));
  assert.equal((await fixture.admin.audit()).isSound, true);
});

test("LED-15 updates that were stored without their submitters have them after a restart", async () => {
  const sql = openPostgres(fixture.database.options, "queries");
  try {
    const submitters = () =>
      sql`select update_id, act_as::text as act_as from devnet_ledger.update_log order by "offset"`;
    const stored = [...(await submitters())];
    assert.ok(stored.length > 0, "The ledger must have updates");
    await sql`alter table devnet_ledger.update_log drop column act_as`;
    const { pid } = fixture.ledger.endpoint;
    process.kill(pid, "SIGKILL");
    await untilReplaced(pid);
    assert.deepEqual([...(await submitters())], stored);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

test("LED-15 a restarted venue adopts the running ledger", async () => {
  const { pid } = fixture.ledger.endpoint;
  fixture.ledger.leave();
  await fixture.startAgain();
  assert.equal(fixture.ledger.endpoint.pid, pid);
});

test("LED-15 a ledger with other settings is replaced, not adopted", async () => {
  const { pid } = fixture.ledger.endpoint;
  fixture.ledger.leave();
  await fixture.startAgain({ latency: { minMs: 1, maxMs: 1, seed: 1 } });
  assert.notEqual(fixture.ledger.endpoint.pid, pid);
});

test("LED-16 the venue's database role cannot read the ledger's tables", async () => {
  const sql = openPostgres(fixture.database.options, "queries");
  try {
    const looking = sql.begin(async (tx) => {
      await tx`set local role rialto_venue`;
      await tx`select * from devnet_ledger.contract`;
    });
    await assert.rejects(looking, /permission denied for schema devnet_ledger/);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

test("LED-16 the admin API requires its own token", async () => {
  const { adminUrl } = fixture.ledger.endpoint;
  for (const authorization of ["", `Bearer ${await subject.token()}`]) {
    const response = await fetch(`${adminUrl}/devnet/v1/audit`, { headers: { authorization } });
    assert.equal(response.status, 401);
  }
});

test("LED-16 a disclosed contract that was changed is refused", async () => {
  const { operator } = subject.endpoint;
  const blob = Buffer.from(JSON.stringify({ contractId: "00", templateId: "#a:B:C", seal: "00" }));
  const { status, json } = await subject.call<Refusal>("POST", "/v2/commands/submit-and-wait", {
    commands: [{ CreateCommand: { templateId: "#a:B:C", createArguments: {} } }],
    commandId: randomUUID(),
    actAs: [operator],
    disclosedContracts: [{ createdEventBlob: blob.toString("base64") }],
  });
  assert.equal(status, 400);
  assert.equal(json?.code, "INVALID_DISCLOSED_CONTRACT");
});
