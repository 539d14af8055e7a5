// Proves that a member is frozen exactly while it is short of coins, wherever a comparison breaks off: at each call to
// the tables or to clearing, before and after its effect. After each break the mirror starts anew, as after a crash, or
// goes on in the same process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountFlag, AccountType } from "../../../src/core/accounts.ts";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import type { ClearingClient } from "../../../src/ports/clearing-client.ts";
import { MirrorBalance } from "../../../src/services/settlement/mirror/mirror-balance.ts";
import { createMirrorService } from "../../../src/services/settlement/mirror/mirror-service.ts";
import { TestVenue } from "../../support/machine/test-venue.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { SimulatedSettlement } from "./simulated-settlement.ts";

const party = "alice::1220";
const coin = { contractId: "coin", party, asset: 0, amount: 100n * 10n ** 4n, isLocked: false };
const nothing = { created: [], locked: [], archived: [], confirmed: [], paid: [] };

/** Opens a member whose only coin was credited to it, and which has spent that credit. */
async function openMember() {
  const venue = new TestVenue();
  const account = venue.open(AccountType.wallet);
  const store = new SimulatedSettlement({ decimals: [6], newToken: () => "" });
  await store.addMember(account, party, []);
  await store.setAuth(account, "auth");
  const credit = { account, asset: 0, amount: 100n, seqBefore: 0 };
  await store.finishCredit(await store.prepareCredit(credit), true);
  const clearing = mirrorServiceOf(venue, async (command) => venue.send(command));
  await clearing.setMemberFlags(account, { isEnrolled: true, isFrozen: false });
  let offset = 0;
  const setCoin = async (isThere: boolean) => {
    offset += 1;
    const change = isThere ? { created: [coin] } : { archived: [coin.contractId] };
    await store.advance({ ...nothing, ...change, through: offset });
  };
  const isFrozen = () => venue.state.accounts.has(account, AccountFlag.frozenBySettlement);
  return { venue, store, clearing, setCoin, isFrozen };
}

function mirrorServiceOf(venue: TestVenue, send: ClearingClient["send"]) {
  return createMirrorService({
    clearing: { send },
    table: venue.state.table,
    committedSeq: () => venue.state.seq,
    // A debit of a member without free money is never booked.
    wasCredited: async () => false,
    releasesDone: async () => new Set(),
  });
}

type Member = Awaited<ReturnType<typeof openMember>>;

class Broken extends Error {}

interface Break {
  readonly when: "before" | "after";
  /** Calls that are left until one breaks off. */
  left: number;
}

/** Wraps the calls of `whole`, so that the one that `at` counts down to fails before or after its effect. */
function breaking<T extends object>(whole: T, at: Break): T {
  return new Proxy(whole, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      // Reading the committed seq is no call: it reads the memory of the process.
      if (typeof method !== "function" || name === "committedSeq") return method;
      return (...given: readonly unknown[]) => {
        const isBroken = at.left === 0;
        at.left -= 1;
        if (isBroken && at.when === "before") throw new Broken();
        const result: unknown = Reflect.apply(method, target, given);
        if (!isBroken) return result;
        return Promise.resolve(result).then(() => {
          throw new Broken();
        });
      };
    },
  });
}

/** Compares once; returns whether the comparison broke off. */
async function compares({ store }: Member, balance: MirrorBalance): Promise<boolean> {
  try {
    await balance.compare(await store.members());
    return false;
  } catch (error) {
    assert.ok(error instanceof Broken, String(error));
    return true;
  }
}

/** Makes the mirror of a member, whose calls break off at `at`. */
function mirrorOf({ store, clearing }: Member, at: Break): MirrorBalance {
  const parts = { store: breaking(store, at), clearing: breaking(clearing, at) };
  return new MirrorBalance({ ...parts, log: quietLog });
}

/** Proves one row of the table; `isOne`: all comparisons of a member run in one process. */
async function proves(row: {
  readonly when: Break["when"];
  readonly isShort: boolean;
  readonly endsShort: boolean;
  readonly isOne: boolean;
}): Promise<void> {
  const { when, isShort, endsShort, isOne } = row;
  let breaks = 0;
  for (let left = 0; ; left++) {
    const member = await openMember();
    const at: Break = { when, left: Number.POSITIVE_INFINITY };
    const one = mirrorOf(member, at);
    const comparesNow = () => compares(member, isOne ? one : mirrorOf(member, at));
    await member.setCoin(isShort);
    await comparesNow();
    assert.equal(member.isFrozen(), !isShort);
    await member.setCoin(!isShort);
    at.left = left;
    if (!(await comparesNow())) break;
    at.left = Number.POSITIVE_INFINITY;
    breaks += 1;
    await member.setCoin(!endsShort);
    await comparesNow();
    const what = `after a break at call ${left + 1}`;
    assert.equal(member.isFrozen(), endsShort, what);
    const [stored] = await member.store.members();
    assert.equal(stored?.isFrozen, endsShort, what);
  }
  assert.ok(breaks > 3, "Breaks must have come at several calls");
}

for (const when of ["before", "after"] as const) {
  for (const isShort of [true, false]) {
    for (const endsShort of [true, false]) {
      const from = isShort ? "becomes short" : "gets its coins back";
      const to = endsShort ? "then is short" : "then has its coins";
      for (const isOne of [true, false]) {
        const where = isOne ? "in one process" : "with restarts";
        test(`SET-7 SET-21 a member that ${from} while a call breaks off ${when} its effect, and ${to}, is frozen accordingly ${where}`, () =>
          proves({ when, isShort, endsShort, isOne }));
      }
    }
  }
}

test("SET-21 a member that owes a failed batch is told once, and its orders are cancelled once, although that broke off", async () => {
  const member = await openMember();
  const { venue, store } = member;
  const [account] = (await store.members()).map((each) => each.account);
  assert.ok(account !== undefined);
  let isOwing = true;
  store.failedAccounts = async () => (isOwing ? [account] : []);
  let sent: CommandKind[] = [];
  let breaks = true;
  const clearing = mirrorServiceOf(venue, async (command) => {
    if (breaks && command.kind === CommandKind.cancelAllOrders) throw new Broken();
    sent.push(command.kind);
    return venue.send(command);
  });
  await member.setCoin(true);
  const balance = new MirrorBalance({ store, clearing, log: quietLog });
  const sends = async () => {
    sent = [];
    const isBroken = await compares(member, balance);
    return { isBroken, kinds: [...new Set(sent)] };
  };
  const { setAccountFlags, cancelAllOrders } = CommandKind;
  const whole = { isBroken: false, kinds: [setAccountFlags, cancelAllOrders] };
  assert.deepEqual(await sends(), { isBroken: true, kinds: [setAccountFlags] });
  breaks = false;
  assert.deepEqual(await sends(), whole);
  assert.deepEqual(await sends(), { isBroken: false, kinds: [] });
  isOwing = false;
  assert.deepEqual(await sends(), { isBroken: false, kinds: [setAccountFlags] });
  isOwing = true;
  assert.deepEqual(await sends(), whole);
});

test("SET-21 a debit that clearing read too late neither freezes a member nor cancels its orders", async () => {
  const member = await openMember();
  const { venue, store } = member;
  const sent: CommandKind[] = [];
  const late = mirrorServiceOf(venue, async (command) => {
    sent.push(command.kind);
    return venue.send({ ...command, deadlineUs: venue.nowUs - 1 });
  });
  await member.setCoin(false);
  const balance = new MirrorBalance({ store, clearing: late, log: quietLog });
  // The operator reads in the log what became of the command.
  const busy = { name: "ClearingBusy", message: /it did not execute a command$/ };
  await assert.rejects(balance.compare(await store.members()), busy);
  assert.deepEqual(sent, [CommandKind.credit]);
  await member.setCoin(true);
  await compares(member, new MirrorBalance({ ...member, log: quietLog }));
  assert.equal(member.isFrozen(), false);
  assert.deepEqual(await store.openCredits(), []);
});
