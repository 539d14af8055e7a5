// Whether 32 bytes are usable as an Ed25519 public key: a point on the curve that is not of small order, for
// which anyone can forge signatures. The runtime's verification does not check this.

import { ed25519 } from "@noble/curves/ed25519.js";

export function isSoundPoint(publicKey: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(publicKey).isSmallOrder();
  } catch {
    return false;
  }
}
