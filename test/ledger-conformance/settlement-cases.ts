// Conformance cases for the venue's own contracts: what they allow and refuse. They cover MemberAuth with its
// counter, allocations with their executor, and the chain of epochs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseLedgerAmount } from "../../src/core/money/ledger-amount.ts";
import type {
  AllocateCommand,
  Allocation,
  BatchCommand,
  Outcome,
} from "../../src/ports/ledger/ledger.ts";
import { type LedgerSubject, type Member, worded } from "./ledger-subject.ts";

/** The cases, each with its name. */
const cases: (readonly [name: string, run: () => Promise<void>])[] = [];
let subject: LedgerSubject;

function define(name: string, run: () => Promise<void>): void {
  cases.push([name, run]);
}

/** Defines a test for each case. All tests use one ledger. */
export function settlementCases(open: () => Promise<LedgerSubject>): void {
  before(async () => {
    subject = await open();
  });
  after(() => subject.close());
  for (const [name, run] of cases) test(name, run);
}

const units = (text: string) => parseLedgerAmount(text) ?? 0n;

async function fundCustody(): Promise<void> {
  assert.ok(subject.control !== null, "the case needs a faucet: set LEDGER_ADMIN_URL");
  await subject.control.tap(subject.network.custody, "CC", "1000");
}

/** Builds a settlement batch in which the member pays 10 USDC to custody and gets 50 CC. */
async function exchange(member: Member, opNo: number): Promise<BatchCommand> {
  const { custody } = subject.network;
  const legs = [
    await subject.leg(member.party, custody, "USDC", "10"),
    await subject.leg(custody, member.party, "CC", "50"),
  ];
  return subject.batch([subject.operation(member, opNo)], legs);
}

function allocating(batch: BatchCommand): AllocateCommand {
  return { ...batch, allocateBeforeMs: Date.now() + 120_000 };
}

function allocationsOf(outcome: Outcome): Allocation[] {
  if (outcome.kind !== "committed") throw new Error(worded(outcome));
  return outcome.created
    .filter(({ templateId }) => templateId.endsWith(":Allocation"))
    .map(({ contractId, payload }) => {
      const { transferLeg } = payload["allocation"] as {
        transferLeg: { instrumentId: { admin: string } };
      };
      return { contractId, admin: transferLeg.instrumentId.admin };
    });
}

async function following(batch: BatchCommand, member: Member, opNo: number, phase: string) {
  const { operator, custody } = subject.network;
  const change = await subject.change(`stl:${batch.batchId}:1:${phase}`, [operator, custody]);
  const renewed = { party: member.party, authCid: await subject.authOf(member.party) };
  return { ...change, batchId: batch.batchId, members: [subject.operation(renewed, opNo)] };
}

define("LED-10 both legs of a batch settle in one transaction", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const outcome = await subject.network.settleDirect(await exchange(member, 1));
  assert.equal(worded(outcome), "committed");
  assert.equal(await subject.balance(member.party, "CC"), units("50"));
  assert.equal(await subject.balance(member.party, "USDC"), units("90"));
});

define("LED-10 two members pay each other under both authorities", async () => {
  const a = await subject.member({ USDC: "100" });
  const b = await subject.member({ CC: "100" });
  const legs = [
    await subject.leg(a.party, b.party, "USDC", "7"),
    await subject.leg(b.party, a.party, "CC", "9"),
  ];
  const batch = await subject.batch([subject.operation(a, 1), subject.operation(b, 1)], legs);
  assert.equal(worded(await subject.network.settleDirect(batch)), "committed");
  assert.equal(await subject.balance(a.party, "CC"), units("9"));
  assert.equal(await subject.balance(b.party, "USDC"), units("7"));
});

define(
  "LED-10 if one leg cannot complete, nothing settles, and the refusal requests the fallback",
  async () => {
    await fundCustody();
    const member = await subject.member({ USDC: "100" });
    await subject.control?.preapproval(member.party, "DELETE");
    const outcome = await subject.network.settleDirect(await exchange(member, 1));
    assert.ok(outcome.kind === "rejected" && outcome.action === "fallback", worded(outcome));
    assert.equal(await subject.balance(member.party, "USDC"), units("100"));
  },
);

define("LED-11 an operation number can be used once", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  assert.equal(worded(await subject.network.settleDirect(await exchange(member, 5))), "committed");
  const renewed = { party: member.party, authCid: await subject.authOf(member.party) };
  const outcome = await subject.network.settleDirect(await exchange(renewed, 5));
  assert.ok(outcome.kind === "rejected" && outcome.action === "stop", worded(outcome));
  const next = await subject.network.settleDirect(await exchange(renewed, 6));
  assert.equal(worded(next), "committed");
});

define("LED-11 after a fence an older operation can never be executed", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const { operator } = subject.network;
  const fence = await subject.network.fenceMember({
    ...(await subject.change("fence", [operator])),
    operation: subject.operation(member, 9),
  });
  assert.equal(worded(fence), "committed");
  const late = await subject.network.settleDirect(await exchange(member, 1));
  assert.ok(late.kind === "rejected" && late.action === "refresh-inputs", worded(late));
  const renewed = { party: member.party, authCid: await subject.authOf(member.party) };
  const again = await subject.network.settleDirect(await exchange(renewed, 9));
  assert.ok(again.kind === "rejected" && again.action === "stop", worded(again));
});

define("LED-12 a batch beyond the member's limit is refused", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" }, 5);
  const outcome = await subject.network.settleDirect(await exchange(member, 1));
  assert.ok(outcome.kind === "rejected" && outcome.action === "stop", worded(outcome));
  assert.equal(await subject.balance(member.party, "USDC"), units("100"));
});

define("LED-12 a member's authority cannot move coins of others", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const victim = await subject.wallet({ USDC: "100" });
  const leg = await subject.leg(victim, subject.network.custody, "USDC", "10");
  const batch = await subject.batch([subject.operation(member, 1)], [leg]);
  const outcome = await subject.network.settleDirect(batch);
  assert.equal(outcome.kind, "rejected");
  assert.equal(await subject.balance(victim, "USDC"), units("100"));
});

define(
  "LED-13 allocations lock every leg, and executing them settles all legs in one transaction",
  async () => {
    await fundCustody();
    const member = await subject.member({ USDC: "100" });
    await subject.control?.preapproval(member.party, "DELETE");
    const batch = allocating(await exchange(member, 1));
    const allocated = await subject.network.allocate(batch);
    assert.equal(worded(allocated), "committed");
    const allocations = allocationsOf(allocated);
    assert.equal(allocations.length, 2);
    assert.equal(await subject.balance(member.party, "CC"), 0n);
    const locked = (await subject.coins(member.party, "USDC")).reduce(
      (sum, c) => sum + c.amount,
      0n,
    );
    assert.equal(locked, units("90"));
    const execution = { ...(await following(batch, member, 2, "exec")), allocations };
    const executed = await subject.network.executeAllocations(execution);
    assert.equal(worded(executed), "committed");
    assert.equal(await subject.balance(member.party, "CC"), units("50"));
    assert.equal(await subject.balance(member.party, "USDC"), units("90"));
  },
);

define("LED-13 cancelled allocations return every coin", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const batch = allocating(await exchange(member, 1));
  const allocations = allocationsOf(await subject.network.allocate(batch));
  const cancel = { ...(await following(batch, member, 2, "cancel")), allocations };
  assert.equal(worded(await subject.network.cancelAllocations(cancel)), "committed");
  const free = (await subject.coins(member.party, "USDC")).reduce((sum, c) => sum + c.amount, 0n);
  assert.equal(free, units("100"));
  const execution = { ...(await following(batch, member, 3, "exec")), allocations };
  const executed = await subject.network.executeAllocations(execution);
  assert.equal(executed.kind, "rejected");
});

define("LED-13 each sender can withdraw only the coins that it locked itself", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const batch = allocating(await exchange(member, 1));
  const [first, second] = allocationsOf(await subject.network.allocate(batch));
  assert.ok(first !== undefined && second !== undefined);
  const taking = { ...(await following(batch, member, 2, "taking")), members: [] };
  const all = { ...taking, allocations: [first, second] };
  assert.equal((await subject.network.withdrawAllocations(all)).kind, "rejected");
  // Find the member's own allocation: it is the one that the ledger does not let custody withdraw.
  const own = [];
  for (const [index, allocation] of [first, second].entries()) {
    const change = await subject.change(`${taking.commandId}-${index}`, taking.actAs);
    const one = { ...taking, ...change, allocations: [allocation] };
    const outcome = await subject.network.withdrawAllocations(one);
    if (outcome.kind !== "committed") own.push(allocation);
  }
  assert.equal(own.length, 1);
  const byMember = { ...(await following(batch, member, 2, "own")), allocations: own };
  assert.equal(worded(await subject.network.withdrawAllocations(byMember)), "committed");
  const free = (await subject.coins(member.party, "USDC")).reduce((sum, c) => sum + c.amount, 0n);
  assert.equal(free, units("100"));
});

define("LED-13 an allocation can be executed once", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const batch = allocating(await exchange(member, 1));
  const allocations = allocationsOf(await subject.network.allocate(batch));
  const first = { ...(await following(batch, member, 2, "exec")), allocations };
  assert.equal(worded(await subject.network.executeAllocations(first)), "committed");
  const second = { ...(await following(batch, member, 3, "exec-again")), allocations };
  assert.equal((await subject.network.executeAllocations(second)).kind, "rejected");
  assert.equal(await subject.balance(member.party, "CC"), units("50"));
});

define("LED-13 allocations of one settlement cannot be executed for another", async () => {
  await fundCustody();
  const member = await subject.member({ USDC: "100" });
  const batch = allocating(await exchange(member, 1));
  const allocations = allocationsOf(await subject.network.allocate(batch));
  const other = {
    ...(await following(batch, member, 2, "exec")),
    allocations,
    batchId: "another",
  };
  assert.equal((await subject.network.executeAllocations(other)).kind, "rejected");
});

async function chain(nextEpoch: number): Promise<string> {
  const { operator } = subject.network;
  const change = await subject.change("chain", [operator]);
  const made = { venue: "conformance", nextEpoch, prevRoot: "00".repeat(32) };
  const outcome = await subject.network.openEpochChain({ ...change, ...made });
  if (outcome.kind !== "committed") throw new Error(worded(outcome));
  const [own] = outcome.created;
  return own?.contractId ?? "";
}

async function commitment(chainCid: string, epoch: number, prevRoot: string, root: string) {
  const { operator } = subject.network;
  const merkleRoot = "11".repeat(32);
  const header = { epoch: String(epoch), merkleRoot, prevRoot };
  const change = await subject.change(`epc:conformance:${epoch}`, [operator]);
  return subject.network.commitEpoch({ ...change, chainCid, header, root });
}

define("LED-14 epochs are committed one after another", async () => {
  const first = await chain(7);
  const outcome = await commitment(first, 7, "00".repeat(32), "22".repeat(32));
  assert.ok(outcome.kind === "committed", worded(outcome));
  const next = outcome.created.find(({ templateId }) => templateId.endsWith(":EpochChain"));
  assert.equal(next?.payload["nextEpoch"], "8");
  const second = await commitment(next.contractId, 8, "22".repeat(32), "33".repeat(32));
  assert.equal(worded(second), "committed");
});

define("LED-14 an epoch can neither be skipped nor committed on another root", async () => {
  const first = await chain(7);
  const skipped = await commitment(first, 8, "00".repeat(32), "22".repeat(32));
  assert.ok(skipped.kind === "rejected" && skipped.action === "stop", worded(skipped));
  const forked = await commitment(first, 7, "44".repeat(32), "22".repeat(32));
  assert.ok(forked.kind === "rejected" && forked.action === "stop", worded(forked));
});

define("LED-14 an epoch can be committed once", async () => {
  const first = await chain(7);
  await commitment(first, 7, "00".repeat(32), "22".repeat(32));
  const again = await commitment(first, 7, "00".repeat(32), "22".repeat(32));
  assert.ok(again.kind === "rejected" && again.action === "refresh-inputs", worded(again));
});
