// The private half of the session's API key. It is not extractable, lies in the browser's storage under the name of its
// API key, and is worthless once the session has ended, because the venue then refuses the API key.

import { bytesToBase64 } from "./key-file.ts";
import { openStore, settled } from "./wallet-key.ts";

interface StoredSigningKey {
  readonly privateKey: CryptoKey;
  readonly madeMs: number;
}

const prefix = "session:";
/** A session lasts a day, so an older key signs nothing. */
const lifeMs = 86_400_000;

/** Stores the key of a new session, and removes keys of sessions that have ended by their age. */
export async function keepSigningKey(apiKey: string, privateKey: CryptoKey): Promise<void> {
  const names = await settled((await openStore("readonly")).getAllKeys());
  for (const name of names) {
    if (!String(name).startsWith(prefix)) continue;
    const old = await settled<StoredSigningKey>((await openStore("readonly")).get(name));
    if (Date.now() - old.madeMs > lifeMs) {
      await settled((await openStore("readwrite")).delete(name));
    }
  }
  const stored: StoredSigningKey = { privateKey, madeMs: Date.now() };
  await settled((await openStore("readwrite")).put(stored, prefix + apiKey));
}

/** Returns the signature of an API key over a text, in base64; null if this browser does not have its private half. */
export async function signedBy(apiKey: string, text: string): Promise<string | null> {
  const store = await openStore("readonly");
  const stored = await settled<StoredSigningKey | undefined>(store.get(prefix + apiKey));
  if (stored === undefined) return null;
  const bytes = new TextEncoder().encode(text);
  return bytesToBase64(await crypto.subtle.sign({ name: "Ed25519" }, stored.privateKey, bytes));
}
