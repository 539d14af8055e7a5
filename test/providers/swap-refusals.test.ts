// Proves every refusal of a trader's swap requests, word for word, through the API of a whole venue with scripted
// providers and a real development ledger.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import type { Json } from "../support/client/json.ts";
import { LedgerVenue, until } from "../support/venue/ledger-venue.ts";
import { approvedHost } from "./approved-host.ts";
import { json, quoting } from "./provider-host.ts";
import { SwapCustomer } from "./swap-customer.ts";

const frozenMessage = "Account is frozen; new orders are not accepted, cancels are.";
const cycles = {
  PROVIDER_HEALTH_MS: "50",
  SWAP_POLL_MS: "20",
  SWAP_PREPARE_MS: "8000",
  // A round ends when all providers have answered; on a busy machine this takes longer than the default.
  SWAP_QUOTE_WINDOW_MS: "15000",
  SWAP_FUNDS_MS: "30000",
};
/** As short as a quote may be, with some time for it to reach the venue. */
const shortMs = 4_500;

let venue: LedgerVenue;
let long: Awaited<ReturnType<typeof approvedHost>>;

before(async () => {
  venue = await LedgerVenue.open(cycles);
  long = await approvedHost(venue.fixture);
});

after(async () => {
  await long.host.close();
  await venue.close();
});

async function refused(
  answer: ReturnType<SwapCustomer["send"]>,
  status: number,
  message: string,
): Promise<void> {
  const { status: given, text } = await answer;
  assert.deepEqual([given, text], [status, message]);
}

test("ERR-40 RFQ-3 an expired quote is refused while another quote can still be accepted", async (t) => {
  const short = await approvedHost(venue.fixture);
  t.after(() => short.host.close());
  short.host.answer("quotes", (call, response) =>
    quoting(short.party, { valid_until_ms: Date.now() + shortMs })(call, response),
  );
  const trader = await SwapCustomer.open(venue, { USDC: "100" });
  const id = await trader.request();
  const { quotes } = await trader.until(id, (swap) => swap.quotes.length === 2);
  const of = (party: string) => quotes.find(({ provider_party }) => provider_party === party);
  const [lapsed, other] = [of(short.party), of(long.party)];
  const endMs = Date.parse(lapsed?.valid_until ?? "");
  while (Date.now() <= endMs) await sleep(endMs - Date.now() + 1);
  const message = "the quote has expired";
  await refused(trader.send(id, "accept", { quote_id: lapsed?.quote_id }), 409, message);
  assert.equal((await trader.send(id, "accept", { quote_id: other?.quote_id })).status, 200);
});

test("ERR-40 RFQ-13 a trader with too few coins gets an error instead of a transaction to sign", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "20" });
  // Each quote alone could be paid.
  const [first, id] = [await trader.accepted(), await trader.accepted()];
  assert.equal((await trader.signed(first)).status, 200);
  await trader.until(first, ({ status }) => status !== "accepted");
  const message = "the party has not enough free USDC on the ledger";
  await refused(trader.send(id, "prepare"), 409, `the transaction cannot be prepared: ${message}`);
});

test("ERR-40 RFQ-13 a ledger that does not answer in time causes a 504, and the swap continues", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "100" });
  const id = await trader.accepted();
  const { pid } = await venue.place();
  process.kill(pid, "SIGSTOP");
  try {
    await refused(trader.send(id, "prepare"), 504, "the ledger did not answer in time");
  } finally {
    process.kill(pid, "SIGCONT");
  }
  const state = { hash: "" };
  await until(async () => {
    state.hash = await trader.prepared(id);
    return true;
  });
  assert.match(state.hash, /=$/);
});

test("RFQ-13 a signature must be over the hash, with or without padding, and over no other data", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "100" });
  const id = await trader.accepted();
  const hash = await trader.prepared(id);
  const signature = trader.signatureOf(hash);
  const send = (prepared_transaction_hash: string, signed = signature) =>
    trader.send(id, "execute", { prepared_transaction_hash, signature: signed });
  for (const bad of ["", "no base64!", "====", `${hash}\n`])
    await refused(send(bad), 400, "prepared_transaction_hash must be standard base64");
  const other = Buffer.alloc(32, 7).toString("base64");
  const notThis = "the hash does not match the transaction to be signed now";
  await refused(send(other, trader.signatureOf(other)), 409, notThis);
  const bare = (text: string) => text.replace(/=+$/, "");
  const taken = await send(bare(hash), bare(signature));
  assert.equal(taken.status, 200, taken.text);
  assert.equal((await send(hash)).status, 200, "repeating the request must get the same answer");
  await trader.until(id, ({ status }) => status === "trader_allocated");
  const late = await send(hash);
  assert.equal(late.status, 200, late.text);
  await refused(send(other, trader.signatureOf(hash)), 409, notThis);
});

test("RFQ-16 every request for another account's swap is answered as if the swap did not exist", async () => {
  const trader = await SwapCustomer.open(venue, {});
  const stranger = await SwapCustomer.open(venue, {});
  const id = await trader.request();
  const quoted = await trader.until(id, ({ status }) => status === "quoted");
  const missing = "swap not found";
  await refused(stranger.user.get(`/v1/swaps/rfq/${id}`), 404, missing);
  const quote = { quote_id: quoted.quotes[0]?.quote_id };
  await refused(stranger.send(id, "accept", quote), 404, missing);
  await refused(stranger.send(id, "cancel"), 404, missing);
  await refused(stranger.send(id, "prepare"), 404, missing);
  const signed = { prepared_transaction_hash: "AAAA", signature: "AAAA" };
  await refused(stranger.send(id, "execute", signed), 404, missing);
  assert.deepEqual((await stranger.user.get("/v1/swaps/rfq")).json.items, []);
  assert.equal((await trader.shown(id)).status, "quoted");
});

test("RFQ-16 one of nine simultaneous requests is refused, and each request that ends makes room for another", async () => {
  const trader = await SwapCustomer.open(venue, {});
  const params = { pair: "CC-USDC", side: "BUY", qty: "100" };
  const query = () => trader.user.post("/v1/swaps/rfq", params);
  const made = await Promise.all(Array.from({ length: 9 }, query));
  assert.equal(made.filter(({ status }) => status === 409).length, 1);
  assert.equal((await query()).status, 409);
  const { json } = made.find(({ status }) => status === 200) ?? { json: null };
  assert.equal((await trader.send(json.swap_id, "cancel")).status, 200);
  assert.equal((await query()).status, 200);
});

test("RFQ-18 a quantity that is worth less than the minimum at every price in the book is refused", async () => {
  const trader = await SwapCustomer.open(venue, {});
  const small = { qty: "10" };
  // The value of the request is unknown until it is quoted. A quote below the minimum value is ignored, and does not
  // count as an invalid answer.
  const before = await invalidOf();
  assert.equal((await trader.over(await trader.request(small))).reason, "no_quote");
  const { fixture } = venue;
  const maker = await fixture.trader("house");
  const order = { symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  const placed = { ...order, quantity: "1000", price: "0.1500" };
  assert.equal((await fixture.signed(maker, "POST", "/api/v3/order", placed)).status, 200);
  const message = "order value is below the minimum of the market";
  const params = { pair: "CC-USDC", side: "BUY", qty: "66.6" };
  await refused(trader.user.post("/v1/swaps/rfq", params), 400, message);
  const enough = await trader.user.post("/v1/swaps/rfq", { ...params, qty: "66.7" });
  assert.equal(enough.status, 200, enough.text);
  await trader.until(enough.json.swap_id, ({ status }) => status === "quoted");
  // A request by value is quoted in whole lots, so the quote may be worth slightly less than requested.
  long.host.answer("quotes", quoting(long.party, { qty: "66.6" }));
  const id = await trader.request({ qty: null, quote_qty: "10" });
  await trader.until(id, ({ status }) => status === "quoted");
  long.host.answer("quotes", quoting(long.party));
  assert.equal(
    await invalidOf(),
    before,
    "a correct quote below the minimum must not count as invalid",
  );
});

/** Returns the number of the provider's invalid answers, after its next health check has stored it. */
async function invalidOf(): Promise<number> {
  const { sql } = venue.fixture.venue.database;
  const since = Date.now();
  const found = { invalid: 0 };
  await until(async () => {
    const [row] = await sql<{ invalid: number; health_ms: string }[]>`
      select invalid::integer as invalid, health_ms from liquidity_providers
      where party = ${long.party}`;
    found.invalid = row?.invalid ?? 0;
    return Number(row?.health_ms) > since;
  });
  return found.invalid;
}

function accountOf({ user }: SwapCustomer): number {
  return parsePublicId(PublicIdKind.user, user.userId)?.number ?? 0;
}

test("RFQ-19 a frozen account starts no swap, its swaps without a lock end, and its locks are released", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "100" });
  const { access } = venue.fixture.operator;
  const account = accountOf(trader);
  const locked = await trader.accepted();
  assert.equal((await trader.signed(locked)).status, 200);
  await trader.until(locked, ({ status }) => status === "trader_allocated");
  const accepted = await trader.accepted();
  const hash = await trader.prepared(accepted);
  const quoted = await trader.request();
  await trader.until(quoted, ({ status }) => status === "quoted");
  await access.freeze(account, false);
  for (const id of [accepted, quoted]) {
    const over = await trader.over(id);
    assert.deepEqual([over.status, over.reason], ["cancelled", "account_frozen"]);
  }
  const back = await trader.until(locked, ({ status }) => status === "releasing");
  assert.equal(back.reason, "account_frozen");
  const params = { pair: "CC-USDC", side: "BUY", qty: "100" };
  await refused(trader.user.post("/v1/swaps/rfq", params), 403, frozenMessage);
  const signed = { prepared_transaction_hash: hash, signature: trader.signatureOf(hash) };
  assert.equal(
    (await trader.send(accepted, "execute", signed)).status,
    409,
    "a swap that has ended must not be executed",
  );
  // A frozen account may still release its own coins, because that is not new business.
  const withdrawn = await trader.signed(locked);
  assert.equal(withdrawn.status, 200, withdrawn.text);
  assert.equal((await trader.over(locked)).status, "released");
  await access.thaw(account);
  await until(async () => (await trader.user.post("/v1/swaps/rfq", params)).status === 200);
});

test("RFQ-14 a member's leg is released by its MemberAuth contract, without a signature", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "15" });
  const enrolled = await trader.user.post("/v1/wallet/enroll");
  assert.equal(enrolled.status, 200, enrolled.text);
  await until(async () => {
    const { json } = await trader.user.get("/v1/wallet/enrollment");
    return json.status === "active";
  });
  long.host.answer("accept-and-allocate", (_, response) => json(response, 409, { reason: "no" }));
  const id = await trader.accepted();
  assert.equal((await trader.signed(id)).status, 200);
  assert.equal(
    (await trader.until(id, (swap) => swap.reason !== null)).reason,
    "provider_declined",
  );
  // All coins of the trader were locked, so only released coins can pay for the next swap.
  await until(async () => {
    const next = await trader.accepted();
    return (await trader.prepared(next)) !== "";
  });
  assert.equal(
    (await trader.shown(id)).status,
    "releasing",
    "the first swap's lock must not have expired yet",
  );
});

test("ERR-40 RFQ-20 coins that an open order needs are not locked for a swap", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "27.5" });
  assert.equal((await trader.user.post("/v1/wallet/enroll")).status, 200);
  const order = { symbol: "CC-USDC", side: "BUY", qty: "150", price: "0.1000" };
  await until(async () => (await trader.user.post("/v1/orders", order)).status === 200);
  const id = await trader.request();
  const { quotes } = await trader.until(id, ({ status }) => status === "quoted");
  const message = "only 12.500000 USDC available: open orders and unsettled fills need the rest";
  await refused(trader.send(id, "accept", { quote_id: quotes[0]?.quote_id }), 409, message);
  assert.equal((await trader.shown(id)).status, "quoted");
});

test("ERR-40 RFQ-40 a quote that the free coins on the ledger do not pay is refused with what is free", async () => {
  const trader = await SwapCustomer.open(venue, { USDC: "12.5" });
  const id = await trader.request();
  const { quotes } = await trader.until(id, ({ status }) => status === "quoted");
  const message = "your party has only 12.500000 USDC free on the ledger";
  await refused(trader.send(id, "accept", { quote_id: quotes[0]?.quote_id }), 409, message);
  assert.equal((await trader.shown(id)).status, "quoted");
});

test("ERR-40 RFQ-20 an order cannot spend coins that a swap is about to lock, and no order is cancelled for the swap", async () => {
  long.host.answer("accept-and-allocate", (_, response) => json(response, 503, {}));
  const trader = await SwapCustomer.open(venue, { USDC: "27.5" });
  assert.equal((await trader.user.post("/v1/wallet/enroll")).status, 200);
  const order = { symbol: "CC-USDC", side: "BUY", qty: "110", price: "0.1000" };
  const spotUsdc = async () => {
    const { json } = await trader.user.get("/v1/balances/me");
    const own = json.balances.find(
      ({ wallet, asset }: Balance) => wallet === "spot" && asset === "USDC",
    );
    return [Number(own?.free ?? 0), Number(own?.locked ?? 0)];
  };
  await until(async () => (await spotUsdc())[0] === 27.5);
  const id = await trader.accepted();
  const hash = await trader.prepared(id);
  assert.deepEqual(await spotUsdc(), [12.5, 15]);
  await until(
    async () => (await trader.user.get("/v1/wallet/enrollment")).json.status === "active",
  );
  const greedy = await trader.user.post("/v1/orders", { ...order, qty: "150" });
  assert.equal(greedy.status, 400, greedy.text);
  const placed = await trader.user.post("/v1/orders", order);
  assert.equal(placed.status, 200, placed.text);
  const signature = trader.signatureOf(hash);
  const signed = { prepared_transaction_hash: hash, signature };
  assert.equal((await trader.send(id, "execute", signed)).status, 200);
  // The swap's lock is booked while the swap is in flight. Coins that were free stay free, and the order stays open.
  await until(async () => (await spotUsdc()).join() === "1.5,11");
  await trader.until(id, ({ status }) => status === "trader_allocated");
  const open = await trader.user.get("/v1/orders/me?status=open");
  assert.deepEqual(
    open.json.items.map((each: Json) => each.order_id),
    [placed.json.order_id],
  );
  assert.equal((await trader.user.get("/v1/wallet/enrollment")).json.frozen, false);
});

interface Balance {
  readonly wallet: string;
  readonly asset: string;
  readonly free: string;
  readonly locked: string;
}

test("NAT-17 OPS-23 a frozen account cannot transfer between its wallets", async () => {
  const trader = await SwapCustomer.open(venue, {});
  const seeded = await trader.user.post("/v1/deposits/seed", { asset: "USDC", amount: "50" });
  assert.equal(seeded.status, 200, seeded.text);
  const { access } = venue.fixture.operator;
  await access.freeze(accountOf(trader), false);
  const ways = { from: "funding", to: "perp", asset: "USDC", amount: "10" };
  const query = (key: string) =>
    trader.user.post("/v1/transfers", { ...ways, idempotency_key: key });
  await refused(query("while-frozen"), 403, frozenMessage);
  await access.thaw(accountOf(trader));
  const moved = await query("when-thawed");
  assert.equal(moved.status, 200, moved.text);
});
