// Tests of how a request's client is determined: peers, trusted proxies, and headers that are not trusted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rangesHold } from "../../network/address-ranges.ts";
import { ClientAddresses, isLoopback, type Peer } from "./client-address.ts";

function bytes(...values: number[]): ArrayBuffer {
  return Uint8Array.from(values).buffer;
}

const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

test("a client has its socket's address, and IPv4-mapped IPv6 counts as IPv4", () => {
  const addresses = new ClientAddresses([]);
  const plain = addresses.ofPeer(bytes(203, 0, 113, 9));
  assert.equal(plain.text, "203.0.113.9");
  assert.deepEqual(addresses.ofPeer(bytes(...mapped, 203, 0, 113, 9)), plain);
  assert.ok(isLoopback(addresses.ofPeer(bytes(127, 0, 0, 1))));
  assert.ok(isLoopback(addresses.ofPeer(bytes(...new Array<number>(15).fill(0), 1))));
  assert.ok(!isLoopback(plain));
});

test("IPv6 addresses of one /64 share a hash, and each IPv4 address has its own", () => {
  const addresses = new ClientAddresses(["10.0.0.1"]);
  const peer = addresses.ofPeer(bytes(10, 0, 0, 1));
  const hash = (text: string) => addresses.behind(peer, text).hash;
  assert.equal(hash("2001:db8::1"), hash("2001:db8::ffff:1"));
  assert.equal(hash("2001:db8::1"), hash("2001:0db8:0:0:5::"));
  assert.notEqual(hash("2001:db8::1"), hash("2001:db8:0:1::1"));
  assert.notEqual(hash("192.0.2.1"), hash("192.0.2.2"));
  assert.notEqual(hash("::ffff:192.0.2.1"), hash("::ffff:192.0.2.2"));
  assert.deepEqual(addresses.behind(peer, "::FFFF:192.0.2.1"), addresses.behind(peer, "192.0.2.1"));
});

test("LIM-10 the client is the right-most address in the header that is not a trusted proxy", () => {
  const addresses = new ClientAddresses(["10.0.0.0/8", "fd00::/8"]);
  const proxy = addresses.ofPeer(bytes(10, 1, 2, 3));
  const stranger = addresses.ofPeer(bytes(203, 0, 113, 9));
  const client = (peer: Peer, header: string) => addresses.behind(peer, header).text;
  assert.equal(client(proxy, "198.51.100.7"), "198.51.100.7");
  assert.equal(client(proxy, "1.1.1.1, 198.51.100.7,10.9.9.9 , fd00::1"), "198.51.100.7");
  assert.equal(client(proxy, "10.0.0.2, 10.0.0.3"), "10.0.0.2");
  assert.equal(client(proxy, ""), "10.1.2.3");
  // If the proxy names no valid client, the client must not get the address of the proxy. Behind a loopback proxy, the
  // client would then count as this machine.
  assert.equal(client(proxy, "198.51.100.7, junk, 10.0.0.4"), "::");
  for (const header of ["junk", "198.51.100.7:1234", "198.51.100.7, junk", "10.0.0.3,"]) {
    assert.equal(client(proxy, header), "::", header);
  }
  assert.equal(client(stranger, "198.51.100.7"), "203.0.113.9");
  const none = new ClientAddresses([]);
  assert.equal(none.behind(none.ofPeer(bytes(10, 1, 2, 3)), "198.51.100.7").text, "10.1.2.3");
});

test("ranges contain their addresses, and invalid ranges are refused", () => {
  const holds = rangesHold(["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"]);
  for (const address of ["192.0.2.0", "192.0.2.255", "2001:db8:1::", "198.51.100.7"]) {
    assert.ok(holds(address), address);
  }
  for (const address of ["192.0.3.0", "2001:db9::", "198.51.100.8", "", "x"]) {
    assert.ok(!holds(address), address);
  }
  for (const range of ["", "x", "192.0.2.0/x", "192.0.2.0/33", "192.0.2.0/-1", "::/129"]) {
    assert.throws(() => rangesHold([range]), RangeError, range);
  }
});
