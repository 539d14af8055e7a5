// The user's key: Ed25519, stored in IndexedDB as a non-extractable key. It leaves the browser only at its creation,
// encrypted as a key file. If the user clears the site's data, only such a file gives access to the account again.

import { base64ToBytes, bytesToBase64, type KeyPair, pairOf, sealedKey } from "./key-file.ts";

const databaseName = "rialto";
const storeName = "keys";
/** A browser has one key. Because the store names its entries, it could hold more keys later. */
const slot = "wallet";

export interface WalletKey {
  readonly privateKey: CryptoKey;
  /** The 32 bytes of the public key, in standard base64. */
  readonly publicKey: string;
  readonly hasFile: boolean;
}

/** A key that was just created, with its key file if one was asked for. */
interface NewKey {
  readonly key: WalletKey;
  readonly file: string | null;
}

interface StoredKey {
  readonly pair: KeyPair;
  /** Whether a key file was written when the key was created, or the key came from one. */
  readonly hasFile?: boolean;
}

export function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's storage failed."));
  });
}

/** The one connection to the database; null before its first use, after a failure, and once the browser closed it. */
let connection: Promise<IDBDatabase> | null = null;

function forgetConnection(): void {
  connection = null;
}

async function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
  const database = await settled(opening);
  database.onclose = forgetConnection;
  // Another tab that deletes or upgrades the database waits until every connection is closed.
  database.onversionchange = () => {
    database.close();
    forgetConnection();
  };
  return database;
}

export async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  if (connection === null) {
    connection = openDatabase();
    connection.catch(forgetConnection);
  }
  return (await connection).transaction(storeName, mode).objectStore(storeName);
}

async function keyOf({ pair, hasFile = false }: StoredKey): Promise<WalletKey> {
  const { privateKey, publicKey } = pair;
  const raw = await crypto.subtle.exportKey("raw", publicKey);
  return { privateKey, publicKey: bytesToBase64(raw), hasFile };
}

/** Creates an Ed25519 key pair; its private key is extractable only to be encrypted at once. */
export async function makePair(isExtractable = false): Promise<KeyPair> {
  const usages: KeyUsage[] = ["sign", "verify"];
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, isExtractable, usages);
  return pair as KeyPair;
}

/** Returns the key of this browser; null before the first log-in. */
export async function storedKey(): Promise<WalletKey | null> {
  const stored = await settled<StoredKey | undefined>((await openStore("readonly")).get(slot));
  return stored === undefined ? null : keyOf(stored);
}

/** Stores the key of this browser in place of any earlier one. */
export async function keepKey(stored: StoredKey): Promise<WalletKey> {
  await settled((await openStore("readwrite")).put(stored, slot));
  return keyOf(stored);
}

/**
 * Returns the existing key of this browser, or creates and stores one. A new one is also written to a key file if a
 * passphrase is given; it cannot be exported later.
 */
export async function makeKey(passphrase: string | null = null): Promise<NewKey> {
  const known = await storedKey();
  if (known !== null) return { key: known, file: null };
  if (passphrase === null) return { key: await keepKey({ pair: await makePair() }), file: null };
  const made = await makePair(true);
  const file = await sealedKey(made, passphrase);
  const secret = await crypto.subtle.exportKey("pkcs8", made.privateKey);
  const raw = await crypto.subtle.exportKey("raw", made.publicKey);
  const pair = await pairOf(secret, new Uint8Array(raw));
  return { key: await keepKey({ pair, hasFile: true }), file };
}

/** Returns the signature over a text's UTF-8 bytes, in base64. */
export function sign(key: WalletKey, message: string): Promise<string> {
  return signBytes(key, new TextEncoder().encode(message));
}

/** Returns the signature over the bytes that a base64 text encodes, in base64. */
export function signBase64(key: WalletKey, base64: string): Promise<string> {
  return signBytes(key, base64ToBytes(base64));
}

async function signBytes({ privateKey }: WalletKey, bytes: BufferSource): Promise<string> {
  return bytesToBase64(await crypto.subtle.sign({ name: "Ed25519" }, privateKey, bytes));
}
