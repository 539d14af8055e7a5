// Checks addresses against CIDR ranges, for trusted proxies and the allow-lists of keys. Which address a request came
// from is determined elsewhere.

import { BlockList, isIP } from "node:net";

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/**
 * Parses a range into address, family and bits; null if it is invalid. IPv6 zones are refused, because a zone has a
 * meaning only on one machine.
 */
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

/** True if the text is a range or an address: `10.0.0.0/8`, `::1`, `192.0.2.7`. */
export function isRange(text: string): boolean {
  return parsed(text) !== null;
}

/**
 * The network that a valid range is meant to be, if bits are set behind its prefix (`10.0.0.5/8` → `10.0.0.0/8`); null if
 * none are, as of a single address. Such a range holds all of its network, which its author may not have meant.
 */
export function networkOf(range: string): string | null {
  const sound = parsed(range);
  if (sound === null) return null;
  const { address, family, bits } = sound;
  const isLong = family === "ipv6";
  const groups = isLong ? groupsOf(address) : address.split(".").map(Number);
  const width = isLong ? 16 : 8;
  const masked = groups.map((group, place) => {
    const kept = Math.min(Math.max(bits - place * width, 0), width);
    return group & ~(2 ** (width - kept) - 1);
  });
  if (masked.every((group, place) => group === groups[place])) return null;
  const text = isLong
    ? shortest(masked.map((group) => group.toString(16)).join(":"))
    : masked.join(".");
  return `${text}/${bits}`;
}

/** An IPv6 address in its shortest form. */
function shortest(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const halves = shortest(address).split("::");
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const gap = new Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
}

/** True if one of `ranges` contains every address of `range`. All arguments must be valid ranges. */
export function isWithin(range: string, ranges: readonly string[]): boolean {
  const inner = parsed(range);
  if (inner === null) return false;
  return ranges.some((outer) => {
    const around = parsed(outer);
    if (around === null || around.family !== inner.family || around.bits > inner.bits) return false;
    return rangesHold([outer])(inner.address);
  });
}

/**
 * Returns a function that tests addresses against `ranges` (`10.0.0.0/8`, `::1`, `192.0.2.7`). Throws if a range is
 * invalid.
 */
export function rangesHold(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const sound = parsed(range);
    if (sound === null) throw new RangeError(`not an address range: ${range}`);
    list.addSubnet(sound.address, sound.bits, sound.family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}
