// Ids of the native API: parsing an id of the expected kind gives its number and time; any other text is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isUuid, PublicIdKind, parsePublicId, publicId } from "./public-id.ts";

const kinds = fc.constantFrom(...Object.values(PublicIdKind));
const numbers = fc.maxSafeNat();
const times = fc.nat({ max: 2 ** 48 - 1 });

test("NAT-3 an id is a version 7 UUID that parses back to its number, and only for its own kind", () => {
  fc.assert(
    fc.property(kinds, numbers, times, (kind, number, bornMs) => {
      const id = publicId(kind, number, bornMs);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(parsePublicId(kind, id), { number, bornMs });
      assert.deepEqual(parsePublicId(kind, id.toUpperCase()), { number, bornMs });
      for (const other of Object.values(PublicIdKind)) {
        if (other !== kind) assert.equal(parsePublicId(other, id), null);
      }
    }),
  );
});

test("NAT-3 ids sort by creation time", () => {
  fc.assert(
    fc.property(
      kinds,
      numbers,
      times,
      fc.integer({ min: 1, max: 1000 }),
      (kind, number, at, on) => {
        if (at + on >= 2 ** 48) return;
        assert(publicId(kind, number, at) < publicId(kind, 0, at + on));
      },
    ),
  );
});

test("NAT-3 a malformed UUID is distinguished from a UUID that names nothing", () => {
  for (const text of [
    "",
    "1",
    "0190a4b0-0000-7001-8000-00000000000",
    "not-a-uuid",
    `${"0".repeat(36)}`,
  ]) {
    assert(!isUuid(text));
    assert.equal(parsePublicId(PublicIdKind.order, text), null);
  }
  for (const text of [
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "0190a4b0-0000-7001-bfff-ffffffffffff",
  ]) {
    assert(isUuid(text));
    assert.equal(parsePublicId(PublicIdKind.order, text), null);
  }
});
