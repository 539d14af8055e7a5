// Proves that the venue's ledger client recognises each fault of the development ledger, and that a change is on the
// ledger once or not at all, whatever answer the client got.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import { trafficParameters } from "../../src/devnet/traffic-meter.ts";
import type { Outcome, TransferCommand } from "../../src/ports/ledger/ledger.ts";
import { worded } from "../ledger-conformance/ledger-subject.ts";
import { endpointOf, type Refusal, Subject } from "../ledger-conformance/subject.ts";
import { type DevnetControl, DevnetFixture } from "../support/ledger/devnet.ts";

const startMs = Date.UTC(2026, 0, 1);

let fixture: DevnetFixture;
let subject: Subject;
let control: DevnetControl;

before(async () => {
  fixture = await DevnetFixture.start({ manualClockMs: Date.now(), isTrafficLimited: true });
  subject = new Subject(endpointOf(fixture), async () => undefined);
  control = fixture.admin;
  await control.call("POST", "/devnet/v1/traffic/purchase", { bytes: 50_000_000 });
});

after(() => fixture.close());

async function payment(receiver: string): Promise<TransferCommand> {
  const { custody } = subject.endpoint;
  await control.tap(custody, "USDC", "10");
  return {
    ...(await subject.change("stl:fault", [custody])),
    leg: await subject.leg(custody, receiver, "USDC", "1"),
    reference: "fault",
    isDirectOnly: false,
    requestedAtMs: startMs,
    executeBeforeMs: Date.now() + 86_400_000,
  };
}

/** Sends a payment under a fault, and returns the payment with its outcome. */
async function under(effect: string, count = 1) {
  const receiver = await subject.wallet();
  const sent = await payment(receiver);
  await control.fault({ id: effect, effect, count, match: { commandIdPrefix: sent.commandId } });
  const outcome = await subject.network.transfer(sent);
  return { receiver, sent, outcome };
}

const one = parseLedgerAmount("1");

const told: readonly (readonly [effect: string, outcome: string, isCommitted: boolean])[] = [
  ["locked", "rejected same-payload LOCAL_VERDICT_LOCKED_CONTRACTS", false],
  ["inactive", "rejected refresh-inputs LOCAL_VERDICT_INACTIVE_CONTRACTS", false],
  ["timeout_before_commit", "unknown state-unknown", false],
  ["timeout_after_commit", "unknown state-unknown", true],
  ["drop_after_commit", "unknown transport", true],
  ["unavailable", "unknown unavailable", false],
  ["backpressure", "rejected same-payload SEQUENCER_BACKPRESSURE", false],
  ["no_traffic", "rejected wait-traffic SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", false],
  ["in_flight", "unknown in-flight", false],
  ["preapproval_missing", "rejected fallback DAML_FAILURE", false],
];

for (const [effect, outcome, isCommitted] of told) {
  test(`LED-17 the fault ${effect} is recognised as ${outcome}, and its change is on the ledger at most once`, async () => {
    const { receiver, sent, outcome: seen } = await under(effect);
    assert.equal(worded(seen), outcome);
    const found = await subject.network.lookup(sent);
    assert.equal(found.kind === "committed", isCommitted);
    const again = await repeated(sent, receiver);
    assert.equal(again.kind, "committed", worded(again));
    assert.equal(await subject.balance(receiver, "USDC"), one);
  });
}

/** Repeats a change as settlement does: with the same command id and newly read inputs. */
async function repeated(sent: TransferCommand, receiver: string): Promise<Outcome> {
  const inputs = await subject.coins(subject.endpoint.custody, "USDC");
  const leg = { ...sent.leg, receiver, inputs: inputs.map(({ contractId }) => contractId) };
  return subject.network.transfer({ ...sent, leg, submissionId: randomUUID() });
}

test("LED-17 an expired token is renewed once, and the caller does not notice", async () => {
  const { receiver, outcome } = await under("token_expired");
  assert.equal(worded(outcome), "committed");
  assert.equal(await subject.balance(receiver, "USDC"), one);
});

test("LED-17 a delayed change commits", async () => {
  const { outcome } = await under("delay");
  assert.equal(worded(outcome), "committed");
});

test("LED-17 a crash between lock and commit leaves neither a change nor a lock", async () => {
  const { pid } = fixture.ledger.endpoint;
  const { receiver, sent, outcome } = await under("crash_after_lock");
  assert.equal(outcome.kind, "unknown");
  while (fixture.ledger.endpoint.pid === pid || !(await subject.network.health()).isReady)
    await sleep(20);
  assert.equal((await subject.network.lookup(sent)).kind, "absent");
  assert.equal(worded(await repeated(sent, receiver)), "committed");
  assert.equal(await subject.balance(receiver, "USDC"), one);
});

test("LED-17 a stalled update stream returns nothing, and a repeated one returns an update twice", async () => {
  const { custody } = subject.endpoint;
  const from = await subject.network.ledgerEnd();
  await control.tap(custody, "CC", "1");
  await control.fault({ id: "stall", effect: "stream_stall", count: 1 });
  assert.deepEqual((await subject.network.updates(from, [custody])).updates, []);
  await control.fault({ id: "twice", effect: "stream_duplicate", count: 1 });
  const offsets = (await subject.network.updates(from, [custody])).updates.map(
    ({ offset }) => offset,
  );
  assert.deepEqual(offsets, [from + 1, from + 1]);
});

test("LED-18 a fault with a seed affects the same submissions again", async () => {
  const struck = async (): Promise<string[]> => {
    const { operator } = subject.endpoint;
    const match = { commandIdPrefix: "seeded" };
    await control.fault({ id: "seeded", effect: "backpressure", probability: 0.5, seed: 7, match });
    const codes: string[] = [];
    for (let count = 0; count < 12; count++) {
      const { json } = await subject.call<Refusal>("POST", "/v2/commands/submit-and-wait", {
        commands: [{ CreateCommand: { templateId: "#a:B:C", createArguments: {} } }],
        commandId: `seeded:${count}`,
        actAs: [operator],
      });
      codes.push(json?.code ?? "");
    }
    await control.call("DELETE", "/devnet/v1/faults/seeded");
    return codes;
  };
  const first = await struck();
  assert.deepEqual(await struck(), first);
  assert.equal(new Set(first).size, 2);
});

test("LED-18 a fault with an unknown effect is refused, and the answer lists the known effects", async () => {
  await assert.rejects(
    control.fault({ id: "x", effect: "earthquake" }),
    /expected locked, inactive/,
  );
});

/** A participant's traffic account: what it may still send, in bytes. */
interface Traffic {
  readonly baseRemaining: number;
  readonly extraPurchased: number;
  readonly extraConsumed: number;
}

test("LED-19 traffic is charged, refused when used up, and refills with time", async () => {
  const before = await control.call<Traffic>("GET", "/devnet/v1/traffic");
  const receiver = await subject.wallet();
  const outcome = await subject.network.transfer(await payment(receiver));
  assert.ok(outcome.kind === "committed" && (outcome.trafficCost ?? 0) > 1_000);
  const left = (state: Traffic) => state.baseRemaining + state.extraPurchased - state.extraConsumed;
  const after = await control.call<Traffic>("GET", "/devnet/v1/traffic");
  assert.ok(left(before) - left(after) >= (outcome.trafficCost ?? 0));
  await control.call("POST", "/devnet/v1/time/advance", { ms: trafficParameters.windowMs });
  const receiverAgain = await subject.wallet();
  await subject.network.transfer(await payment(receiverAgain));
  const refilled = await control.call<Traffic>("GET", "/devnet/v1/traffic");
  assert.ok(refilled.baseRemaining > trafficParameters.burstBytes / 2);
});

test("LED-19 every coin is accounted for after all faults", async () => {
  const audit = await control.audit();
  assert.equal(audit.isSound, true, JSON.stringify(audit));
  assert.equal(audit.gaps, 0);
});
