// Whether 32 bytes are usable as an Ed25519 public key: a point of the curve, and not one of small
// order, for which anybody can make signatures. The runtime's own verification does not ask.

import { ed25519 } from "@noble/curves/ed25519.js";

export function isSoundPoint(publicKey: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(publicKey).isSmallOrder();
  } catch {
    return false;
  }
}
