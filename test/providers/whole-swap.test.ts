// Proves a swap from the request to the ledger: a new wallet uses the API of a whole venue, with the reference
// provider on its own sockets and the development ledger between venue and provider.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresSigningKeys } from "../../src/adapters/postgres/queries/swaps/signing-keys.ts";
import { systemEntropy } from "../../src/adapters/runtime/system-entropy.ts";
import { VenueSigner } from "../../src/services/access/venue-signer.ts";
import type { ReferenceProvider } from "../../src/tools/provider/reference-provider.ts";
import type { LedgerVenue } from "../support/venue/ledger-venue.ts";
import { QuotingVenue } from "../support/venue/quoting-venue.ts";
import { providerContract } from "./provider-contract.ts";
import { SwapCustomer } from "./swap-customer.ts";

let quoting: QuotingVenue;
let venue: LedgerVenue;
let provider: ReferenceProvider;
let signer: VenueSigner;

before(async () => {
  // A quote round ends when all providers have answered, or after this time. The time is long, so that even on a busy
  // machine none of the nine rounds ends without the provider's quote.
  quoting = await QuotingVenue.open({ SWAP_QUOTE_WINDOW_MS: "15000" });
  ({ venue, provider } = quoting);
  const { database, keys } = venue.fixture.venue;
  const store = new PostgresSigningKeys(database.sql);
  signer = new VenueSigner({
    store,
    box: keys.box,
    entropy: systemEntropy,
    nowMs: () => Date.now(),
  });
  await signer.refresh();
});

after(async () => {
  await quoting.close();
});

function trader(): Promise<SwapCustomer> {
  return SwapCustomer.open(venue, { USDC: "1000", CC: "1000" });
}

providerContract("the reference provider", () => ({
  url: provider.url,
  pair: "CC-USDC",
  sign: (parts, idempotencyKey) => signer.sign(parts, idempotencyKey),
}));

test("LPP-2 a new wallet swaps with the reference provider, and one transaction settles the swap", async () => {
  const customer = await trader();
  const { user } = customer;
  const id = await customer.request();
  const { quotes } = await customer.until(id, ({ status }) => status === "quoted");
  const [quote] = quotes;
  assert.ok(quote !== undefined);
  // The price is 0.1500 plus 20 bps, rounded to whole ticks in the provider's favour.
  assert.deepEqual(
    [quote.price, quote.qty, quote.provider_party],
    ["0.1503", "100.0", provider.party],
  );
  const taken = await customer.send(id, "accept", { quote_id: quote.quote_id });
  assert.equal(taken.status, 200, taken.text);
  const sent = await customer.signed(id);
  assert.equal(sent.status, 200, sent.text);
  const over = await customer.over(id);
  assert.equal(over.status, "settled", JSON.stringify(over));
  assert.match(over.update_id ?? "", /^1220/);
  assert.equal(await venue.held(user.partyId, "CC"), 1100);
  assert.equal(await venue.held(user.partyId, "USDC"), 1000 - 15.03);
  assert.equal((await (await venue.control()).audit()).isSound, true);
});

test("LPP-3 the reference provider quotes no more than it has and no more than the book can fill", async () => {
  const customer = await trader();
  // The first quantity exceeds the book, the second the largest value of one swap.
  for (const qty of ["7000000", "1000000"]) {
    const id = await customer.request({ qty });
    const over = await customer.until(id, ({ status }) => status !== "requested");
    assert.deepEqual([over.status, over.reason], ["expired", "no_quote"]);
  }
});

test("ERR-40 RFQ-1 invalid swap requests are refused with exactly these messages", async () => {
  const { user } = await trader();
  const params = { pair: "CC-USDC", side: "BUY", qty: "100" };
  const refused = async (change: object, message: string) => {
    const answer = await user.post("/v1/swaps/rfq", { ...params, ...change });
    assert.deepEqual([answer.status, answer.text], [400, message]);
  };
  await refused({ pair: "BTC-PERP" }, "pair must be a spot market, such as CC-USDC");
  await refused({ pair: "CUSD-USDC" }, "the market is not trading");
  await refused({ side: "buy" }, "side must be BUY or SELL");
  await refused({ quote_qty: "10" }, "give either qty or quote_qty");
  await refused({ qty: "0.05" }, "qty must be a positive multiple of the lot size");
  for (const qty of ["10000000.1", "99999999", "99999999999999999999"])
    await refused({ qty }, "qty must be at most 10000000.0 CC");
  await refused(
    { qty: null, quote_qty: "0" },
    "quote_qty must be a decimal number not below the market's minimum order value",
  );
  const stranger = await user.get("/v1/swaps/rfq/00000000-0000-7008-8000-00000000ffff");
  assert.deepEqual([stranger.status, stranger.text], [404, "swap not found"]);
  const made = await Promise.all(
    Array.from({ length: 9 }, () => user.post("/v1/swaps/rfq", params)),
  );
  const [beyond, ...others] = made.filter(({ status }) => status !== 200);
  assert.deepEqual(
    [beyond?.status, beyond?.text, others.length],
    [409, "an account can have at most 8 open swaps", 0],
  );
});

test("ERR-40 RFQ-3 a step for which the swap is not ready is refused with exactly these messages", async () => {
  const customer = await trader();
  const id = await customer.request();
  const refused = async (what: string, body: object, status: number, message: string) => {
    const answer = await customer.send(id, what, body);
    assert.deepEqual([answer.status, answer.text], [status, message]);
  };
  await refused("prepare", {}, 409, "the request is not possible in the swap's current state");
  const quoted = await customer.until(id, ({ status }) => status === "quoted");
  await refused("accept", { quote_id: "999999" }, 404, "quote not found");
  const quote_id = quoted.quotes[0]?.quote_id;
  assert.equal((await customer.send(id, "accept", { quote_id })).status, 200);
  const hash = await customer.prepared(id);
  const other = Buffer.alloc(32, 7).toString("base64");
  await refused(
    "execute",
    { prepared_transaction_hash: other, signature: customer.signatureOf(other) },
    409,
    "the hash does not match the transaction to be signed now",
  );
  await refused(
    "execute",
    { prepared_transaction_hash: hash, signature: customer.signatureOf(other) },
    400,
    "signature must be the base64 of an Ed25519 signature over the hash",
  );
});
