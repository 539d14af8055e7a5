// Runs the conformance cases of payments on a development ledger, or on the ledger at LEDGER_URL. Also tests requests
// of the participant's own protocol that the venue's client does not send.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fundCustody, payment, paymentCases } from "./payment-cases.ts";
import { Subject } from "./subject.ts";

const opened = Subject.open();

paymentCases(() => opened);

test("LED-9 an update is found by its id and by its offset", async () => {
  const subject = await opened;
  await fundCustody();
  const { custody } = subject.endpoint;
  const outcome = await subject.network.transfer(await payment(await subject.wallet(), "1"));
  assert.ok(outcome.kind === "committed");
  const value = { includeCreatedEventBlob: false };
  const cumulative = [{ identifierFilter: { WildcardFilter: { value } } }];
  const includeTransactions = {
    transactionShape: "TRANSACTION_SHAPE_LEDGER_EFFECTS",
    eventFormat: { verbose: false, filtersByParty: { [custody]: { cumulative } } },
  };
  const { updateId, offset } = outcome;
  for (const [path, key] of [
    ["update-by-id", { updateId }],
    ["update-by-offset", { offset }],
  ] as const) {
    const body = { ...key, updateFormat: { includeTransactions } };
    const { json } = await subject.call<{
      update: { Transaction: { value: { updateId: string; events: object[] } } };
    }>("POST", `/v2/updates/${path}`, body);
    const value = json?.update.Transaction.value;
    assert.equal(value?.updateId, updateId, path);
    const kinds = value?.events.flatMap((event) => Object.keys(event));
    assert.ok(kinds?.includes("ExercisedEvent"), path);
  }
});
