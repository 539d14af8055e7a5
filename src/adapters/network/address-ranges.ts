// CIDR ranges of addresses, for trusted proxies and allow-lists of keys. Membership only; the source of an
// address is determined elsewhere.

import { BlockList, isIP } from "node:net";

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** A range's address, family and bits; null if invalid. IPv6 zones have no meaning elsewhere and are refused. */
function parsed(range: string): { address: string; family: "ipv4" | "ipv6"; bits: number } | null {
  const [address = "", prefix, ...rest] = range.split("/");
  const family = familyOf(address);
  const bitsMax = family === "ipv4" ? 32 : 128;
  const bits = Number(prefix ?? bitsMax);
  const isSound = isIP(address) !== 0 && !address.includes("%") && rest.length === 0;
  return isSound && /^\d{1,3}$/.test(prefix ?? "0") && bits <= bitsMax
    ? { address, family, bits }
    : null;
}

/** Whether a text is a range: `10.0.0.0/8`, `::1`, `192.0.2.7`. */
export function isRange(text: string): boolean {
  return parsed(text) !== null;
}

/** Whether one of `ranges` contains every address of `range`. All arguments are valid ranges. */
export function isWithin(range: string, ranges: readonly string[]): boolean {
  const inner = parsed(range);
  if (inner === null) return false;
  return ranges.some((outer) => {
    const around = parsed(outer);
    if (around === null || around.family !== inner.family || around.bits > inner.bits) return false;
    return rangesHold([outer])(inner.address);
  });
}

/** A test of addresses against `ranges` (`10.0.0.0/8`, `::1`, `192.0.2.7`). Throws for anything else. */
export function rangesHold(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const sound = parsed(range);
    if (sound === null) throw new RangeError(`not an address range: ${range}`);
    list.addSubnet(sound.address, sound.bits, sound.family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}
