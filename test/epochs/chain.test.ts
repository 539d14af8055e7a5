// Proves epochs and proofs of a running venue over HTTP. An epoch is sealed each second and never skipped. Every
// entry gets a proof, which the stand-alone verifier accepts.

import assert from "node:assert/strict";
import { createHash, createPublicKey, verify } from "node:crypto";
import { after, before, test } from "node:test";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { type SignedHead, signedHeadIn } from "../../src/services/access/signed-head.ts";
import { verifyDocument } from "../../src/services/epochs/proof-verifier.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();

let fixture: VenueFixture;
let maker: Trader;
/** A wallet user, whose session can read the bodies of the user's own leaves. */
let user: NativeClient;
let taker: Trader;
let order: { orderId: number; tradeId: number; cancelledId: number };

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1", VENUE_NAME: "venue-of-a-test" });
  maker = await fixture.trader();
  user = new NativeClient(fixture.address);
  await user.login();
  const { sql } = fixture.venue.database;
  const [row] = await sql<{ account: number }[]>`select account from wallet_users`;
  const account = row?.account ?? 0;
  const money = { account, wallet: "spot", asset: "USDC", amount: "1000" };
  await fixture.operator.fund(money);
  const key = (await fixture.operator.createKey({ account })) as Record<string, string>;
  taker = { account, key: key["api_key"] ?? "", secret: key["secret"] ?? "" };
  order = await trade();
});

after(() => fixture.close());

async function place(trader: Trader, side: string, more: Record<string, string> = {}) {
  const terms = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC", ...more };
  const placed = await fixture.signed(trader, "POST", "/api/v3/order", {
    quantity: "200",
    price: "0.1500",
    ...terms,
  });
  assert.equal(placed.status, 200, JSON.stringify(placed.json));
  return placed.json;
}

/** Trades between maker and wallet user, and places and cancels another order of the user. */
async function trade() {
  await place(maker, "SELL");
  const bought = await place(taker, "BUY");
  const waiting = await place(taker, "BUY", { price: "0.1000" });
  const cancel = { symbol: "CC-USDC", orderId: waiting.orderId };
  assert.equal((await fixture.signed(taker, "DELETE", "/api/v3/order", cancel)).status, 200);
  const [fill] = bought.fills;
  return { orderId: bought.orderId, tradeId: fill.tradeId, cancelledId: waiting.orderId };
}

async function proofOf(query: string) {
  return until(`a proof of ${query}`, async () => {
    const { status, text } = await user.get(`/v1/chain/proof?${query}`);
    assert([200, 404].includes(status), text);
    return status === 200 ? JSON.parse(text) : null;
  });
}

async function verified(document: unknown): Promise<void> {
  for (const { isValid, steps } of await verifyDocument(document, { sha256 })) {
    assert(isValid, JSON.stringify(steps.at(-1)));
  }
}

interface ListedEpoch {
  readonly epoch: string;
  readonly first_seq: string;
  readonly last_seq: string;
  readonly journal_count: string;
  readonly prev_root: string;
}

/** Reads all epochs, newest first, in pages of three. */
async function allEpochs(): Promise<ListedEpoch[]> {
  const items: ListedEpoch[] = [];
  for (let cursor = ""; ; ) {
    const { json } = await fixture.get(`/v1/chain/epochs?limit=3${cursor}`);
    items.push(...json.items);
    if (json.next_cursor === null) return items;
    cursor = `&cursor=${json.next_cursor}`;
  }
}

test("CHN-2 CHN-18 every entry of the journal gets a proof that verifies, of at most 3 KiB", async () => {
  const lastSeq = fixture.venue.committedSeq;
  await proofOf(`seq=${lastSeq}`);
  for (let seq = 1; seq <= lastSeq; seq++) {
    const document = await proofOf(`seq=${seq}`);
    const [proof] = document.proofs;
    assert.equal(proof.leaf.seq, `${seq}`);
    assert.equal(proof.epoch.venue, "venue-of-a-test");
    assert.deepEqual([proof.leaf.body, proof.leaf.nonce], [undefined, undefined]);
    assert(JSON.stringify(document).length <= 3072);
    await verified(document);
  }
});

test("CHN-2 CHN-18 the reference of an order or a trade finds everything that was sealed about it", async () => {
  const trades = await proofOf(`ref_id=t-${order.tradeId}`);
  assert.deepEqual(
    trades.proofs.map(({ leaf }: { leaf: { kind: string; ref_id: string } }) => [
      leaf.kind,
      leaf.ref_id,
    ]),
    [
      ["fill", `t-${order.tradeId}`],
      ["journal", `t-${order.tradeId}`],
    ],
  );
  await verified(trades);
  const cancelled = await until("both entries of the order", async () => {
    const found = await proofOf(`ref_id=o-${order.cancelledId}`);
    return found.proofs.length === 2 ? found : null;
  });
  const types = cancelled.proofs.map(({ leaf }: { leaf: { type: number } }) => leaf.type);
  assert.deepEqual(
    types,
    [18, 16],
    "the entries must be listed newest first: the close, then the acceptance",
  );
  await verified(cancelled);
});

test("CHN-2 CHN-18 an entry that is not sealed or does not exist is a 404, an invalid query a 400", async () => {
  const cases: readonly (readonly [string, number])[] = [
    ["seq=999999999", 404],
    ["seq=0", 404],
    ["ref_id=o-999999", 404],
    ["ref_id=t-999999", 404],
    ["", 400],
    ["seq=1&ref_id=o-1", 400],
    ["seq=-1", 400],
    ["seq=1e3", 400],
    ["seq=99999999999999999999", 400],
    ["ref_id=a-1", 400],
    ["ref_id=o-01", 400],
  ];
  for (const [query, status] of cases) {
    assert.equal((await user.get(`/v1/chain/proof?${query}`)).status, status, query);
  }
  const { text } = await user.get("/v1/chain/proof?ref_id=t-999999");
  assert.match(text, /no such journal entry, order or trade yet/);
  assert.equal((await user.get("/v1/chain/epochs/1")).status, 404);
  assert.equal((await user.get("/v1/chain/epochs/x")).status, 404);
  assert.equal((await user.get("/v1/chain/epochs?limit=x")).status, 400);
});

test("CHN-1 CHN-22 epochs are listed in pages and by number, and form one unbroken chain", async () => {
  await proofOf(`ref_id=t-${order.tradeId}`);
  const items = await allEpochs();
  assert(items.length >= 1);
  await verified({ items });
  assert.equal(items.at(-1)?.prev_root, "0".repeat(64));
  assert.equal(items.at(-1)?.first_seq, "1");
  const { json } = await fixture.get(`/v1/chain/epochs/${items[0]?.epoch}`);
  assert.deepEqual(json, items[0]);
  const status = await fixture.get("/v1/chain/status");
  assert(Number(status.json.head_epoch) >= Number(items[0]?.epoch));
  assert.match(status.json.head_root, /^[0-9a-f]{64}$/);
  assert(status.json.pending >= items.length);
});

/** Reads the signed head of an epoch and checks its signature by the published bytes, without the venue's code. */
async function headOf(query: string): Promise<SignedHead> {
  const { status, json } = await fixture.get(`/v1/chain/head${query}`);
  assert.equal(status, 200, JSON.stringify(json));
  const { venue, epoch, time, root, prev_root, key, signature } = json;
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(epoch), 0);
  numbers.writeBigUInt64BE(BigInt(time), 8);
  const hashes = Buffer.from(root + prev_root, "hex");
  const parts = [Buffer.from(`VSH1\u000f${venue}`), numbers, hashes];
  const x = Buffer.from(key, "base64").toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  assert(verify(null, Buffer.concat(parts), publicKey, Buffer.from(signature, "base64")));
  return json;
}

test("CHN-23 the newest epoch and each earlier one have a head that the venue signs", async () => {
  await proofOf("seq=1");
  const [first, newest] = [(await allEpochs()).at(-1) as ListedEpoch, await headOf("")];
  assert(Number(newest.epoch) >= Number(first.epoch));
  const head = await headOf(`?epoch=${first.epoch}`);
  const { json } = await fixture.get(`/v1/chain/epochs/${first.epoch}`);
  const { venue, epoch, root, prev_root, end_ms: time } = json;
  const { key, signature } = head;
  assert.deepEqual(head, { venue, epoch, root, prev_root, time, key, signature });
  assert.equal((await user.get("/v1/chain/head?epoch=1")).status, 404);
  assert.equal((await user.get("/v1/chain/head?epoch=x")).status, 400);
});

test("CHN-5 an answer has an ETag, and a request with this ETag is answered 304", async () => {
  await proofOf("seq=1");
  const first = await fetch(`${fixture.address}/v1/chain/proof?seq=1`);
  const etag = first.headers.get("etag") ?? "";
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  assert.match(first.headers.get("cache-control") ?? "", /^public, max-age=\d+/);
  const headers = { "if-none-match": etag };
  const again = await fetch(`${fixture.address}/v1/chain/proof?seq=1`, { headers });
  assert.deepEqual([again.status, await again.text()], [304, ""]);
});

test("CHN-4 only an owner gets the body, the nonce and the owner's side of a trade", async () => {
  const query = `/v1/chain/proof/me?ref_id=t-${order.tradeId}`;
  await proofOf(`ref_id=t-${order.tradeId}`);
  const own = await user.get(query);
  assert.equal(own.status, 200, own.text);
  await verified(own.json);
  const [fill, entry] = own.json.proofs;
  assert.equal(fill.leaf.body.price, "0.1500");
  assert.deepEqual(
    entry.leaf.sides.map(({ role }: { role: string }) => role),
    ["taker"],
  );
  assert.equal(entry.leaf.sides[0].body.account, taker.account);
  assert(
    !own.text.includes(`"account":${maker.account}`),
    "the answer must not contain the other side",
  );
  const stranger = new NativeClient(fixture.address);
  assert.equal((await stranger.get(query)).status, 401);
  await stranger.login();
  assert.equal((await stranger.get(query)).status, 404);
  assert.equal((await stranger.get(`/v1/chain/proof/me?ref_id=o-${order.orderId}`)).status, 404);
});

test("SUB-11 an owner gets the body, the nonce and the side of a trade of its sub-account, as of its own", async () => {
  const { json: sub } = await user.post("/v1/sub-accounts", { label: "one" });
  const account = parsePublicId(PublicIdKind.user, sub.id)?.number ?? 0;
  await fixture.operator.fund({ account, wallet: "spot", asset: "USDC", amount: "100" });
  const { json: made } = await user.post(`/v1/sub-accounts/${sub.id}/api-keys`);
  await place(maker, "SELL");
  const bought = await place({ account, key: made.key, secret: made.secret }, "BUY");
  const query = `ref_id=t-${bought.fills[0].tradeId}`;
  await proofOf(query);
  const own = await user.get(`/v1/chain/proof/me?${query}`);
  assert.equal(own.status, 200, own.text);
  await verified(own.json);
  const { sides } = own.json.proofs[1].leaf;
  assert.deepEqual(
    sides.map(({ role, body }: { role: string; body: { account: number } }) => [
      role,
      body.account,
    ]),
    [["taker", account]],
  );
  const stranger = new NativeClient(fixture.address);
  await stranger.login();
  assert.equal((await stranger.get(`/v1/chain/proof/me?${query}`)).status, 404);
});

test("EPO-6 EPO-11 no epoch is skipped by a crash, by a stop, or for lack of entries", async () => {
  await fixture.crashAndRestart();
  await place(maker, "SELL");
  const { json } = await fixture.get("/v1/chain/status");
  const before = Number(json.head_epoch);
  await fixture.restart();
  await until("three more epochs", async () => {
    const { json: status } = await fixture.get("/v1/chain/status");
    return Number(status.head_epoch) >= before + 3 ? status : null;
  });
  const items = await allEpochs();
  await verified({ items });
  assert(
    items.some(({ journal_count }) => journal_count === "0"),
    "seconds without entries must have epochs too",
  );
  const covered = items.reduce((entries, one) => entries + Number(one.journal_count), 0);
  assert.equal(covered, Number(items[0]?.last_seq));
});

test("CHN-24 all heads have one key, also after a restart, and one that was changed is not signed", async () => {
  const before = await headOf("");
  await fixture.restart();
  const after = await headOf(`?epoch=${before.epoch}`);
  assert.deepEqual(after, before);
  assert.deepEqual(signedHeadIn({ ...after, more: 1 }), after);
  const flipped = after.root.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  const changes = { root: flipped, prev_root: flipped, epoch: "1", time: "1", venue: "other" };
  for (const [name, value] of Object.entries(changes))
    assert.equal(signedHeadIn({ ...after, [name]: value }), null, name);
  const key = Buffer.alloc(32, 2).toString("base64");
  for (const wrong of [null, 7, [], {}, { ...after, key }, { ...after, epoch: 1 }])
    assert.equal(signedHeadIn(wrong), null, JSON.stringify(wrong));
});

test("EPO-7 a venue refuses settings that differ from those of its sealed epochs", async () => {
  const { sql } = fixture.venue.database;
  const [stored] = await sql<{ venue: string; epoch_ms: string }[]>`select * from epoch_chain`;
  assert.deepEqual([stored?.venue, stored?.epoch_ms], ["venue-of-a-test", "1000"]);
  const other: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ EPOCH_SECONDS: "2", VENUE_NAME: "venue-of-a-test" }, /EPOCH_SECONDS=2.*last 1 s/],
    [{ EPOCH_SECONDS: "1", VENUE_NAME: "elsewhere" }, /VENUE_NAME=elsewhere/],
    [
      { EPOCH_SECONDS: "1", VENUE_NAME: "venue-of-a-test", MASTER_KEY: "ab".repeat(32) },
      /MASTER_KEY/,
    ],
  ];
  await fixture.venue.close();
  for (const [settings, message] of other)
    await assert.rejects(fixture.startWith(settings), message);
  await fixture.crashAndRestart();
});

test("EPO-8 sealed epochs and tiles cannot be changed", async () => {
  const { sql } = fixture.venue.database;
  for (const table of ["epochs", "epoch_tiles"]) {
    await assert.rejects(sql.unsafe(`update ${table} set epoch = epoch`), /append-only: UPDATE/);
    await assert.rejects(sql.unsafe(`delete from ${table}`), /append-only: DELETE/);
    await assert.rejects(sql.unsafe(`truncate ${table}`), /append-only: TRUNCATE/);
  }
});

test("CHN-3 an entry that was changed after it was sealed gets no proof", async () => {
  const { sql } = fixture.venue.database;
  const send = async (seq: number) =>
    (await fetch(`${fixture.address}/v1/chain/proof?seq=${seq}`)).status;
  assert.equal(await send(2), 200);
  await sql.begin(async (tx) => {
    // Bypass the triggers, as a superuser can.
    await tx`set local session_replication_role = replica`;
    await tx`update journal set body = set_byte(body, 32, get_byte(body, 32) # 1) where seq = 2`;
  });
  assert.equal(await send(2), 500);
  assert.equal(await send(1), 200);
});
