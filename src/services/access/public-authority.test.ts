// The host names for which a request may be signed, with a configured URL and without one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PublicAuthority } from "./public-authority.ts";

test("LPS-5 with a public URL only its host is accepted, in any spelling, whatever the listen address", () => {
  const authority = new PublicAuthority("https://Venue.Example");
  authority.listens("127.0.0.1", 8080);
  for (const host of ["venue.example", "VENUE.example:443"]) assert.ok(authority.has(host), host);
  for (const host of ["", "127.0.0.1:8080", "venue.example.evil", "venue.example:8443"])
    assert.equal(authority.has(host), false, host);
});

test("LPS-5 without a public URL the listen address is accepted; for a loopback or wildcard address, the loopback names are", () => {
  const named = new PublicAuthority(null);
  named.listens("10.1.2.3", 8080);
  assert.deepEqual(
    ["10.1.2.3:8080", "localhost:8080"].map((host) => named.has(host)),
    [true, false],
  );
  for (const host of ["127.0.0.1", "0.0.0.0", "::"]) {
    const local = new PublicAuthority(null);
    local.listens(host, 8080);
    for (const name of ["localhost:8080", "127.0.0.1:8080", "[::1]:8080"])
      assert.ok(local.has(name), `${name} on ${host}`);
    assert.equal(local.has("127.0.0.1:8081"), false);
    assert.equal(local.has("0.0.0.0:8080"), false);
  }
  const six = new PublicAuthority(null);
  six.listens("fd00::1", 8080);
  assert.ok(six.has("[fd00::1]:8080"));
});

test("SES-14 the host named in answers is one of the venue's own, whatever host the client sends", () => {
  const named = new PublicAuthority("https://venue.example");
  for (const host of ["venue.example:443", "evil.example", ""])
    assert.equal(named.nameFor(host), "venue.example");
  const local = new PublicAuthority(null);
  local.listens("127.0.0.1", 8080);
  assert.equal(local.nameFor("127.0.0.1:8080"), "127.0.0.1:8080");
  assert.equal(local.nameFor("evil.example"), "localhost:8080");
  // The name is what a browser shows: it contains the port unless the URL's own scheme implies it.
  for (const [url, name] of [
    ["http://venue.example:443", "venue.example:443"],
    ["https://venue.example:80", "venue.example:80"],
    ["http://venue.example:80", "venue.example"],
  ] as const)
    assert.equal(new PublicAuthority(url).nameFor(name), name);
});

test("LPS-5 before the server listens no host is accepted", () => {
  assert.equal(new PublicAuthority(null).has("127.0.0.1:8080"), false);
});
