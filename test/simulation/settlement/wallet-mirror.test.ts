// Tests the wallet mirror alone on the simulated ledger: it follows the member auths of wallets, retries wallets that
// it cannot read, and checks pending members in turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { WalletMirror } from "../../../src/services/settlement/mirror/wallet-mirror.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { SimulatedLedger } from "../ledger/simulated-ledger.ts";
import { SimulatedSettlement } from "./simulated-settlement.ts";

const [account, party] = [1003, "alice::1220"];

/** Opens a wallet mirror with its own ledger. */
function openMirror() {
  const ledger = new SimulatedLedger({ nowMs: () => 1_000, instruments: [] });
  const store = new SimulatedSettlement({ decimals: [6], newToken: () => "" });
  let [ids, nowMs] = [0, 1_000_000];
  const mirror = new WalletMirror({
    ...{ store, network: ledger, instruments: new Map(), log: quietLog, now: () => nowMs },
    hostWallet: async (member) => ledger.host(member),
    clearing: {
      committedSeq: () => 0,
      credit: async () => true,
      wasCredited: async () => false,
      setMemberFlags: async () => undefined,
      cancelSpotOrders: async () => undefined,
    },
    newId: () => `id-${++ids}`,
  });
  const passMs = (ms: number) => {
    nowMs += ms;
  };
  return { ledger, store, mirror, passMs };
}

test("SET-1 a member that revokes its authority is invited again each time", async () => {
  const { ledger, store, mirror } = openMirror();
  await mirror.add(account, party);
  const isMember = async () => (await store.members()).some(({ authCid }) => authCid !== null);
  for (let times = 0; times < 3; times++) {
    await mirror.enroll(false);
    ledger.accept(party);
    await mirror.enroll(false);
    assert.equal(await isMember(), true, `The member must be invited ${times + 1} times`);
    ledger.revoke(party);
    await mirror.enroll(false);
    assert.equal(await isMember(), false);
    // The party accepts and revokes before the mirror reads the ledger.
    ledger.accept(party);
    ledger.revoke(party);
  }
});

test("SET-1 a failed invitation counts as waiting, so that the next cycle follows soon", async () => {
  const { ledger, mirror } = openMirror();
  await mirror.add(account, party);
  const { propose } = ledger;
  ledger.propose = async () => ({ kind: "unknown", cause: "unavailable", message: "busy" });
  await mirror.enroll(true);
  assert.equal(mirror.hasWaiting, true);
  ledger.propose = propose;
  await mirror.enroll(true);
  assert.equal(mirror.hasWaiting, false);
});

test("WAL-6 WAL-8 a wallet that cannot be read is retried later, and other wallets become members meanwhile", async () => {
  const { ledger, store, mirror, passMs } = openMirror();
  const wallets = [account, account + 1].map((each) => ({
    account: each,
    party: `w${each}::1220`,
  }));
  const [unreadable] = wallets;
  store.unboundWallets = async (except) => {
    const bound = new Set((await store.members()).map((member) => member.account));
    return wallets.filter((each) => !bound.has(each.account) && !except.includes(each.account));
  };
  const { holdings } = ledger;
  let tries = 0;
  ledger.holdings = async (owner, at) => {
    if (owner !== unreadable?.party) return holdings.call(ledger, owner, at);
    tries++;
    throw new Error("more contracts than are read at once");
  };
  const members = async () => (await store.members()).map((member) => member.account);
  for (let cycles = 0; cycles < 40; cycles++) await mirror.enroll(true);
  assert.deepEqual([await members(), tries], [[account + 1], 1]);
  passMs(60_000);
  await mirror.enroll(true);
  assert.equal(tries, 2);
  ledger.holdings = holdings;
  passMs(60_000);
  await mirror.enroll(true);
  assert.deepEqual(new Set(await members()), new Set([account, account + 1]));
});

test("WAL-5 each cycle checks sixteen pending members, so later cycles check the rest", async () => {
  const { ledger, mirror } = openMirror();
  const pending = Array.from({ length: 40 }, (_, index) => `pending-${index}::1220`);
  for (const [index, each] of pending.entries()) await mirror.add(account + index, each);
  const looks: string[] = [];
  const contracts = ledger.contracts.bind(ledger);
  ledger.contracts = (member, templateId, at) => {
    if (templateId === ledger.templates.memberAuth) looks.push(member);
    return contracts(member, templateId, at);
  };
  for (const cycle of [1, 2, 3]) {
    await mirror.enroll(cycle > 1);
    assert.equal(looks.length, 16 * cycle);
  }
  assert.deepEqual(new Set(looks), new Set(pending));
});
