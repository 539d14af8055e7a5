// Client order ids: which texts a client may use, and the form the venue derives itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { derivedClientId, isClientId, isReservedClientId, orderIdOfDerived } from "./client-id.ts";

test("ORD-13 a client id is 1 to 36 of the allowed characters", () => {
  for (const good of ["a", ".A-Z:/a-z0-9_-", "x".repeat(36), "o-1"]) {
    assert(isClientId(good), good);
  }
  for (const bad of ["", "x".repeat(37), "a b", "ä", "a\n", "a,b", "%41"]) {
    assert(!isClientId(bad), bad);
  }
});

test("ORD-14 a derived id leads back to its order, and only that exact form is reserved", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (orderId) => {
      const derived = derivedClientId(orderId);
      assert(isClientId(derived) && isReservedClientId(derived));
      assert.equal(orderIdOfDerived(derived), orderId);
    }),
  );
  assert.equal(derivedClientId(7), "o-00000000000000000007");
  for (const free of ["o-7", "o-0000000000000000000x", "O-00000000000000000007", ""]) {
    assert(!isReservedClientId(free), free);
    assert.equal(orderIdOfDerived(free), 0);
  }
  assert.equal(orderIdOfDerived(`o-${"9".repeat(20)}`), 0, "beyond the order ids there can be");
});
