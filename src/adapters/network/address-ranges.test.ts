// Which text is an address range, and which network a range with an address of it is meant to be.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isRange, isWithin, networkOf, rangesHold } from "./address-ranges.ts";

test("KEY-9 a range with bits behind its prefix is known, with the network that it holds", () => {
  for (const [range, network] of [
    ["10.0.0.5/8", "10.0.0.0/8"],
    ["192.0.2.7/25", "192.0.2.0/25"],
    ["192.0.2.129/25", "192.0.2.128/25"],
    ["192.0.2.7/31", "192.0.2.6/31"],
    ["192.0.2.7/0", "0.0.0.0/0"],
    ["2001:db8::1/32", "2001:db8::/32"],
    ["2001:db8:ffff::/33", "2001:db8:8000::/33"],
    ["::1/127", "::/127"],
    ["::ffff:10.0.0.5/104", "::ffff:a00:0/104"],
    ["10.0.0.0/8", null],
    ["192.0.2.7", null],
    ["192.0.2.7/32", null],
    ["0.0.0.0/0", null],
    ["2001:db8::/32", null],
    ["::1", null],
    ["::/0", null],
    ["office", null],
  ] as const) {
    assert.equal(networkOf(range), network, range);
    if (network === null) continue;
    assert.equal(networkOf(network), null, network);
    assert.ok(isRange(network) && isWithin(range, [network]) && isWithin(network, [range]));
  }
});

test("a range that was stored with bits behind its prefix still holds its network", () => {
  assert.ok(rangesHold(["10.0.0.5/8"])("10.9.9.9"));
});
