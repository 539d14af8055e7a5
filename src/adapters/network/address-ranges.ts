// CIDR ranges of addresses: trusted proxies and the allow-lists of keys. Pure membership; where an
// address comes from is decided elsewhere.

import { BlockList, isIP } from "node:net";

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** A test of addresses against `ranges` (`10.0.0.0/8`, `::1`, `192.0.2.7`). Throws for anything else. */
export function rangesHold(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    const family = familyOf(address);
    const bitsMax = family === "ipv4" ? 32 : 128;
    const bits = Number(prefix ?? bitsMax);
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefix ?? "0") || bits > bitsMax) {
      throw new RangeError(`not an address range: ${range}`);
    }
    list.addSubnet(address, bits, family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}
