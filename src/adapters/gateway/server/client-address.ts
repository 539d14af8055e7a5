// Who a request comes from: the peer of the connection, or behind trusted proxies the right-most
// hop of X-Forwarded-For that is not one of them. Anything else in that header is what the client
// says about itself and is not believed.

import { isIP } from "node:net";
import { rangesHold } from "./address-ranges.ts";

export interface ClientAddress {
  readonly text: string;
  /** 32 bits for rate limits: an IPv4 address as it is, the /64 of an IPv6 address hashed. */
  readonly hash: number;
}

/** Addresses remembered so that their texts and hashes are made once. */
const remembered = 65_536;
/** Longer headers are traced each time: what a stranger may say must not fill memory. */
const rememberedLengthMax = 128;
const loopback = rangesHold(["127.0.0.0/8", "::1"]);

/** True for this machine itself. */
export function isLoopback(address: ClientAddress): boolean {
  return loopback(address.text);
}

/** IPv4 in IPv6 clothes, as proxies that listen on both write it. */
const mappedPrefix = /^::ffff:(?=\d+\.)/i;

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The eight groups of an IPv6 address given as text. */
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
    return { text, hash: (a << 24) | (b << 16) | (c << 8) | d };
  }
  // One customer holds a whole /64: limits that looked at all 128 bits would limit nothing.
  return { text, hash: hashOf(groupsOf(text).slice(0, 4).join(":")) };
}

export class ClientAddresses {
  readonly trusts: (address: string) => boolean;
  readonly hasTrusted: boolean;
  readonly #peers = new Map<number, ClientAddress>();
  readonly #texts = new Map<string, ClientAddress>();
  /** Clients by peer and header: a connection says the same with each request. */
  readonly #forwarded = new Map<string, ClientAddress>();

  /** Believes X-Forwarded-For of peers in `trustedProxies` (CIDR ranges); throws for a bad range. */
  constructor(trustedProxies: readonly string[]) {
    this.hasTrusted = trustedProxies.length > 0;
    this.trusts = rangesHold(trustedProxies);
  }

  /** The peer whose 4 or 16 address bytes the socket gives. */
  ofPeer(bytes: ArrayBuffer): ClientAddress {
    const view = new DataView(bytes);
    if (view.byteLength === 4) return this.#peerV4(view.getInt32(0));
    if (view.byteLength !== 16) return this.#ofText("::");
    const isMapped =
      view.getInt32(0) === 0 && view.getInt32(4) === 0 && view.getInt32(8) === 0xffff;
    if (isMapped) return this.#peerV4(view.getInt32(12));
    const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(2 * at).toString(16));
    return this.#ofText(groups.join(":"));
  }

  /** The client behind `peer`, given the X-Forwarded-For header as received. */
  behind(peer: ClientAddress, forwardedFor: string): ClientAddress {
    if (!this.hasTrusted || forwardedFor === "") return peer;
    const key = `${peer.text} ${forwardedFor}`;
    const known = this.#forwarded.get(key);
    if (known !== undefined) return known;
    const client = this.#trace(peer, forwardedFor);
    if (key.length > rememberedLengthMax) return client;
    if (this.#forwarded.size >= remembered) this.#forwarded.clear();
    this.#forwarded.set(key, client);
    return client;
  }

  #trace(peer: ClientAddress, forwardedFor: string): ClientAddress {
    if (!this.trusts(peer.text)) return peer;
    let client = peer;
    for (const hop of forwardedFor.split(",").reverse()) {
      const text = hop.trim().replace(mappedPrefix, "");
      if (isIP(text) === 0) break;
      client = this.#ofText(text);
      if (!this.trusts(text)) break;
    }
    return client;
  }

  #peerV4(bits: number): ClientAddress {
    const known = this.#peers.get(bits);
    if (known !== undefined) return known;
    const text = `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
    const address = { text, hash: bits };
    if (this.#peers.size >= remembered) this.#peers.clear();
    this.#peers.set(bits, address);
    return address;
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
