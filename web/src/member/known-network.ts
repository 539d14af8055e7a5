// What this browser has seen of the venue's network: who settles, who issues, and by which contracts. What it
// has signed once it holds every later transaction against; the owner of the browser may have it forgotten.

import {
  joinedNetwork,
  type KnownNetwork,
  knownNetworkIn,
  unknownNetwork,
} from "../../../src/services/swaps/known-network.ts";

const storageName = "rialto-known-network";

/** Throws where what is kept cannot be read: then nobody knows what was known. */
export function knownNetwork(): KnownNetwork {
  const text = localStorage.getItem(storageName);
  if (text === null) return unknownNetwork;
  const known = knownNetworkIn(JSON.parse(text));
  if (known === null) throw new Error("What this browser knows of the network cannot be read.");
  return known;
}

/** Throws, and keeps nothing, where another page of this browser has seen something else meanwhile. */
export function keepNetwork(seen: KnownNetwork): void {
  const known = joinedNetwork(knownNetwork(), seen);
  if (known === null) {
    throw new Error(
      "Another page has seen another operator or issuer meanwhile: nothing was signed.",
    );
  }
  localStorage.setItem(storageName, JSON.stringify(known));
}

export function forgetNetwork(): void {
  localStorage.removeItem(storageName);
}
