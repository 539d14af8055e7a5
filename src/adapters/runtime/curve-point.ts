// Checks whether 32 bytes can be used as an Ed25519 public key. They must be a point on the curve that is not of small
// order: for such a point, anyone can forge signatures. The runtime's verification does not check this.

import { ed25519 } from "@noble/curves/ed25519.js";

export function isSoundPoint(publicKey: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(publicKey).isSmallOrder();
  } catch {
    return false;
  }
}
