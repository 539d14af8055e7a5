// Creates API keys: value, secret, and a row with the encrypted secret. The row is stored first. A key is valid
// only once its registration event is committed, so a row without such an event is never used.

import { KeyType } from "../../core/accounts.ts";
import type { KeyRow, KeyStore } from "../../ports/access/key-store.ts";
import type { Entropy } from "../../ports/entropy.ts";
import { keyOwner, type SecretBox } from "./secret-box.ts";
import { canonicalPublicKey } from "./signed-request.ts";

const keyLength = 64;

export interface KeyMintingPorts {
  readonly store: KeyStore;
  readonly box: SecretBox;
  readonly entropy: Entropy;
  /** Whether 32 bytes are a curve point that is safe as a public key. */
  isSoundPoint(publicKey: Uint8Array): boolean;
}

export interface KeyRequest {
  readonly account: number;
  readonly label: string | null;
  /** Base64 of an Ed25519 public key, or null for a new HMAC secret. */
  readonly publicKey: string | null;
  readonly allowedRanges: readonly string[];
  /** The session whose end also ends the key, if any. */
  readonly sessionId?: number;
  readonly createdMs: number;
}

export interface MintedKey {
  readonly row: KeyRow;
  /** The HMAC secret, shown once and stored only in encrypted form; null for an Ed25519 key. */
  readonly secret: string | null;
}

/** Stores a new key's row. Returns null, storing nothing, for an invalid public key. */
export async function mintKey(
  ports: KeyMintingPorts,
  request: KeyRequest,
): Promise<MintedKey | null> {
  const publicKey = request.publicKey === null ? null : canonicalPublicKey(request.publicKey);
  const isUnsound = publicKey === null || !ports.isSoundPoint(Buffer.from(publicKey, "base64"));
  if (request.publicKey !== null && isUnsound) return null;
  const keyId = await ports.store.takeKeyId();
  const secret = publicKey === null ? ports.entropy.text(keyLength) : null;
  const owner = { keyId, account: request.account };
  const row: KeyRow = {
    ...owner,
    key: ports.entropy.text(keyLength),
    keyType: publicKey === null ? KeyType.hmac : KeyType.ed25519,
    label: request.label,
    sealedSecret: secret === null ? null : ports.box.seal(secret, keyOwner(owner)),
    sealVersion: ports.box.version,
    publicKey,
    allowedRanges: request.allowedRanges,
    sessionId: request.sessionId ?? null,
    createdMs: request.createdMs,
  };
  await ports.store.insert(row);
  return { row, secret };
}
