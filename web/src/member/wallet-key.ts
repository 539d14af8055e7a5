// The user's key: Ed25519, created in this browser and stored in IndexedDB as a non-extractable key. If the user clears
// the site's data, the key is deleted, and access to the account is lost.

const databaseName = "rialto";
const storeName = "keys";
/** A browser has one key. Because the store names its entries, it could hold more keys later. */
const slot = "wallet";

export interface WalletKey {
  readonly privateKey: CryptoKey;
  /** The 32 bytes of the public key, in standard base64. */
  readonly publicKey: string;
}

interface StoredKey {
  readonly pair: CryptoKeyPair;
}

export function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's storage failed."));
  });
}

export async function openStore(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
  const database = await settled(opening);
  return database.transaction(storeName, mode).objectStore(storeName);
}

export function base64Of(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

async function keyOf({ privateKey, publicKey }: CryptoKeyPair): Promise<WalletKey> {
  return { privateKey, publicKey: base64Of(await crypto.subtle.exportKey("raw", publicKey)) };
}

/** Creates an Ed25519 key pair with a non-extractable private key. */
export async function makePair(): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
  return pair as CryptoKeyPair;
}

/** Returns the key of this browser; null before the first log-in. */
export async function storedKey(): Promise<WalletKey | null> {
  const stored = await settled<StoredKey | undefined>((await openStore("readonly")).get(slot));
  return stored === undefined ? null : keyOf(stored.pair);
}

/** Creates and stores the key of this browser, or returns the existing one. */
export async function makeKey(): Promise<WalletKey> {
  const known = await storedKey();
  if (known !== null) return known;
  const pair = await makePair();
  const stored: StoredKey = { pair };
  await settled((await openStore("readwrite")).put(stored, slot));
  return keyOf(pair);
}

/** Returns the signature over a text's UTF-8 bytes, in base64. */
export function sign(key: WalletKey, message: string): Promise<string> {
  return signBytes(key, new TextEncoder().encode(message));
}

/** Returns the signature over the bytes that a base64 text encodes, in base64. */
export function signBase64(key: WalletKey, base64: string): Promise<string> {
  return signBytes(
    key,
    Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)),
  );
}

async function signBytes({ privateKey }: WalletKey, bytes: BufferSource): Promise<string> {
  return base64Of(await crypto.subtle.sign({ name: "Ed25519" }, privateKey, bytes));
}
