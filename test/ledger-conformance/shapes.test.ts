// Proves that the ledger answers as the venue expects: the shapes of the used subset of JSON Ledger API v2, its
// tokens and its errors.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Refusal, Subject } from "./subject.ts";

let subject: Subject;

before(async () => {
  subject = await Subject.open();
});

after(() => subject.close());

function view(party: string) {
  const value = { includeCreatedEventBlob: false };
  const cumulative = [{ identifierFilter: { WildcardFilter: { value } } }];
  return { verbose: false, filtersByParty: { [party]: { cumulative } } };
}

test("LED-3 the probes can be read without a token", async () => {
  for (const path of ["/livez", "/readyz"]) {
    const response = await fetch(subject.endpoint.url + path);
    assert.equal(response.status, 200, path);
  }
});

test("LED-3 the ledger's version is 3.4 or newer", async () => {
  const { status, json } = await subject.call<{ version: string }>("GET", "/v2/version");
  assert.equal(status, 200);
  assert.match(json?.version ?? "", /^3\.([4-9]|\d\d)\./);
});

test("LED-3 the ledger's end is an offset", async () => {
  const { json } = await subject.call<{ offset: number }>("GET", "/v2/state/ledger-end");
  assert.ok(Number.isSafeInteger(json?.offset));
});

test("LED-3 the participant is connected to a synchronizer", async () => {
  const { json } = await subject.call<{
    connectedSynchronizers: { synchronizerId: string; permission: string }[];
  }>("GET", "/v2/state/connected-synchronizers");
  const first = json?.connectedSynchronizers[0];
  assert.match(first?.synchronizerId ?? "", /::1220[0-9a-f]{64}/);
  assert.match(first?.permission ?? "", /SUBMISSION/);
});

test("LED-3 the ledger reports the offsets that it has pruned", async () => {
  const { json } = await subject.call<{ participantPrunedUpToInclusive: number }>(
    "GET",
    "/v2/state/latest-pruned-offsets",
  );
  assert.ok((json?.participantPrunedUpToInclusive ?? -1) >= 0);
});

test("LED-3 the ledger reports the user of a token", async () => {
  const { status } = await subject.call("GET", "/v2/authenticated-user");
  assert.equal(status, 200);
});

test("LED-4 a request without a token is refused", async () => {
  const response = await fetch(`${subject.endpoint.url}/v2/state/ledger-end`);
  assert.equal(response.status, 401);
});

test("LED-4 a token with another signature is refused", async () => {
  const token = await subject.token();
  const forged = `${token.slice(0, -4)}${token.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  const { status } = await subject.call("GET", "/v2/state/ledger-end", undefined, forged);
  assert.equal(status, 401);
});

test("LED-5 a body that is not JSON is answered 400 in plain text", async () => {
  const { status, json } = await subject.call("POST", "/v2/commands/submit-and-wait", "{broken");
  assert.equal(status, 400);
  assert.equal(json, null);
});

test("LED-5 an error has code, category, cause and context", async () => {
  const { operator } = subject.endpoint;
  const body = {
    commands: [{ CreateCommand: { templateId: "#nobody-v1:No:Body", createArguments: {} } }],
    commandId: `shape-${Date.now()}`,
    actAs: [operator],
  };
  const { status, json } = await subject.call<Refusal>(
    "POST",
    "/v2/commands/submit-and-wait",
    body,
  );
  assert.ok(status >= 400 && status < 500);
  assert.equal(typeof json?.code, "string");
  assert.equal(typeof json?.cause, "string");
  assert.equal(typeof json?.errorCategory, "number");
  assert.equal(typeof json?.context, "object");
});

test("LED-5 a user cannot act as a party without the right to it", async () => {
  const stranger = `stranger::1220${"ab".repeat(32)}`;
  const body = {
    commands: [{ CreateCommand: { templateId: "#nobody-v1:No:Body", createArguments: {} } }],
    commandId: `stranger-${Date.now()}`,
    actAs: [stranger],
  };
  const { status } = await subject.call("POST", "/v2/commands/submit-and-wait", body);
  assert.ok(status === 403 || status === 404, String(status));
});

test("LED-5 a user cannot read as a party without the right to it", async () => {
  const stranger = `stranger::1220${"ab".repeat(32)}`;
  const activeAtOffset = await subject.network.ledgerEnd();
  const body = { activeAtOffset, eventFormat: view(stranger) };
  const { status } = await subject.call("POST", "/v2/state/active-contracts", body);
  assert.ok(status === 403 || status === 404, String(status));
});

test("LED-5 an offset after the ledger's end is refused", async () => {
  const activeAtOffset = (await subject.network.ledgerEnd()) + 1_000_000;
  const body = { activeAtOffset, eventFormat: view(subject.endpoint.operator) };
  const { status, json } = await subject.call<Refusal>("POST", "/v2/state/active-contracts", body);
  assert.equal(status, 400);
  assert.match(json?.code ?? "", /OFFSET/);
});

test("LED-5 a contract that was never created is not found", async () => {
  const { operator } = subject.endpoint;
  const contractId = `00${"0".repeat(64)}ca11${"0".repeat(40)}`;
  const body = { contractId, eventFormat: view(operator) };
  const { status } = await subject.call("POST", "/v2/events/events-by-contract-id", body);
  assert.equal(status, 404);
});

test("LED-3 the registry lists its instruments", async () => {
  const instruments = await subject.instruments();
  assert.ok(instruments.size > 0);
  for (const { admin } of instruments.values()) assert.match(admin, /::1220/);
});
