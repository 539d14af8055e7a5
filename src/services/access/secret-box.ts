// API secrets at rest: AES-256-GCM under the venue's master key. A fresh 96-bit nonce each time;
// key id and account are authenticated with the ciphertext, so a row cannot be moved to another
// account. Sealed form: nonce (12) ‖ ciphertext ‖ tag (16).

import { createCipheriv, createDecipheriv } from "node:crypto";
import { assert } from "../../core/assert.ts";
import type { Entropy } from "../../ports/entropy.ts";

const algorithm = "aes-256-gcm";
const masterKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Whose secret it is. */
export interface SecretOwner {
  readonly keyId: number;
  readonly account: number;
}

function boundTo(owner: SecretOwner): Buffer {
  return Buffer.from(`rialto api key ${owner.keyId} of account ${owner.account}`, "utf8");
}

export class SecretBox {
  /** Stored with each row, so that a later master key can tell its own rows. */
  readonly version: number;
  readonly #masterKey: Uint8Array;
  readonly #entropy: Entropy;

  /** A box under a master key of exactly 32 bytes. */
  constructor(masterKey: Uint8Array, entropy: Entropy, version = 1) {
    assert(masterKey.length === masterKeyBytes, "a master key has 32 bytes");
    this.#masterKey = masterKey;
    this.#entropy = entropy;
    this.version = version;
  }

  /** `secret` encrypted for its owner. */
  seal(secret: string, owner: SecretOwner): Uint8Array {
    const nonce = this.#entropy.bytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#masterKey, nonce);
    cipher.setAAD(boundTo(owner));
    const sealed = [nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed);
  }

  /** The secret; throws if the bytes, the owner, the version or the master key are not the ones sealed. */
  open(sealed: Uint8Array, owner: SecretOwner, version: number): string {
    if (version !== this.version) throw new RangeError(`no master key of version ${version}`);
    const nonce = sealed.subarray(0, nonceBytes);
    const tagFrom = sealed.length - tagBytes;
    if (tagFrom < nonceBytes) throw new RangeError("a sealed secret has a nonce and a tag");
    const decipher = createDecipheriv(algorithm, this.#masterKey, nonce);
    decipher.setAAD(boundTo(owner));
    decipher.setAuthTag(sealed.subarray(tagFrom));
    const opened = decipher.update(sealed.subarray(nonceBytes, tagFrom));
    try {
      return Buffer.concat([opened, decipher.final()]).toString("utf8");
    } catch (cause) {
      throw new RangeError("sealed with another master key, or damaged", { cause });
    }
  }
}
