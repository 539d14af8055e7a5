// Proves that no user and no password of a URL is left in an error.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPasswords } from "./url-text.ts";

test("OPS-29 errors leave user and password out of URLs, whatever these hold", () => {
  const told = [
    ["'https://carol:sesame@venue.example'", "'https://***@venue.example'"],
    ["'https://carol:open/sesame@venue.example' is", "'https://***@venue.example' is"],
    [
      "postgres://a:b@c@db/rialto and nats://x:y@bus",
      "postgres://***@db/rialto and nats://***@bus",
    ],
    ["token://abc@host", "token://***@host"],
    ["https://venue.example/path, a@b.example", "https://venue.example/path, a@b.example"],
  ] as const;
  for (const [typed, shown] of told) assert.equal(withoutPasswords(typed), shown);
});
