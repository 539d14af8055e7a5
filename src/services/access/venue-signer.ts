// Signs the venue's requests to providers and rotates the signing keys. A new key is published first and signs
// later, so that providers that refresh rarely know each key before its first signature. The previous key stays
// published while requests that it signed may be in progress.

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { present } from "../../core/assert.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { SealedKey, SigningKeyStore, VenueKey } from "../../ports/swaps/provider-registry.ts";
import {
  nonceBytes,
  type SignatureHeaders,
  type SignedParts,
  signMessage,
} from "./message-signature.ts";
import { fingerprintOf } from "./party-id.ts";
import { type SecretBox, venueOwner } from "./secret-box.ts";

/** How long a new key is published before it signs. */
const announceMs = 600_000;
/** How long the previous key stays published after the new key starts to sign. */
const overlapMs = 600_000;
const seedBytes = 32;

/** DER header of a PKCS #8 Ed25519 key; its 32 bytes follow. */
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex");

export interface VenueSignerParts {
  readonly store: SigningKeyStore;
  readonly box: SecretBox;
  readonly entropy: Entropy;
  nowMs(): number;
}

interface OpenKey {
  readonly keyId: string;
  readonly key: KeyObject;
  readonly signsFromMs: number;
}

/** The id of a public key in signatures by the venue or a provider: the fingerprint by the ledger network's rule. */
export function signingKeyId(publicKey: string): string {
  return `1220${fingerprintOf(publicKey)}`;
}

/** A private key from its 32 bytes, with its public key as standard base64. */
export function signingKeyOf(seed: Uint8Array): { key: KeyObject; publicKey: string } {
  const der = Buffer.concat([pkcs8Header, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { key, publicKey: spki.subarray(-seedBytes).toString("base64") };
}

export class VenueSigner {
  readonly #parts: VenueSignerParts;
  /** The keys that could be decrypted, newest first. */
  #keys: readonly OpenKey[] = [];

  constructor(parts: VenueSignerParts) {
    this.#parts = parts;
  }

  /** Reads the keys again; creates one if none can be opened. */
  async refresh(): Promise<void> {
    const { store, nowMs } = this.#parts;
    this.#keys = this.#opened(await store.sealedKeys(nowMs()));
    if (this.#keys.length > 0) return;
    await this.rotate(true);
    this.#keys = this.#opened(await store.sealedKeys(nowMs()));
  }

  /** The keys that can be decrypted. A key encrypted under a master key that is not available is not used. */
  #opened(rows: readonly (VenueKey & SealedKey)[]): OpenKey[] {
    return rows.flatMap((row) => {
      const { keyId, signsFromMs } = row;
      // A key that was decrypted once stays usable, whichever master key its row is encrypted under now.
      const known = this.#keys.find((each) => each.keyId === keyId);
      const text = known === undefined ? this.#open(row) : null;
      if (known === undefined && text === null) return [];
      const key = known?.key ?? signingKeyOf(Buffer.from(text ?? "", "base64")).key;
      return [{ keyId, key, signsFromMs }];
    });
  }

  #open({ sealed, owner, sealVersion }: SealedKey): string | null {
    try {
      return this.#parts.box.open(sealed, venueOwner(owner), sealVersion);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /**
   * Publishes a new key. It starts to sign after ten minutes or, with `isAtOnce`, immediately and in place of all
   * others. Returns null, without a new key, if two keys are already published.
   */
  rotate(isAtOnce: boolean): Promise<VenueKey | null> {
    const { store, box, entropy, nowMs } = this.#parts;
    const seed = entropy.bytes(seedBytes);
    const { publicKey } = signingKeyOf(seed);
    const text = Buffer.from(seed).toString("base64");
    const now = nowMs();
    return store.addKey({
      keyId: signingKeyId(publicKey),
      publicKey,
      sealVersion: box.version,
      nowMs: now,
      isAtOnce,
      signsFromMs: now + announceMs,
      retirePreviousMs: now + announceMs + overlapMs,
      seal: (owner) => box.seal(text, venueOwner(owner)),
    });
  }

  /** Signs with the newest active key, or with the oldest key if none is active yet; asserts that keys were read. */
  sign(parts: SignedParts, idempotencyKey: string): SignatureHeaders {
    const { entropy } = this.#parts;
    const nowMs = this.#parts.nowMs();
    const chosen = this.#keys.find(({ signsFromMs }) => signsFromMs <= nowMs) ?? this.#keys.at(-1);
    const { keyId, key } = present(chosen, "the signing keys must be loaded first");
    return signMessage(parts, {
      keyId,
      key,
      idempotencyKey,
      nonce: entropy.bytes(nonceBytes),
      nowMs,
    });
  }
}
