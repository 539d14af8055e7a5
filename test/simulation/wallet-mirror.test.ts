// The wallet mirror alone, over the simulated ledger: what it does about members' authority.

import assert from "node:assert/strict";
import { test } from "node:test";
import { WalletMirror } from "../../src/services/settlement/wallet-mirror.ts";
import { quietLog } from "../support/quiet-log.ts";
import { SimulatedLedger } from "./simulated-ledger.ts";
import { SimulatedSettlement } from "./simulated-settlement.ts";

const [account, party] = [1003, "alice::1220"];

/** A mirror over a ledger of its own. */
function openMirror() {
  const ledger = new SimulatedLedger({ nowMs: () => 1_000, instruments: [] });
  const store = new SimulatedSettlement({ decimals: [6], newToken: () => "" });
  let ids = 0;
  const mirror = new WalletMirror({
    ...{ store, network: ledger, instruments: new Map(), log: quietLog, now: () => 1_000 },
    hostWallet: async (member) => ledger.host(member),
    desk: {
      committedSeq: () => 0,
      credit: async () => true,
      wasCredited: async () => false,
      setStanding: async () => undefined,
      cancelSpotOrders: async () => undefined,
    },
    newId: () => `id-${++ids}`,
  });
  return { ledger, store, mirror };
}

test("SET-1 a member that takes its authority back is invited again, each time", async () => {
  const { ledger, store, mirror } = openMirror();
  await mirror.add(account, party);
  const isMember = async () => (await store.members()).some(({ authCid }) => authCid !== null);
  for (let times = 0; times < 3; times++) {
    await mirror.enroll(false);
    ledger.accept(party);
    await mirror.enroll(false);
    assert.equal(await isMember(), true, `invited ${times + 1} times`);
    ledger.revoke(party);
    await mirror.enroll(false);
    assert.equal(await isMember(), false);
    // Accepted and taken back before anybody looks.
    ledger.accept(party);
    ledger.revoke(party);
  }
});

test("WAL-5 a beat looks at sixteen who have not accepted, in turn, and at nobody for long", async () => {
  const { ledger, mirror } = openMirror();
  const pending = Array.from({ length: 40 }, (_, place) => `pending-${place}::1220`);
  for (const [place, each] of pending.entries()) await mirror.add(account + place, each);
  const looks: string[] = [];
  const contracts = ledger.contracts.bind(ledger);
  ledger.contracts = (member, templateId, at) => {
    if (templateId === ledger.templates.memberAuth) looks.push(member);
    return contracts(member, templateId, at);
  };
  for (const beat of [1, 2, 3]) {
    await mirror.enroll(beat > 1);
    assert.equal(looks.length, 16 * beat);
  }
  assert.deepEqual(new Set(looks), new Set(pending));
});
