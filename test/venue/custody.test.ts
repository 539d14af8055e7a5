// Proves deposits and withdrawals on a whole venue with a development ledger as a second process: what a user sees,
// what the ledger has afterwards, and that crashes and lost answers never move money twice.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { withdrawalsPerAccountMax } from "../../src/core/limits.ts";
import type { NativeAnswer, NativeClient } from "../support/client/native-client.ts";
import { freeOf, LedgerVenue, until, untilEqual } from "../support/venue/ledger-venue.ts";

let venue: LedgerVenue;
let payer: string;
let custody: string;

before(async () => {
  venue = await LedgerVenue.open();
  payer = await party("payer");
  ({ custody } = await venue.place());
  const control = await venue.control();
  for (const asset of ["USDC", "CC"]) await control.tap(payer, asset, "100000");
});
after(() => venue.close());

/** Creates a party whose wallet the ledger manages; returns its id. */
async function party(hint: string): Promise<string> {
  const id = `${hint}::1220${randomBytes(32).toString("hex")}`;
  await (await venue.control()).host(id);
  return id;
}

/** Creates a user with USDC in the spot wallet. */
async function funded(amount = "1000"): Promise<NativeClient> {
  const user = await venue.user();
  await user.post("/v1/deposits/seed", { asset: "USDC", amount, wallet: "spot" });
  return user;
}

async function pay(amount: string, reference: string, asset = "USDC"): Promise<void> {
  await (await venue.control()).spend(payer, custody, asset, amount, reference);
}

async function deposits(user: NativeClient) {
  return (await user.get("/v1/deposits")).json.items as {
    amount: string;
    status: string;
    update_id: string;
  }[];
}

async function untilCredited(user: NativeClient, count: number): Promise<void> {
  await until(async () => {
    const rows = await deposits(user);
    return rows.length >= count && rows.every(({ status }) => status !== "pending");
  });
}

/**
 * Sets a column of custody_places to `value` and locks the table while `work` runs. Then waits until the venue has
 * replaced the value.
 */
async function whilePlaced(
  column: "registry" | "quoted_ms",
  value: string | number,
  work: () => Promise<void>,
): Promise<void> {
  const { sql } = venue.fixture.venue.database;
  await until(async () => {
    await sql`update custody_places set ${sql.identifier(column)} = ${value}`;
    return sql.begin(async (holding) => {
      await holding`lock table custody_places in exclusive mode`;
      const others =
        await holding`select 1 from custody_places where ${sql.identifier(column)} <> ${value}`;
      if (others.length > 0) return false;
      await work();
      return true;
    });
  });
  await until(async () => {
    const left = await sql`select 1 from custody_places where ${sql.identifier(column)} = ${value}`;
    return left.length === 0;
  });
}

interface WithdrawalRequest {
  readonly amount?: string;
  readonly destination: string;
  readonly key: string;
  readonly asset?: string;
}

function withdraw(user: NativeClient, request: WithdrawalRequest): Promise<NativeAnswer> {
  const { amount = "100", destination, key, asset = "USDC" } = request;
  return user.post("/v1/withdrawals", { asset, amount, destination, idempotency_key: key });
}

async function untilEnded(user: NativeClient, id: string): Promise<string> {
  let status = "";
  await until(async () => {
    ({ status } = (await user.get(`/v1/withdrawals/${id}`)).json);
    return status === "completed" || status === "failed";
  });
  return status;
}

/** Returns the number of withdrawals in the ledger's own log. */
async function payments(): Promise<number> {
  const { sql } = venue.fixture.venue.database;
  const [row] = await sql<{ count: string }[]>`
    select count(*)::text as count from devnet_ledger.update_log where command_id like 'wdr:%'`;
  return Number(row?.count);
}

test("DEP-1 DEP-2 a payment with the account's reference is credited once to the funding wallet", async () => {
  const user = await venue.user();
  const { json } = await user.get("/v1/deposits/address?asset=USDC");
  assert.equal(json.party_id, custody);
  await pay("12.3456789", json.reference);
  await untilCredited(user, 1);
  const [row] = await deposits(user);
  assert.deepEqual(
    [row?.amount, row?.status],
    ["12.345678", "credited"],
    "The amount must be rounded down",
  );
  assert.match(row?.update_id ?? "", /^1220[0-9a-f]{64}$/);
  assert.equal(await freeOf(user, "funding", "USDC"), 12.345678);
  for (const amount of ["1", "2", "3"]) await pay(amount, json.reference.toLowerCase());
  await venue.crashAndRestart();
  const again = venue.relogin(user);
  await untilCredited(again, 4);
  assert.equal(await freeOf(again, "funding", "USDC"), 18.345678);
  assert.equal((await again.get("/v1/deposits?limit=1")).json.items.length, 1);
});

test("DEP-3 ACC-30 a payment without a known reference, or too small, is kept and not credited", async () => {
  const user = await venue.user();
  const { reference, minimum } = (await user.get("/v1/deposits/address?asset=USDC")).json;
  assert.equal(minimum, "1.000000");
  await pay("5", "");
  await pay("5", "R-1001-00");
  const closed = await venue.closedReference();
  await pay("5", closed);
  await pay("0.5", reference);
  await pay("7", reference);
  await untilCredited(user, 2);
  assert.deepEqual(
    (await deposits(user)).map(({ amount, status }) => [amount, status]),
    [
      ["7.000000", "credited"],
      ["0.500000", "below_minimum"],
    ],
  );
  assert.equal(await freeOf(user, "funding", "USDC"), 7);
  const { sql } = venue.fixture.venue.database;
  const [row] = await sql<{ count: string }[]>`
    select count(*)::text as count from deposits
    where state = 3 and account is null and coalesce(reference, '') in ('', 'R-1001-00', ${closed})`;
  assert.equal(Number(row?.count), 3);
  const unknown = await user.get("/v1/deposits/address?asset=XRP");
  assert.deepEqual([unknown.status, unknown.json], [400, { error: "unknown asset" }]);
});

interface Kept {
  readonly deposit_id: number;
  readonly amount: string;
  readonly status: string;
  readonly sender: string;
  readonly returned_by: string;
}

/** Returns a deposit as the operator sees it. */
async function kept(id: number): Promise<Kept | undefined> {
  const rows = (await venue.fixture.operator.custody.listDeposits(true)) as Kept[];
  return rows.find((row) => row.deposit_id === id);
}

/** Pays custody without a reference, so that no account gets the money; returns the deposit's number once it exists. */
async function payNobody(amount: string, from = payer): Promise<number> {
  await (await venue.control()).spend(from, custody, "USDC", amount, "");
  let id = 0;
  await until(async () => {
    const rows = (await venue.fixture.operator.custody.listDeposits(false)) as Kept[];
    const own = rows.find((row) => Number(row.amount) === Number(amount));
    id = own?.deposit_id ?? 0;
    return id > 0 && own?.status === "unclaimed";
  });
  return id;
}

test("DEP-4 the operator can credit an unassigned deposit to an account, once", async () => {
  const user = await venue.user();
  const { custody } = venue.fixture.operator;
  const id = await payNobody("21.5");
  const { sql } = venue.fixture.venue.database;
  const fingerprint = user.partyId.split("::1220")[1] ?? "";
  const [row] = await sql<{ account: number }[]>`
    select account from wallet_users where fingerprint = ${fingerprint}`;
  const account = row?.account ?? 0;
  await assert.rejects(custody.creditDeposit(id, 999_999), /no customer account 999999/);
  await assert.rejects(custody.creditDeposit(id, 1), /no customer account 1/);
  await custody.creditDeposit(id, account);
  await assert.rejects(
    custody.creditDeposit(id, account),
    /does not exist, or is already credited/,
  );
  await assert.rejects(custody.returnDeposit(id), /does not exist, or is already credited/);
  await untilCredited(user, 1);
  assert.equal(await freeOf(user, "funding", "USDC"), 21.5);
  assert.equal(await kept(id), undefined);
  const [newest] = (await custody.audit()) as { action: string; subject: string; detail: string }[];
  assert.deepEqual(
    [newest?.action, newest?.subject, newest?.detail],
    ["credit", `${id}`, `to account ${account}`],
  );
});

test("DEP-5 an unassigned deposit is returned to its sender once, despite lost answers and a kill", async () => {
  const { custody } = venue.fixture.operator;
  const control = await venue.control();
  const had = await venue.held(payer, "USDC");
  const ids = [await payNobody("31.2345678901"), await payNobody("32"), await payNobody("33")];
  const match = { commandIdPrefix: "ret:" };
  await control.fault({ id: "lost", effect: "drop_after_commit", match, count: 1 });
  await control.fault({ id: "slow", effect: "delay", ms: 200, match });
  for (const id of ids) await custody.returnDeposit(id);
  await venue.crashAndRestart();
  await (await venue.control()).call("DELETE", "/devnet/v1/faults/slow");
  for (const id of ids) await until(async () => (await kept(id))?.status === "returned");
  assert.match((await kept(ids[0] ?? 0))?.returned_by ?? "", /^1220[0-9a-f]{64}$/);
  assert.equal(await venue.held(payer, "USDC"), had);
  const { sql } = venue.fixture.venue.database;
  const [row] = await sql<{ count: string }[]>`
    select count(*)::text as count from devnet_ledger.update_log where command_id like 'ret:%'`;
  assert.equal(Number(row?.count), ids.length);
});

test("DEP-5 a deposit that cannot be returned stays unassigned, and may be returned once it can", async () => {
  const { custody } = venue.fixture.operator;
  const sender = await party("shy");
  const control = await venue.control();
  await control.tap(sender, "USDC", "50");
  const id = await payNobody("41", sender);
  await control.preapproval(sender, "DELETE");
  await custody.returnDeposit(id);
  await until(async () => (await kept(id))?.status === "unclaimed");
  assert.equal(await venue.held(sender, "USDC"), 9);
  await control.preapproval(sender, "POST");
  await custody.returnDeposit(id);
  await until(async () => (await kept(id))?.status === "returned");
  assert.equal(await venue.held(sender, "USDC"), 50);
});

test("DEP-6 the operator changes the terms, within their limits", async () => {
  const { custody } = venue.fixture.operator;
  const before = (await custody.showTerms()) as { asset: string; withdrawal_fee: string }[];
  const changed = await custody.setTerms({ asset: "cbtc", withdrawalFee: "0.00000123" });
  assert.deepEqual(changed, {
    asset: "CBTC",
    deposit_min: "0.00001000",
    withdrawal_min: "0.00003000",
    withdrawal_fee: "0.00000123",
  });
  const refused = (more: object, message: RegExp) =>
    assert.rejects(custody.setTerms({ asset: "CBTC", ...more }), message);
  await refused({}, /^OperatorRefusal: give at least one term$/);
  await refused({ asset: "XRP" }, /no asset XRP/);
  await refused({ depositMin: "0" }, /deposit-min must be above 0/);
  await refused({ withdrawalFee: "1" }, /withdrawal-min must be above withdrawal-fee/);
  await refused({ withdrawalMin: "-1" }, /withdrawal-min: -1 is not an amount of CBTC/);
  const after = (await custody.showTerms()) as { asset: string; withdrawal_fee: string }[];
  assert.deepEqual(
    after.filter(({ asset }) => asset !== "CBTC"),
    before.filter(({ asset }) => asset !== "CBTC"),
  );
  const [newest] = (await custody.audit()) as { action: string; subject: string }[];
  assert.deepEqual([newest?.action, newest?.subject], ["terms", "CBTC"]);
});

test("WDR-1 WDR-9 WDR-3 a withdrawal is paid on the ledger, less its fee, once per idempotency key", async () => {
  const user = await funded();
  const destination = await party("home");
  const request = { destination, key: "rent" };
  const first = await withdraw(user, request);
  assert.equal(first.status, 200, first.text);
  assert.ok(["requested", "processing", "completed"].includes(first.json.status));
  assert.deepEqual([first.json.amount, first.json.fee], ["100.000000", "0.500000"]);
  assert.equal(await freeOf(user, "spot", "USDC"), 900);
  assert.equal(await untilEnded(user, first.json.withdrawal_id), "completed");
  assert.equal(await venue.held(destination, "USDC"), 99.5);
  const again = await withdraw(user, request);
  assert.equal(again.json.withdrawal_id, first.json.withdrawal_id);
  assert.match(again.json.update_id, /^1220[0-9a-f]{64}$/);
  const other = await withdraw(user, { ...request, amount: "101" });
  const message = "idempotency_key was used for another withdrawal";
  assert.deepEqual([other.status, other.text], [502, message]);
  const many = await Promise.all(
    Array.from({ length: 5 }, () => withdraw(user, { destination, key: "many", amount: "10" })),
  );
  assert.equal(new Set(many.map(({ json }) => json?.withdrawal_id)).size, 1);
  await untilEnded(user, many[0]?.json.withdrawal_id);
  assert.equal(await venue.held(destination, "USDC"), 109);
  const list = await user.get("/v1/withdrawals");
  assert.equal(list.json.items.length, 2);
  const stranger = await venue.user();
  const hidden = await stranger.get(`/v1/withdrawals/${first.json.withdrawal_id}`);
  assert.deepEqual([hidden.status, hidden.text], [404, "withdrawal not found"]);
});

test("WDR-4 an impossible withdrawal is refused with the field's name, and nothing moves", async () => {
  const user = await funded();
  const destination = await party("home");
  const refused = async (more: Partial<WithdrawalRequest>, status: number, message: string) => {
    const answer = await withdraw(user, { destination, key: `k${Math.random()}`, ...more });
    assert.deepEqual([answer.status, answer.text], [status, message]);
    assert.equal(answer.type, "text/plain; charset=utf-8");
  };
  await refused({ amount: "1000.01" }, 409, "insufficient spot balance");
  await refused({ amount: "1.99" }, 400, "amount must be at least 2.000000");
  await refused({ amount: "-5" }, 400, "amount must be a positive decimal with at most 6 decimals");
  await refused({ asset: "XRP" }, 400, "unknown asset");
  const form = "destination must be the id of another party on the ledger";
  await refused({ destination: "bob" }, 400, form);
  await refused({ destination: custody }, 400, form);
  await refused({ key: "" }, 400, "idempotency_key must be 1 to 64 printable characters");
  const unable = `nobody::1220${"0".repeat(64)}`;
  const message = "the destination has not preapproved payments of this asset";
  await refused({ destination: unable }, 409, message);
  assert.equal(await freeOf(user, "spot", "USDC"), 1000);
  const member = await venue.user();
  await member.post("/v1/wallet/enroll");
  const wallet = await withdraw(member, { destination, key: "w" });
  const disabled = "wallet-funded account: spot withdrawals are disabled";
  assert.deepEqual([wallet.status, wallet.text], [403, disabled]);
});

test("WDR-2 an account has at most twenty withdrawals in flight", async () => {
  const user = await funded();
  const destination = await party("home");
  const control = await venue.control();
  const match = { commandIdPrefix: "wdr:" };
  await control.fault({ id: "hold", effect: "backpressure", match });
  const ids: string[] = [];
  for (let count = 0; count < withdrawalsPerAccountMax; count++) {
    const { status, json } = await withdraw(user, { destination, key: `m${count}`, amount: "10" });
    assert.equal(status, 200);
    ids.push(json.withdrawal_id);
  }
  const more = await withdraw(user, { destination, key: "more", amount: "10" });
  assert.deepEqual([more.status, more.text], [409, "too many withdrawals in progress"]);
  await control.call("DELETE", "/devnet/v1/faults/hold");
  for (const id of ids) assert.equal(await untilEnded(user, id), "completed");
  assert.equal(await freeOf(user, "spot", "USDC"), 1000 - 10 * withdrawalsPerAccountMax);
});

test("WDR-4 an unexpected answer of a registry about a destination is reported as such", async () => {
  const user = await funded();
  const destination = await party("home");
  /** The registry's answer to every request. Later the test sets answers that no registry would give. */
  let answer = { status: 404, text: '{"error":"no such party"}' };
  const registry = createServer((_, response) =>
    response.writeHead(answer.status).end(answer.text),
  );
  const port = await new Promise<number>((resolve) => {
    registry.listen(0, "127.0.0.1", () => resolve((registry.address() as AddressInfo).port));
  });
  const told = async (key: string, status: number, text: string): Promise<void> => {
    await whilePlaced("registry", `http://127.0.0.1:${port}`, async () => {
      const { status: answered, text: message } = await withdraw(user, { destination, key });
      assert.deepEqual([answered, message], [status, text]);
    });
  };
  await told("nobody", 409, "the destination is not a party on the ledger");
  answer = { status: 200, text: "<html>Welcome</html>" };
  await told("page", 502, "unexpected answer from the ledger bridge");
  registry.close();
  assert.equal(await freeOf(user, "spot", "USDC"), 1000);
});

test("WDR-5 a payment whose answer is lost is found, and made once", async () => {
  const control = await venue.control();
  const user = await funded();
  const destination = await party("home");
  const before = await payments();
  const match = { commandIdPrefix: "wdr:" };
  const effects = ["timeout_after_commit", "drop_after_commit", "timeout_before_commit", "locked"];
  for (const [index, effect] of effects.entries()) {
    await control.fault({ id: effect, effect, match, count: 1 });
    const { json } = await withdraw(user, { destination, key: `f${index}`, amount: "10" });
    assert.equal(await untilEnded(user, json.withdrawal_id), "completed", effect);
    assert.equal(await venue.held(destination, "USDC"), (index + 1) * 9.5, effect);
  }
  assert.equal(await payments(), before + effects.length);
  assert.equal(await freeOf(user, "spot", "USDC"), 960);
});

test("WDR-5 if the venue dies between any two steps, each withdrawal is still paid once", async () => {
  const user = await funded();
  const destination = await party("home");
  const before = await payments();
  const control = await venue.control();
  await control.fault({
    ...{ id: "slow", effect: "delay", ms: 300, match: { commandIdPrefix: "wdr:" } },
  });
  for (let count = 0; count < 6; count++)
    await withdraw(user, { destination, key: `c${count}`, amount: "10" });
  await venue.crashAndRestart();
  await (await venue.control()).call("DELETE", "/devnet/v1/faults/slow");
  const again = venue.relogin(user);
  const { items } = (await again.get("/v1/withdrawals")).json;
  assert.equal(items.length, 6);
  for (const { withdrawal_id: id } of items) assert.equal(await untilEnded(again, id), "completed");
  assert.equal(await venue.held(destination, "USDC"), 57);
  assert.equal(await payments(), before + 6);
});

test("WDR-6 a withdrawal to a destination that became ineligible fails and is refunded in full", async () => {
  const user = await funded();
  const destination = await party("home");
  const control = await venue.control();
  // Delay the payment. The destination is eligible at the request and loses its preapproval before the payment.
  await control.fault({
    ...{ id: "hold", effect: "backpressure", match: { commandIdPrefix: "wdr:" } },
  });
  const { json } = await withdraw(user, { destination, key: "gone" });
  await control.preapproval(destination, "DELETE");
  await control.call("DELETE", "/devnet/v1/faults/hold");
  assert.equal(await untilEnded(user, json.withdrawal_id), "failed");
  assert.equal(await freeOf(user, "spot", "USDC"), 1000);
  assert.equal(await venue.held(destination, "USDC"), 0);
});

test("WDR-8 WDR-10 a single large coin of custody is split, so that payments need not wait for each other", async () => {
  const { sql } = venue.fixture.venue.database;
  const count = async () => {
    const [row] = await sql<{ count: string }[]>`
      select count(*)::text as count from settlement_holdings h join assets a on a.asset = h.asset
      where h.party = ${custody} and a.code = 'CETH'`;
    return Number(row?.count);
  };
  // Custody must have as many coins as workers plus two.
  await untilEqual(count, 4);
  // One withdrawal takes almost everything, so its payment needs all of custody's coins as inputs.
  const user = await venue.user();
  const seed = { asset: "CETH", amount: "999000000", wallet: "spot" };
  assert.equal((await user.post("/v1/deposits/seed", seed)).status, 200);
  const destination = await party("whale");
  const request = { asset: "CETH", amount: "999000000", destination, key: "all" };
  const { json, text } = await withdraw(user, request);
  assert.equal(await untilEnded(user, json.withdrawal_id), "completed", text);
  await until(async () => (await count()) === 4);
  assert.equal((await (await venue.control()).audit()).isSound, true);
});

test("WDR-8 WDR-10 custody's coins stay few, however many arrive", async () => {
  const user = await venue.user();
  const { reference } = (await user.get("/v1/deposits/address?asset=CC")).json;
  for (let count = 0; count < 30; count++) await pay("10", reference, "CC");
  await untilCredited(user, 30);
  const { sql } = venue.fixture.venue.database;
  await until(async () => {
    const [row] = await sql<{ count: string }[]>`
      select count(*)::text as count from settlement_holdings h join assets a on a.asset = h.asset
      where h.party = ${custody} and a.code = 'CC'`;
    return Number(row?.count) <= 21;
  });
  assert.equal(await freeOf(user, "funding", "CC"), 300);
  assert.equal((await (await venue.control()).audit()).isSound, true);
});

test("WDR-7 while the ledger hangs, withdrawals get 504 and then 503, and nothing is done", async () => {
  venue.fixture.change({ WITHDRAWAL_TIMEOUT_MS: "8000" });
  await venue.crashAndRestart();
  const user = await funded();
  const destination = await party("home");
  const { pid } = await venue.place();
  process.kill(pid, "SIGSTOP");
  try {
    const late = await withdraw(user, { destination, key: "late" });
    assert.deepEqual([late.status, late.text], [504, "withdrawal request timed out"]);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  // A registry address where nothing listens, as while the ledger restarts.
  await whilePlaced("registry", "http://127.0.0.1:1", async () => {
    const { status, text } = await withdraw(user, { destination, key: "none" });
    assert.deepEqual([status, text], [503, "withdrawal eligibility check unavailable"]);
  });
  await whilePlaced("quoted_ms", 0, async () => {
    const { status, text } = await withdraw(user, { destination, key: "stale" });
    assert.deepEqual([status, text], [503, "withdrawal fee quote unavailable"]);
  });
  assert.equal(await freeOf(user, "spot", "USDC"), 1000);
  await until(async () => {
    const { status } = await withdraw(user, { destination, key: "late" });
    return status === 200;
  });
});
