// Only the exact login text is recognised as one, so a wallet that logs in signs nothing else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoginText, loginText } from "./login-text.ts";

const nonce = "Zm9vYmFy";
const venue = "venue.example:8443";
const terms = {
  venue,
  partyId: "trader::1220ab",
  nonce,
  issuedMs: 1_700_000_000_000,
  expiresMs: 1_700_000_300_000,
};

test("SES-2 only the text of a login is recognised as one", () => {
  const text = loginText(terms);
  assert.equal(isLoginText(text, nonce, venue), true);
  const others = [
    "",
    "x".repeat(32),
    `${text}\n`,
    `${text}\nand a payment`,
    text.replace("version 2", "version 1"),
    text.replace("moves nothing", "moves all"),
    text.replace("trader::1220ab", "trader\r1220ab"),
    text.replace("trader::1220ab", "trader::é"),
    text.replace("2023", "soon"),
    loginText({ ...terms, nonce: "b3RoZXI=" }),
    loginText({ ...terms, venue: "venue.example" }),
    loginText({ ...terms, venue: "other.example:8443" }),
  ];
  for (const other of others)
    assert.equal(isLoginText(other, nonce, venue), false, JSON.stringify(other));
});
