// Proves that every event kind has a body in its leaf, that the body is canonical JSON, and that no field of an
// event can change without changing the body or the leaf.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { EventKind, type Traded, type VenueEvent } from "../../src/core/generated/events.ts";
import { Side } from "../../src/core/orders.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { canonicalJson } from "../../src/services/epochs/proof-verifier.ts";
import { marketId, testMarkets } from "../support/machine/test-markets.ts";
import { startUs } from "../support/machine/test-venue.ts";
import { eventOfEachKind } from "../wire/record-arbitraries.ts";

const key = createHash("sha256").update("nonce key of a test").digest();
const hasher = new LeafHasher(testMarkets, key);
const sha256 = (...parts: (Uint8Array | string)[]) => {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest();
};

/** Maps arbitrary market and asset codes to codes that exist in the test markets. */
function onTable(event: VenueEvent): VenueEvent {
  const known = { ...event } as unknown as Record<string, number>;
  if ("market" in known) known["market"] = Number(known["market"]) % testMarkets.markets.length;
  if ("asset" in known) known["asset"] = Number(known["asset"]) % testMarkets.assets.length;
  return known as unknown as VenueEvent;
}

/** Returns all hashed data of an event except its nonce, as text; for a trade also the bodies of both sides. */
function saidOf(event: VenueEvent): string {
  const { data, body } = hasher.openJournal(event);
  // Leave out the body's hash, which is at the end: the body itself is compared.
  const said = [Buffer.from(data.subarray(0, -32)).toString("hex"), body];
  if (event.kind !== EventKind.traded) return said.join(" ");
  const [taker, maker] = [hasher.openSide(event, "taker"), hasher.openSide(event, "maker")];
  return [...said, taker.body, maker.body].join(" ");
}

test("EPO-3 every event kind has a body in canonical JSON", () => {
  const kinds = new Set<number>();
  for (const arbitrary of eventOfEachKind) {
    const property = fc.property(arbitrary, (event) => {
      kinds.add(event.kind);
      const { body } = hasher.openJournal(onTable(event));
      assert.equal(canonicalJson(JSON.parse(body)), body);
    });
    fc.assert(property, { numRuns: 50 });
  }
  assert.deepEqual([...kinds].sort(), [...Object.values(EventKind)].sort());
});

test("EPO-3 every change of an event's field changes what is hashed", () => {
  for (const arbitrary of eventOfEachKind) {
    const property = fc.property(arbitrary, arbitrary, (first, second) => {
      const [one, other] = [onTable(first), onTable(second)];
      for (const name of Object.keys(one) as (keyof VenueEvent)[]) {
        if (one[name] === other[name]) continue;
        const changed = { ...one, [name]: other[name] } as VenueEvent;
        // Amounts of different markets or assets may have the same digits in decimal notation; the name of the
        // market or asset still differs.
        assert.notEqual(saidOf(changed), saidOf(one), name);
      }
    });
    fc.assert(property, { numRuns: 30 });
  }
});

const trade: Traded = {
  kind: EventKind.traded,
  seq: 7,
  tsUs: startUs,
  account: 1001,
  isTransactionEnd: true,
  tradeId: 3,
  market: marketId.ccUsdc,
  takerSide: Side.buy,
  takerOrderId: 12,
  makerOrderId: 5,
  makerAccount: 1002,
  price: 1_500,
  qty: 200,
  takerFee: 2_000_000n,
  makerFee: 1_200n,
  takerPnl: 0n,
  makerPnl: 0n,
};

test("EPO-4 both sides of a trade can read it, and neither sees the other's account, fee or profit", () => {
  const leaf = hasher.openJournal(trade);
  const body = JSON.parse(leaf.body);
  assert.equal(body.price, "0.1500");
  assert.equal(body.qty, "20.0");
  assert(!leaf.body.includes("1001") && !leaf.body.includes("1002"), leaf.body);
  for (const side of ["taker", "maker"] as const) {
    const own = hasher.openSide(trade, side);
    assert.equal(body[side], sha256(Uint8Array.of(3), own.nonce, own.body).toString("hex"));
  }
  assert.equal(
    hasher.openSide(trade, "taker").body,
    '{"account":1001,"fee":"0.02000000","pnl":"0.000000"}',
  );
  assert.equal(
    hasher.openSide(trade, "maker").body,
    '{"account":1002,"fee":"0.001200","pnl":"0.000000"}',
  );
  assert.equal(
    hasher.openFill(trade).body,
    '{"maker_order_id":"o-5","market":"CC-USDC","price":"0.1500","qty":"20.0",' +
      '"taker_order_id":"o-12","taker_side":"BUY","trade_id":"t-3"}',
  );
});

test("EPO-5 a nonce is the first 16 bytes of the HMAC of kind and number", () => {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(7n);
  const expected = createHmac("sha256", key).update(Uint8Array.of(1)).update(number).digest();
  assert.deepEqual(Buffer.from(hasher.openJournal(trade).nonce), expected.subarray(0, 16));
});

test("EPO-2 the fast computation of a leaf hash equals the readable one", () => {
  const [journal, fill] = [new Uint8Array(40), new Uint8Array(32)];
  hasher.hashJournal(trade, journal, 8);
  hasher.hashFill(trade, fill, 0);
  assert.deepEqual(journal.slice(8), hasher.openJournal(trade).hash);
  assert.deepEqual(fill, hasher.openFill(trade).hash);
  const { data, hash } = hasher.openFill(trade);
  assert.deepEqual(Buffer.from(hash), sha256(Uint8Array.of(0), data));
});
