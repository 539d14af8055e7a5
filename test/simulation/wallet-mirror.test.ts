// The wallet mirror alone, over the simulated ledger: what it does about a member's authority.

import assert from "node:assert/strict";
import { test } from "node:test";
import { WalletMirror } from "../../src/services/settlement/wallet-mirror.ts";
import { quietLog } from "../support/quiet-log.ts";
import { SimulatedLedger } from "./simulated-ledger.ts";
import { SimulatedSettlement } from "./simulated-settlement.ts";

const [account, party] = [1003, "alice::1220"];

test("SET-1 a member that takes its authority back is invited again, each time", async () => {
  const ledger = new SimulatedLedger({ nowMs: () => 1_000, instruments: [] });
  const store = new SimulatedSettlement({ decimals: [6], newToken: () => "" });
  let ids = 0;
  const mirror = new WalletMirror({
    ...{ store, network: ledger, instruments: new Map(), log: quietLog, now: () => 1_000 },
    hostWallet: async () => ledger.host(party),
    desk: {
      committedSeq: () => 0,
      credit: async () => true,
      wasCredited: async () => false,
      setStanding: async () => undefined,
      cancelSpotOrders: async () => undefined,
    },
    newId: () => `id-${++ids}`,
  });
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
