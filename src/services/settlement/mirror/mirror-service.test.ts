// The mirror changes only the account flags of settlement, not those that the operator sets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, AccountType } from "../../../core/accounts.ts";
import { createMirrorService } from "./mirror-service.ts";

test("SET-11 the mirror changes no freeze and no permission that the operator has set", async () => {
  const venue = new TestVenue();
  const account = venue.open(AccountType.wallet);
  const mirror = createMirrorService({
    clearing: { send: async (command) => venue.send(command) },
    table: venue.state.table,
    committedSeq: () => venue.state.seq,
    wasCredited: async () => false,
    releasesDone: async () => new Set(),
  });
  const { frozen, canWithdraw, enrolled, frozenBySettlement } = AccountFlag;
  const flags = () => venue.state.accounts.flagsOf(account);
  venue.setFlags(account, frozen | canWithdraw);
  await mirror.setMemberFlags(account, { isEnrolled: true, isFrozen: true });
  assert.equal(flags(), frozen | canWithdraw | enrolled | frozenBySettlement);
  await mirror.setMemberFlags(account, { isEnrolled: true, isFrozen: false });
  assert.equal(flags(), frozen | canWithdraw | enrolled);
  venue.setFlags(account, 0, frozen);
  await mirror.setMemberFlags(account, { isEnrolled: false, isFrozen: true });
  assert.equal(flags(), canWithdraw | frozenBySettlement);
  assert(venue.state.accounts.isFrozen(account));
});
