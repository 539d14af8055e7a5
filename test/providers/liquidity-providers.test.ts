// Proves over real sockets how the venue treats providers: correct ones, and ones that are slow or silent, lie, send
// too much, redirect, or have a forbidden address.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { AcceptRequest } from "../../src/ports/swaps/liquidity-providers.ts";
import { ProviderState } from "../../src/ports/swaps/provider-registry.ts";
import { healthy, json, quoting } from "./provider-host.ts";
import { type Approved, ProvidersFixture, quoteRequest, roundOf } from "./providers-fixture.ts";

const swapId = "0198f1c2-0000-7008-8000-000000000001";
/** A round ends sooner, when all providers have answered. */
const window = 20_000;

let fixture: ProvidersFixture;

before(async () => {
  fixture = await ProvidersFixture.open();
});

after(() => fixture.close());

afterEach(async () => {
  // Suspend the providers of earlier tests, so that they get no requests.
  await fixture.sql`update liquidity_providers set state = 4 where state = 2`;
});

function acceptRequest(): AcceptRequest {
  return {
    quote_id: "q-1",
    legs: [],
    settlement: {
      executor: "operator::1220",
      settlement_ref: swapId,
      allocate_before: "2026-01-01T00:00:00.000Z",
      settle_before: "2026-01-01T00:01:00.000Z",
    },
    proposal_cid: "00ab",
    disclosed_contracts: [],
  };
}

const accepted = { allocation_cid: "00aa", trade_cid: "00bb", update_id: "1220cc" };

test("LPC-2 a quote arrives in answer to a signed request", async () => {
  const one = await fixture.approve();
  one.host.answer("quotes", quoting(one.party));
  const providers = await fixture.providers();
  const request = quoteRequest(window);
  const { asked: requested, quotes } = await roundOf(providers, request);
  assert.deepEqual(requested, [one.provider]);
  assert.equal(quotes[0]?.provider, one.provider);
  assert.equal(quotes[0]?.price, "0.1500");
  const [call] = one.host.called("quotes");
  assert.deepEqual(JSON.parse(call?.body ?? ""), request);
  assert.ok(typeof call?.verified === "object", String(call?.verified));
  assert.equal(call.verified.idempotencyKey, `quote-${request.rfq_id}`);
});

test("LPC-2 an answer that comes in pieces, after an informational one, is one quote", async () => {
  const slow = await fixture.approve();
  slow.host.answer("quotes", (_, response) => {
    const quote = { quote_id: "q-1", price: "0.1500", qty: "100.0", provider_party: slow.party };
    const text = JSON.stringify({ ...quote, valid_until_ms: Date.now() + 10_000 });
    response.writeProcessing();
    for (const letter of text) response.write(letter);
    response.end();
  });
  const { quotes } = await roundOf(await fixture.providers(), quoteRequest(window));
  assert.deepEqual(
    quotes.map(({ provider }) => provider),
    [slow.provider],
  );
});

test("LPC-2 a round ends with its window, and a silent, slow or dead provider delays no other", async () => {
  const [honest, silent, broken, hangs] = await Promise.all([
    fixture.approve(),
    fixture.approve(),
    fixture.approve(),
    fixture.approve(),
  ]);
  honest.host.answer("quotes", quoting(honest.party));
  silent.host.answer("quotes", () => undefined);
  broken.host.answer("quotes", (_, response) => response.destroy());
  hangs.host.answer("quotes", (_, response) => response.write("{"));
  const providers = await fixture.providers();
  const request = quoteRequest(8_000);
  const { asked: requested, quotes } = await roundOf(providers, request);
  // A timer may fire up to a millisecond early.
  assert.ok(Date.now() >= request.respond_by_ms - 1);
  assert.equal(requested.length, 4);
  assert.deepEqual(
    quotes.map(({ provider }) => provider),
    [honest.provider],
  );
  await providers.mark(silent.provider, "settled", "");
  await fixture.providers();
  assert.equal((await fixture.figures(silent.provider))["late"], 1);
});

test("LPC-2 an answer after the window is ignored", async () => {
  const late = await fixture.approve();
  const held: { answer?: () => void } = {};
  late.host.answer("quotes", (call, response) => {
    held.answer = () => quoting(late.party)(call, response);
  });
  const providers = await fixture.providers();
  const { quotes } = await roundOf(providers, quoteRequest(150));
  held.answer?.();
  assert.deepEqual(quotes, []);
});

/** Changes that make a quote for 100.0 CC invalid, each with a name. */
const unusableNow = (): readonly (readonly [name: string, change: object])[] => [
  ["another party", { provider_party: `other::1220${"a".repeat(64)}` }],
  ["another quantity", { qty: "90.0" }],
  ["a quantity between lots", { qty: "100.05" }],
  ["a price between ticks", { price: "0.15001" }],
  ["no price", { price: "0" }],
  ["a price in words", { price: "cheap" }],
  ["a price as a number", { price: 0.15 }],
  ["a validity of a second", { valid_until_ms: Date.now() + 1_000 }],
  ["a validity of an hour", { valid_until_ms: Date.now() + 3_600_000 }],
  ["no id", { quote_id: "" }],
  ["an id of two lines", { quote_id: "q\n1" }],
];

test("LPC-3 an invalid quote is ignored and lowers its provider's score", async () => {
  const liar = await fixture.approve();
  const providers = await fixture.providers();
  const unusable = unusableNow();
  for (const [name, change] of unusable) {
    liar.host.answer("quotes", quoting(liar.party, change));
    assert.deepEqual((await roundOf(providers, quoteRequest(window))).quotes, [], name);
  }
  const bodies: readonly ((response: Parameters<typeof healthy>[0]) => void)[] = [
    (response) => response.end("not JSON"),
    (response) => response.end(`"${"x".repeat(20_000)}"`),
    (response) => response.writeHead(302, { location: `${liar.host.url}/health` }).end(),
    (response) => json(response, 201, {}),
  ];
  for (const answer of bodies) {
    liar.host.answer("quotes", (_, response) => answer(response));
    assert.deepEqual((await roundOf(providers, quoteRequest(window))).quotes, []);
  }
  assert.equal(liar.host.called("health").length, 1, "the redirect must not be followed");
  await providers.suspend(liar.provider, "test");
  const { invalid, failed, score } = await fixture.figures(liar.provider);
  assert.equal(invalid, unusable.length + 3);
  assert.equal(failed, 1, "reading must stop at an answer that is too long");
  assert.ok(Number(score) < 500);
});

test("LPC-3 LPC-8 a quote for an amount of the quote asset is the most that the amount buys, or the least that must be sold for it", async () => {
  const one = await fixture.approve();
  const providers = await fixture.providers();
  const { qty: _, ...rest } = quoteRequest(window);
  const round = async (side: "BUY" | "SELL", quantity: string) => {
    one.host.answer("quotes", quoting(one.party, { qty: quantity }));
    const request = { ...rest, side, quote_qty: "15", respond_by_ms: Date.now() + window };
    return (await roundOf(providers, request)).quotes.length;
  };
  assert.equal(await round("BUY", "100.0"), 1);
  assert.equal(
    await round("BUY", "100.1"),
    0,
    "a quote that costs more than requested must not count",
  );
  assert.equal(await round("BUY", "99.9"), 0, "a quote must have the most lots within the amount");
  assert.equal(await round("SELL", "100.0"), 1);
  assert.equal(
    await round("SELL", "100.1"),
    0,
    "a quote must have the fewest lots that reach the amount",
  );
  assert.equal(
    await round("SELL", "99.9"),
    0,
    "a quote that brings less than requested must not count",
  );
});

test("LPC-3 a provider may answer without a quote, and its score does not change", async () => {
  const one = await fixture.approve();
  one.host.answer("quotes", (_, response) => response.writeHead(204).end());
  const providers = await fixture.providers();
  assert.deepEqual((await roundOf(providers, quoteRequest(window))).quotes, []);
  await providers.suspend(one.provider, "test");
  const { passed, score } = await fixture.figures(one.provider);
  assert.deepEqual([passed, score], [1, 1000]);
});

test("LPC-1 a provider that misses three health checks gets no requests until it answers the next one", async () => {
  const one = await fixture.approve();
  one.host.answer("quotes", quoting(one.party));
  const providers = await fixture.providers({ healthMs: 30 });
  const isRequested = async () => {
    // Wait one turn of the event loop, because a round without requests ends at once.
    await new Promise(setImmediate);
    return (await roundOf(providers, quoteRequest(window))).asked.length > 0;
  };
  assert.ok(await isRequested());
  one.host.answer("health", (_, response) => json(response, 200, { status: "fine" }));
  while (await isRequested());
  assert.ok(one.host.called("health").length >= 4);
  one.host.answer("health", (_, response) => healthy(response));
  while (!(await isRequested()));
  one.host.answer("health", (_, response) =>
    json(response, 200, { status: "paused", pairs: ["CC-USDC"], max_notional: "1" }),
  );
  while (await isRequested());
});

test("LPC-1 a provider that is not approved or does not quote the market gets no request", async () => {
  const one = await fixture.approve();
  one.host.answer("health", (_, response) =>
    json(response, 200, { status: "ok", pairs: ["CC-USDC", "CBTC-USDC"], max_notional: "1" }),
  );
  const providers = await fixture.providers({ healthMs: 30 });
  assert.equal((await roundOf(providers, quoteRequest(100))).asked.length, 1);
  const other = await roundOf(providers, quoteRequest(100, { pair: "CBTC-USDC" }));
  assert.deepEqual(
    other.asked,
    [],
    "a provider must get no request for a market that it did not register for",
  );
  await fixture.decide(one.provider, ProviderState.approved, ProviderState.suspended);
  while ((await roundOf(providers, quoteRequest(20))).asked.length > 0);
});

test("LPC-5 LPC-10 of many providers the best eight get the request, and equal ones take turns", async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => fixture.approve()));
  for (const { host, party } of all) host.answer("quotes", quoting(party));
  const providers = await fixture.providers();
  const rounds: (readonly string[])[] = [];
  for (let round = 0; round < 5; round++)
    rounds.push((await roundOf(providers, quoteRequest(window))).asked);
  assert.ok(rounds.every(({ length }) => length === 8));
  const turns = all.map(({ provider }) => rounds.flat().filter((id) => id === provider).length);
  assert.deepEqual(turns, Array(10).fill(4));
  const [worst] = all as [Approved];
  for (let times = 0; times < 4; times++) await providers.mark(worst.provider, "declined", "no");
  for (let round = 0; round < 5; round++)
    assert.ok(!(await roundOf(providers, quoteRequest(window))).asked.includes(worst.provider));
});

test("LPC-4 the request to commit is repeated with the same bytes until it is answered", async () => {
  const one = await fixture.approve();
  const answers = [
    (response: Parameters<typeof healthy>[0]) => json(response, 503, {}),
    (response: Parameters<typeof healthy>[0]) => response.destroy(),
    (response: Parameters<typeof healthy>[0]) => json(response, 429, {}),
    (response: Parameters<typeof healthy>[0]) => json(response, 200, accepted),
  ];
  one.host.answer("accept-and-allocate", (_, response) => answers.shift()?.(response));
  const providers = await fixture.providers();
  const outcome = await providers.acceptAndAllocate(
    one.provider,
    acceptRequest(),
    Date.now() + 30_000,
  );
  assert.deepEqual(outcome, { kind: "accepted", answer: accepted });
  const calls = one.host.called("accept-and-allocate");
  assert.equal(calls.length, 4);
  assert.equal(new Set(calls.map(({ body }) => body)).size, 1);
  assert.deepEqual(
    [...new Set(calls.map(({ idempotencyKey }) => idempotencyKey))],
    [`accept-${swapId}`],
  );
  assert.ok(
    calls.every(({ verified }) => typeof verified === "object"),
    "each attempt must be signed again",
  );
});

test("LPC-4 LPC-9 a refusal is final, and any other failure leaves the outcome unknown", async () => {
  const one = await fixture.approve();
  const providers = await fixture.providers();
  const answered = async (status: number, body: object) => {
    one.host.answer("accept-and-allocate", (_, response) => json(response, status, body));
    const deadlineMs = Date.now() + (status < 500 ? 30_000 : 1_000);
    return providers.acceptAndAllocate(one.provider, acceptRequest(), deadlineMs);
  };
  assert.deepEqual(await answered(409, { reason: "gone" }), { kind: "rejected", reason: "gone" });
  assert.deepEqual(await answered(422, { reason: "no" }), { kind: "rejected", reason: "no" });
  for (const [status, body] of [
    [409, {}],
    [200, {}],
    [200, { ...accepted, trade_cid: "" }],
    [400, { reason: "what" }],
    [500, { reason: "down" }],
    [302, {}],
  ] as const)
    assert.equal((await answered(status, body)).kind, "unknown", `${status}`);
  one.host.answer("accept-and-allocate", () => undefined);
  const silent = await providers.acceptAndAllocate(one.provider, acceptRequest(), Date.now() + 50);
  assert.deepEqual(silent, { kind: "unknown", message: "no answer in time" });
  const nobody = await providers.acceptAndAllocate("nobody", acceptRequest(), Date.now() + 50);
  assert.equal(nobody.kind, "unknown");
});

async function notice(provider: string, kind: 1 | 2, body: object, createdMs = Date.now()) {
  await fixture.sql`
    insert into swap_notices (provider, swap_id, kind, body, created_ms)
    values (${provider}, ${swapId}, ${kind}, ${JSON.stringify(body)}, ${createdMs})`;
}

async function waiting(): Promise<number> {
  const [row] = await fixture.sql<{ count: string }[]>`
    select count(*) from swap_notices where delivered_ms is null and given_up_ms is null`;
  return Number(row?.count);
}

test("LPC-6 notices arrive at least once and in order, even at a suspended provider", async () => {
  const one = await fixture.approve();
  const refusals = [500, 404];
  one.host.answer("cancel", (_, response) => json(response, refusals.shift() ?? 200, {}));
  one.host.answer("result", (_, response) => response.writeHead(204).end());
  const providers = await fixture.providers();
  await providers.suspend(one.provider, "test");
  await notice(one.provider, 2, { reason: "late" });
  await notice(one.provider, 1, { status: "released", reason: "late" });
  while ((await waiting()) > 0) {
    await fixture.sql`update swap_notices set due_ms = 0`;
    providers.wakeCourier();
    await new Promise(setImmediate);
  }
  const told = one.host.calls.filter(({ path }) => path.startsWith("/rfq/trades/"));
  const names = told.map(({ path }) => path.split("/").at(-1));
  assert.deepEqual(names, ["cancel", "cancel", "cancel", "result"]);
  assert.deepEqual(JSON.parse(told.at(-1)?.body ?? ""), { status: "released", reason: "late" });
  const keys = new Set(told.slice(0, 3).map(({ idempotencyKey }) => idempotencyKey));
  assert.equal(keys.size, 1, "each notice must have its own idempotency key");
});

test("LPC-6 a notice is given up after a day", async () => {
  const one = await fixture.approve();
  one.host.answer("result", (_, response) => json(response, 500, {}));
  await notice(one.provider, 1, { status: "expired" }, Date.now() - 86_400_001);
  const providers = await fixture.providers();
  while ((await waiting()) > 0) {
    providers.wakeCourier();
    await new Promise(setImmediate);
  }
  const [row] = await fixture.sql`select given_up_ms, reason from swap_notices
    where provider = ${one.provider}`;
  assert.ok(row?.["given_up_ms"] !== null);
  assert.equal(row?.["reason"], "500 {}");
});

test("LPC-7 the venue sends no request to an address that is not public, given by number or by name", async () => {
  const mayReach = (address: string) => !address.startsWith("127.") && address !== "::1";
  const byNumber = await fixture.approve();
  const { port } = new URL(byNumber.host.url);
  const byName = await fixture.approve(`http://localhost:${port}/name`);
  const providers = await fixture.providers({ mayReach });
  assert.deepEqual((await roundOf(providers, quoteRequest(100))).asked, []);
  assert.equal(byNumber.host.calls.length, 0);
  for (const { provider } of [byNumber, byName]) {
    const outcome = await providers.acceptAndAllocate(
      provider,
      acceptRequest(),
      Date.now() + 60_000,
    );
    assert.match(
      outcome.kind === "unknown" ? outcome.message : "",
      /not public|not a public address/,
    );
  }
  assert.equal(byNumber.host.calls.length, 0);
});

test("LPC-7 a venue that is not a development venue sends requests only over TLS", async () => {
  const one = await fixture.approve();
  const providers = await fixture.providers({ isPlainAllowed: false });
  const outcome = await providers.acceptAndAllocate(
    one.provider,
    acceptRequest(),
    Date.now() + 200,
  );
  assert.deepEqual(outcome, { kind: "unknown", message: "its address is not https" });
  assert.equal(one.host.calls.length, 0);
});
