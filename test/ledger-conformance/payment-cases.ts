// Conformance cases for payments on a ledger, through the venue's own client: coins, transfers, preapprovals,
// deduplication, contention and update streams.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import type { TransferCommand } from "../../src/ports/ledger/ledger.ts";
import { type LedgerSubject, worded } from "./ledger-subject.ts";

/** The cases, each with its name. */
const cases: (readonly [name: string, run: () => Promise<void>])[] = [];
let subject: LedgerSubject;

function define(name: string, run: () => Promise<void>): void {
  cases.push([name, run]);
}

/** Defines a test for each case. All tests use one ledger. */
export function paymentCases(open: () => Promise<LedgerSubject>): void {
  before(async () => {
    subject = await open();
  });
  after(() => subject.close());
  for (const [name, run] of cases) test(name, run);
}

const units = (text: string) => parseLedgerAmount(text) ?? 0n;

/** Builds a payment from custody to `receiver`. */
export async function payment(receiver: string, amount: string): Promise<TransferCommand> {
  const { custody } = subject.network;
  return {
    ...(await subject.change("pay", [custody])),
    leg: await subject.leg(custody, receiver, "USDC", amount),
    reference: "conformance",
    isDirectOnly: false,
    requestedAtMs: Date.now() - 1_000,
    executeBeforeMs: Date.now() + 600_000,
  };
}

/** Creates more USDC for custody, so that it can pay. */
export async function fundCustody(amount = "100"): Promise<void> {
  const { control, network } = subject;
  assert.ok(control !== null, "the case needs a faucet: set LEDGER_ADMIN_URL");
  await control.tap(network.custody, "USDC", amount);
}

define("LED-6 a coin from the faucet is a holding of its owner", async () => {
  const party = await subject.wallet({ USDC: "12.5" });
  const [coin] = await subject.coins(party, "USDC");
  assert.equal(coin?.amount, units("12.5"));
  assert.equal(coin.owner, party);
  assert.equal(coin.isLocked, false);
});

define(
  "LED-6 a preapproved receiver gets a direct transfer, and the change is returned as one coin",
  async () => {
    await fundCustody();
    const receiver = await subject.wallet();
    const before = await subject.balance(subject.network.custody, "USDC");
    const outcome = await subject.network.transfer(await payment(receiver, "30.000001"));
    assert.equal(worded(outcome), "committed");
    assert.equal(await subject.balance(receiver, "USDC"), units("30.000001"));
    const after = await subject.balance(subject.network.custody, "USDC");
    assert.equal(before - after, units("30.000001"));
    assert.equal((await subject.coins(subject.network.custody, "USDC")).length, 1);
  },
);

define("LED-6 a transfer is self, direct, or an offer if the preapproval is gone", async () => {
  await fundCustody();
  const { custody } = subject.network;
  const receiver = await subject.wallet();
  const other = await subject.wallet();
  await subject.control?.preapproval(other, "DELETE");
  const legs = await Promise.all(
    [custody, receiver, other].map((to) => subject.leg(custody, to, "USDC", "1")),
  );
  assert.deepEqual(await subject.network.transferKinds(legs), ["self", "direct", "offer"]);
});

define("LED-6 without a preapproval a transfer is an offer that locks the coin", async () => {
  await fundCustody();
  const receiver = await subject.wallet();
  await subject.control?.preapproval(receiver, "DELETE");
  const outcome = await subject.network.transfer(await payment(receiver, "5"));
  assert.equal(worded(outcome), "committed");
  assert.equal(await subject.balance(receiver, "USDC"), 0n);
  const all = await subject.network.holdings(
    subject.network.custody,
    await subject.network.ledgerEnd(),
  );
  assert.ok(all.some(({ isLocked, amount }) => isLocked && amount === units("5")));
});

define("LED-6 a self-transfer merges coins", async () => {
  await fundCustody("1");
  await fundCustody("2");
  const { custody } = subject.network;
  const total = (await subject.coins(custody, "USDC")).reduce(
    (sum, { amount }) => sum + amount,
    0n,
  );
  const merge = await payment(custody, "1");
  const leg = { ...merge.leg, amount: total };
  assert.equal(worded(await subject.network.transfer({ ...merge, leg })), "committed");
  const coins = await subject.coins(custody, "USDC");
  assert.ok(coins.some(({ amount }) => amount === total));
  assert.ok(!coins.some(({ contractId }) => leg.inputs.includes(contractId)));
});

define("LED-7 repeating a change gives the same update", async () => {
  await fundCustody();
  const receiver = await subject.wallet();
  const first = await payment(receiver, "1");
  const committed = await subject.network.transfer(first);
  assert.equal(committed.kind, "committed");
  // Repeat the change with newly read inputs, as a caller would: there must still be only one payment.
  const again = { ...(await payment(receiver, "1")), ...keyOf(first), submissionId: randomUUID() };
  const repeated = await subject.network.transfer(again);
  assert.equal(repeated.kind, "committed");
  assert.equal(
    repeated.kind === "committed" && repeated.updateId,
    committed.kind === "committed" && committed.updateId,
  );
  assert.equal(await subject.balance(receiver, "USDC"), units("1"));
});

function keyOf({ commandId, actAs, dedupOffset }: TransferCommand) {
  return { commandId, actAs, dedupOffset };
}

define(
  "LED-7 a repeated change whose inputs are spent is refused for missing inputs, and a lookup finds the first one",
  async () => {
    await fundCustody();
    const receiver = await subject.wallet();
    const sent = await payment(receiver, "1");
    const committed = await subject.network.transfer(sent);
    const repeated = await subject.network.transfer({ ...sent, submissionId: randomUUID() });
    // A participant may check the inputs before it looks for duplicates. Either answer is allowed, but a second
    // payment is not.
    assert.ok(
      repeated.kind === "committed" ||
        (repeated.kind === "rejected" && repeated.action === "refresh-inputs"),
      worded(repeated),
    );
    const found = await subject.network.lookup(sent);
    assert.equal(found.kind, "committed");
    assert.equal(
      found.kind === "committed" && found.updateId,
      committed.kind === "committed" && committed.updateId,
    );
    assert.equal(await subject.balance(receiver, "USDC"), units("1"));
  },
);

define(
  "LED-7 a lookup reports a change that was never sent as absent up to the ledger's end",
  async () => {
    const change = await subject.change("never", [subject.network.operator]);
    const found = await subject.network.lookup(change);
    assert.equal(found.kind, "absent");
    assert.ok(found.kind === "absent" && found.searchedTo >= change.dedupOffset);
  },
);

define("LED-7 of two changes that spend one coin exactly one is committed", async () => {
  await fundCustody();
  const [a, b] = [await subject.wallet(), await subject.wallet()];
  const payments = [await payment(a, "1"), await payment(b, "1")];
  const outcomes = await Promise.all(payments.map((each) => subject.network.transfer(each)));
  const committed = outcomes.filter(({ kind }) => kind === "committed");
  assert.equal(committed.length, 1, outcomes.map(worded).join(", "));
  const [lost] = outcomes.filter(({ kind }) => kind !== "committed");
  assert.ok(lost?.kind === "rejected" && lost.action !== "stop", lost && worded(lost));
  const sum = (await subject.balance(a, "USDC")) + (await subject.balance(b, "USDC"));
  assert.equal(sum, units("1"));
});

define("LED-7 a coin cannot be spent twice", async () => {
  await fundCustody();
  const receiver = await subject.wallet();
  const first = await payment(receiver, "1");
  await subject.network.transfer(first);
  const second = { ...(await payment(receiver, "1")), leg: first.leg };
  const outcome = await subject.network.transfer(second);
  assert.ok(outcome.kind === "rejected" && outcome.action === "refresh-inputs", worded(outcome));
});

define("LED-7 a payment whose inputs hold less than its amount is finally refused", async () => {
  await fundCustody();
  const receiver = await subject.wallet();
  const sent = await payment(receiver, "1");
  // All coins of custody are inputs of the payment, including those it had before this test.
  const held = await subject.balance(subject.network.custody, "USDC");
  const leg = { ...sent.leg, amount: held + 1n };
  const outcome = await subject.network.transfer({ ...sent, leg });
  assert.ok(outcome.kind === "rejected" && outcome.action === "stop", worded(outcome));
});

define("LED-7 a payment after its deadline is finally refused", async () => {
  await fundCustody();
  const receiver = await subject.wallet();
  const sent = { ...(await payment(receiver, "1")), executeBeforeMs: Date.now() - 60_000 };
  const outcome = await subject.network.transfer(sent);
  assert.ok(outcome.kind === "rejected" && outcome.action === "stop", worded(outcome));
});

define("a payment that was requested by a clock ahead of the ledger's is made", async () => {
  await fundCustody();
  const receiver = await subject.wallet();
  const sent = { ...(await payment(receiver, "1")), requestedAtMs: Date.now() + 30_000 };
  assert.equal(worded(await subject.network.transfer(sent)), "committed");
});

define("LED-8 a party cannot pay with another party's coins", async () => {
  await fundCustody();
  const owner = await subject.wallet({ USDC: "5" });
  const sent = await payment(owner, "1");
  const foreign = await subject.coins(owner, "USDC");
  const leg = { ...sent.leg, inputs: foreign.map(({ contractId }) => contractId) };
  const outcome = await subject.network.transfer({ ...sent, leg });
  assert.equal(outcome.kind, "rejected");
  assert.equal(await subject.balance(owner, "USDC"), units("5"));
});

define(
  "LED-9 reading updates continues after the last page, and ends with a checkpoint",
  async () => {
    await fundCustody();
    const { custody } = subject.network;
    const from = await subject.network.ledgerEnd();
    const receiver = await subject.wallet();
    const updateIds: string[] = [];
    for (let count = 0; count < 3; count++) {
      const outcome = await subject.network.transfer(await payment(receiver, "1"));
      if (outcome.kind === "committed") updateIds.push(outcome.updateId);
    }
    const seen: string[] = [];
    let at = from;
    for (;;) {
      const page = await subject.network.updates(at, [custody]);
      seen.push(...page.updates.map(({ updateId }) => updateId));
      if (page.through === at) break;
      assert.ok(page.through > at);
      at = page.through;
    }
    assert.deepEqual(
      seen.filter((id) => updateIds.includes(id)),
      updateIds,
    );
    assert.ok(at >= (await subject.network.ledgerEnd()) - 1);
  },
);

define(
  "LED-9 updates are returned in the order of their offsets, however many are pending",
  async () => {
    await fundCustody();
    const { custody } = subject.network;
    const receiver = await subject.wallet();
    // Continue beyond offset 10, because offsets of one and of two digits sort differently as text.
    while ((await subject.network.ledgerEnd()) < 12)
      await subject.network.transfer(await payment(receiver, "1"));
    const { updates } = await subject.network.updates(0, [custody, receiver]);
    const offsets = updates.map(({ offset }) => offset);
    assert.ok(offsets.length > 2);
    assert.deepEqual(
      offsets,
      offsets.toSorted((a, b) => a - b),
    );
  },
);

define("LED-9 an update names what was created and what was archived", async () => {
  await fundCustody();
  const { custody } = subject.network;
  const receiver = await subject.wallet();
  const from = await subject.network.ledgerEnd();
  const sent = await payment(receiver, "1");
  const outcome = await subject.network.transfer(sent);
  const { updates } = await subject.network.updates(from, [custody, receiver]);
  const own = updates.find(
    ({ updateId }) => outcome.kind === "committed" && updateId === outcome.updateId,
  );
  assert.deepEqual(own?.archived.toSorted(), sent.leg.inputs.toSorted());
  const received = own?.holdings.filter(({ owner }) => owner === receiver);
  assert.deepEqual(
    received?.map(({ amount }) => amount),
    [units("1")],
  );
});

define(
  "an update names its command to the party that submitted it, and to no other party",
  async () => {
    await fundCustody();
    const { network } = subject;
    const receiver = await subject.wallet();
    const from = await network.ledgerEnd();
    const sent = await payment(receiver, "1");
    const outcome = await network.transfer(sent);
    const named = async (party: string) => {
      const { updates } = await network.updates(from, [party]);
      const isOwn = ({ updateId }: { updateId: string }) =>
        outcome.kind === "committed" && updateId === outcome.updateId;
      return updates.filter(isOwn).map(({ commandId }) => commandId);
    };
    assert.deepEqual(await named(network.custody), [sent.commandId]);
    assert.deepEqual(await named(receiver), [null]);
  },
);

define("LED-9 a party cannot see the coins of others", async () => {
  const [a, b] = [await subject.wallet({ USDC: "3" }), await subject.wallet()];
  const from = 0;
  const seen: string[] = [];
  for (let at = from; ; ) {
    const page = await subject.network.updates(at, [b]);
    seen.push(...page.updates.flatMap(({ holdings }) => holdings.map(({ owner }) => owner)));
    if (page.through === at) break;
    at = page.through;
  }
  assert.ok(!seen.includes(a));
});

define("LED-9 holdings at an earlier offset are those of that offset", async () => {
  const party = await subject.wallet({ USDC: "3" });
  const then = await subject.network.ledgerEnd();
  await subject.control?.spend(party, subject.network.custody, "USDC", "1");
  const before = await subject.network.holdings(party, then);
  assert.deepEqual(
    before.map(({ amount }) => amount),
    [units("3")],
  );
  assert.equal(await subject.balance(party, "USDC"), units("2"));
});
