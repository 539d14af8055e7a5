// The API keys of a fork. The journal knows a key by its number, account and rights; its name and secret are in a row that no
// event tells. A fork therefore has the same keys under new names with new secrets, or, of a development venue on request,
// the very same ones, encrypted with the fork's own master key.

import { generateKeyPairSync } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql } from "../../adapters/postgres/connection.ts";
import { PostgresKeyStore } from "../../adapters/postgres/queries/access/api-keys.ts";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import { KeyType } from "../../core/accounts.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { KeyRow } from "../../ports/access/key-store.ts";
import { keyOwner, type SecretBox } from "../../services/access/secret-box.ts";

const fileName = "fork-keys.json";
const ownerOnly = 0o600;
const nameLength = 64;
/** The bytes of a public key are the last ones of its DER form. */
const publicKeyBytes = 32;

/** A key as its holder needs it: the secret of an HMAC key, or the private key of an Ed25519 key in PEM. */
interface IssuedKey {
  readonly key_id: number;
  readonly account: number;
  readonly label: string | null;
  readonly key_type: "HMAC" | "Ed25519";
  readonly api_key: string;
  readonly secret?: string;
  readonly private_key?: string;
}

export interface KeyTransfer {
  /** The parent's database, and the box of its secrets if API keys are kept as they are; null to issue new ones. */
  readonly from: { readonly sql: Sql; readonly box: SecretBox | null };
  readonly to: { readonly sql: Sql; readonly box: SecretBox; readonly dataDir: string };
  readonly state: VenueState;
}

/** Stores a row for each key of the state except those of sessions, and writes the file of new keys. */
export async function transferKeys({ from, to, state }: KeyTransfer): Promise<{
  readonly keys: number;
  /** Path of the file with the new keys; null if they were kept. */
  readonly file: string | null;
}> {
  const [source, target] = [new PostgresKeyStore(from.sql), new PostgresKeyStore(to.sql)];
  const issued: IssuedKey[] = [];
  let keys = 0;
  for (const { keyId, sessionId } of state.keys.all()) {
    const row = sessionId === 0 ? await source.load(keyId) : null;
    if (row === null) continue;
    keys += 1;
    if (from.box !== null) await target.insert(resealed(row, from.box, to.box));
    else {
      const { row: own, told } = reissued(row, to.box);
      await target.insert(own);
      issued.push(told);
    }
  }
  if (from.box !== null) return { keys, file: null };
  const file = join(to.dataDir, fileName);
  await writeFile(file, `${JSON.stringify(issued, null, 2)}\n`, { mode: ownerOnly, flag: "wx" });
  await chmod(file, ownerOnly);
  return { keys, file };
}

function resealed(row: KeyRow, theirs: SecretBox, own: SecretBox): KeyRow {
  const owner = keyOwner(row);
  const { sealedSecret } = row;
  const secret = sealedSecret && own.seal(theirs.open(sealedSecret, owner, row.sealVersion), owner);
  return { ...row, sealedSecret: secret, sealVersion: own.version };
}

function reissued(row: KeyRow, box: SecretBox): { readonly row: KeyRow; readonly told: IssuedKey } {
  const { keyId, account, label } = row;
  const key = systemEntropy.text(nameLength);
  const own = { ...row, key, sealVersion: box.version };
  const told = { key_id: keyId, account, label, api_key: key };
  if (row.keyType === KeyType.hmac) {
    const secret = systemEntropy.text(nameLength);
    return {
      row: { ...own, sealedSecret: box.seal(secret, keyOwner(row)) },
      told: { ...told, key_type: "HMAC", secret },
    };
  }
  const pair = generateKeyPairSync("ed25519");
  const der = pair.publicKey.export({ type: "spki", format: "der" });
  return {
    row: { ...own, publicKey: der.subarray(-publicKeyBytes).toString("base64") },
    told: {
      ...told,
      key_type: "Ed25519",
      private_key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    },
  };
}
