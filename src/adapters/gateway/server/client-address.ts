// The client address of a request: the peer of the connection or, behind trusted proxies, the right-most address in
// X-Forwarded-For that is not a trusted proxy. The rest of that header is only what the client claims, so it is not
// trusted.

import { isIP } from "node:net";
import { rangesHold } from "../../network/address-ranges.ts";

export interface ClientAddress {
  readonly text: string;
  /**
   * 32 bits that identify the client to rate limits: an IPv4 address unchanged, or a hash of the /64 network of an IPv6
   * address.
   */
  readonly hash: number;
  /**
   * 32 bits that identify the network a single customer may own: the /24 of an IPv4 address, the /48 of an IPv6
   * address.
   */
  readonly networkHash: number;
}

/** Number of addresses that are cached, so that their texts and hashes are computed only once. */
const remembered = 65_536;
/** Longest header that is cached. Longer headers are parsed each time, so that clients cannot fill the memory. */
const rememberedLengthMax = 128;
const loopback = rangesHold(["127.0.0.0/8", "::1"]);

/** Returns true for an address of this machine. */
export function isLoopback(address: ClientAddress): boolean {
  return loopback(address.text);
}

/** Prefix of IPv4-mapped IPv6 addresses, as dual-stack proxies write them. */
const mappedPrefix = /^::ffff:(?=\d+\.)/i;

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The eight groups of a textual IPv6 address. */
function groupsOf(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const parse = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const first = parse(head);
  const last = tail === undefined ? [] : parse(tail);
  return [
    ...first,
    ...new Array<number>(Math.max(8 - first.length - last.length, 0)).fill(0),
    ...last,
  ];
}

function addressOf(text: string): ClientAddress {
  if (isIP(text) === 4) {
    const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
    const network = (a << 24) | (b << 16) | (c << 8);
    return { text, hash: network | d, networkHash: network };
  }
  // The hash covers only the /64 network: one customer owns all of it and could evade limits on single addresses.
  const groups = groupsOf(text);
  const of = (count: number) => hashOf(groups.slice(0, count).join(":"));
  return { text, hash: of(4), networkHash: of(3) };
}

/** The address used for a client that a trusted proxy does not identify. It is neither the proxy's nor a real one. */
const unreadable = addressOf("::");

/** The other end of a connection. */
export interface Peer extends ClientAddress {
  /** True if the X-Forwarded-For header of this peer is trusted. */
  readonly isTrusted: boolean;
}

export class ClientAddresses {
  readonly trusts: (address: string) => boolean;
  readonly hasTrusted: boolean;
  readonly #peers = new Map<string, Peer>();
  /** Peers by the 32 bits of an IPv4 address. */
  readonly #peersV4 = new Map<number, Peer>();
  readonly #texts = new Map<string, ClientAddress>();
  /** Clients by the header that trusted peers sent. */
  readonly #forwarded = new Map<string, ClientAddress>();

  /** Trusts X-Forwarded-For of peers in `trustedProxies` (CIDR ranges); throws for an invalid range. */
  constructor(trustedProxies: readonly string[]) {
    this.hasTrusted = trustedProxies.length > 0;
    this.trusts = rangesHold(trustedProxies);
  }

  /** The peer with the socket's 4 or 16 address bytes. */
  ofPeer(bytes: ArrayBuffer): Peer {
    if (bytes.byteLength === 4) return this.#peerV4(new Uint8Array(bytes), 0);
    if (bytes.byteLength !== 16) return this.#peerOf("::");
    const view = new DataView(bytes);
    const isMapped =
      view.getInt32(0) === 0 && view.getInt32(4) === 0 && view.getInt32(8) === 0xffff;
    if (isMapped) return this.#peerV4(new Uint8Array(bytes), 12);
    const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(2 * at).toString(16));
    return this.#peerOf(groups.join(":"));
  }

  /** The other end of a socket of the runtime, which tells its address as text. */
  ofSocket(remoteAddress: string | undefined): ClientAddress {
    return this.#ofText((remoteAddress ?? "::").replace(mappedPrefix, ""));
  }

  /** The client behind `peer`, given the X-Forwarded-For header as received. */
  behind(peer: Peer, forwardedFor: string): ClientAddress {
    if (!peer.isTrusted || forwardedFor === "") return peer;
    const known = this.#forwarded.get(forwardedFor);
    if (known !== undefined) return known;
    const client = this.#trace(forwardedFor);
    if (forwardedFor.length > rememberedLengthMax) return client;
    if (this.#forwarded.size >= remembered) this.#forwarded.clear();
    this.#forwarded.set(forwardedFor, client);
    return client;
  }

  /**
   * The right-most untrusted hop, or the left-most hop if all are trusted. If one of the hops read is not an address,
   * the result is the unidentified client.
   */
  #trace(forwardedFor: string): ClientAddress {
    let client = unreadable;
    for (const hop of forwardedFor.split(",").reverse()) {
      const text = hop.trim().replace(mappedPrefix, "");
      if (isIP(text) === 0) return unreadable;
      client = this.#ofText(text);
      if (!this.trusts(text)) break;
    }
    return client;
  }

  #peerV4(bytes: Uint8Array, from: number): Peer {
    let bits = 0;
    for (let at = from; at < from + 4; at++) bits = (bits << 8) | (bytes[at] ?? 0);
    const known = this.#peersV4.get(bits);
    if (known !== undefined) return known;
    const peer = this.#peerOf(bytes.subarray(from, from + 4).join("."));
    if (this.#peersV4.size >= remembered) this.#peersV4.clear();
    this.#peersV4.set(bits, peer);
    return peer;
  }

  #peerOf(text: string): Peer {
    const known = this.#peers.get(text);
    if (known !== undefined) return known;
    const peer = { ...addressOf(text), isTrusted: this.hasTrusted && this.trusts(text) };
    if (this.#peers.size >= remembered) this.#peers.clear();
    this.#peers.set(text, peer);
    return peer;
  }

  #ofText(text: string): ClientAddress {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const address = addressOf(text);
    if (this.#texts.size >= remembered) this.#texts.clear();
    this.#texts.set(text, address);
    return address;
  }
}
