// Encrypts secrets at rest: AES-256-GCM under the venue's master keys, with a fresh 96-bit nonce. The owner
// is authenticated with the ciphertext, so a row cannot be moved to another owner. The newest key encrypts; every
// available key can decrypt what it encrypted. Form: nonce (12) ‖ ciphertext ‖ tag (16).

import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { assert, present } from "../../core/assert.ts";
import type { Entropy } from "../../ports/entropy.ts";

const algorithm = "aes-256-gcm";
const masterKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const checkPurpose = "rialto master key check, version 1";
const checkDigits = 16;

export interface MasterKey {
  /** Number of the key, stored with each row that the key encrypted. */
  readonly version: number;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** Sixteen hex digits that identify a master key without revealing it. */
export function masterKeyCheck(key: Uint8Array): string {
  return createHmac("sha256", key).update(checkPurpose).digest("hex").slice(0, checkDigits);
}

/** Owner string of an API key's secret. */
export function keyOwner({ keyId, account }: { keyId: number; account: number }): string {
  return `rialto api key ${keyId} of account ${account}`;
}

/** Owner string of a listen key: the API key and surface it belongs to. */
export function listenKeyOwner({ keyId, surface }: { keyId: number; surface: number }): string {
  return `rialto listen key of api key ${keyId} on surface ${surface}`;
}

/** Owner string of a secret of the venue itself. */
export function venueOwner(name: string): string {
  return `rialto venue secret ${name}`;
}

export class SecretBox {
  readonly #entropy: Entropy;
  #keys: readonly MasterKey[] = [];

  /** A box with these keys, of exactly 32 bytes each; the first one encrypts. */
  constructor(keys: readonly MasterKey[], entropy: Entropy) {
    this.#entropy = entropy;
    this.use(keys);
  }

  /** Replaces the keys; the first one encrypts. */
  use(keys: readonly MasterKey[]): void {
    assert(keys.length > 0, "a secret box must have at least one master key");
    assert(
      keys.every(({ key }) => key.length === masterKeyBytes),
      "a master key must have 32 bytes",
    );
    this.#keys = keys;
  }

  /** The keys; the first one encrypts. */
  get keys(): readonly MasterKey[] {
    return this.#keys;
  }

  /** Version of the key that encrypts. */
  get version(): number {
    return present(this.#keys[0], "there must be a master key that encrypts").version;
  }

  /** `secret` encrypted for its owner. */
  seal(secret: string, owner: string): Uint8Array {
    const nonce = this.#entropy.bytes(nonceBytes);
    const { key } = present(this.#keys[0], "there must be a master key that encrypts");
    const cipher = createCipheriv(algorithm, key, nonce);
    cipher.setAAD(Buffer.from(owner, "utf8"));
    const sealed = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed);
  }

  /** The decrypted secret; throws if bytes, owner, version or master key differ from those of the encryption. */
  open(sealed: Uint8Array, owner: string, version: number): string {
    const own = this.#keys.find((one) => one.version === version);
    if (own === undefined) throw new RangeError(`the master key of version ${version} is missing`);
    const nonce = sealed.subarray(0, nonceBytes);
    const tagFrom = sealed.length - tagBytes;
    if (tagFrom < nonceBytes)
      throw new RangeError("an encrypted secret must have a nonce and a tag");
    const decipher = createDecipheriv(algorithm, own.key, nonce);
    decipher.setAAD(Buffer.from(owner, "utf8"));
    decipher.setAuthTag(sealed.subarray(tagFrom));
    const opened = decipher.update(sealed.subarray(nonceBytes, tagFrom));
    try {
      return Buffer.concat([opened, decipher.final()]).toString("utf8");
    } catch (cause) {
      throw new RangeError("the secret is damaged, or encrypted with another master key", {
        cause,
      });
    }
  }
}
