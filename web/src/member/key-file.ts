// The key file: a wallet key encrypted with a passphrase, to open the account on another device. It is written once, when
// the key is created. Format 1 is JSON:
//
//   format, version     "rialto-wallet-key", 1
//   public_key          the 32 bytes of the public key
//   kdf                 PBKDF2-SHA256: iterations, salt (16 bytes); it gives the 256 bits of the encryption key
//   cipher              AES-256-GCM: iv (12 bytes); the header (see `headerOf`) is authenticated with the text
//   ciphertext          the private key as PKCS #8, encrypted
//   checksum            SHA-256 of header and ciphertext; it tells a damaged file from a wrong passphrase
//
// Bytes are in standard base64. All functions depend only on their arguments.

const format = "rialto-wallet-key";
const version = 1;
/** OWASP's minimum for PBKDF2 with SHA-256. */
const iterations = 600_000;
/** A file with more would freeze the page of whoever opens it. */
const iterationsMax = 10_000_000;
const passphraseLengthMin = 12;
/** A key file has less than 1 KiB. */
export const keyFileLengthMax = 4096;

/** A reason, for the user, why a key file was not written or opened. */
export class KeyFileFault extends Error {}

interface KeyFile {
  readonly format: string;
  readonly version: number;
  readonly public_key: string;
  readonly kdf: { readonly name: string; readonly iterations: number; readonly salt: string };
  readonly cipher: { readonly name: string; readonly iv: string };
  readonly ciphertext: string;
  readonly checksum: string;
}

type Header = Pick<KeyFile, "public_key" | "kdf" | "cipher">;
type Bytes = Uint8Array<ArrayBuffer>;
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** An Ed25519 pair: of the type that a browser calls `CryptoKeyPair`. */
export interface KeyPair {
  readonly privateKey: Key;
  readonly publicKey: Key;
}

export function bytesToBase64(bytes: ArrayBuffer | Uint8Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

export function base64ToBytes(text: string): Bytes {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

function bytesOf(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** The text that binds all parameters to the ciphertext. */
function headerOf({ public_key: publicKey, kdf, cipher }: Header): string {
  const derivation = [kdf.name, kdf.iterations, kdf.salt];
  return [format, version, publicKey, ...derivation, cipher.name, cipher.iv].join(" ");
}

async function checksumOf(header: Header, ciphertext: string): Promise<string> {
  const text = `${headerOf(header)} ${ciphertext}`;
  return bytesToBase64(await crypto.subtle.digest("SHA-256", bytesOf(text)));
}

async function encryptionKey(passphrase: string, { kdf }: Header): Promise<Key> {
  // The same passphrase may be typed in another Unicode form on another device.
  const typed = bytesOf(passphrase.normalize("NFKC"));
  const base = await crypto.subtle.importKey("raw", typed, "PBKDF2", false, ["deriveKey"]);
  const salt = base64ToBytes(kdf.salt);
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt, iterations: kdf.iterations };
  const cipher = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(derivation, base, cipher, false, ["encrypt", "decrypt"]);
}

function random(length: number): string {
  return bytesToBase64(crypto.getRandomValues(new Uint8Array(length)));
}

/** Throws a `KeyFileFault` if a passphrase is too short or was not repeated exactly. */
export function checkPassphrase(passphrase: string, repeated: string): void {
  if ([...passphrase].length < passphraseLengthMin)
    throw new KeyFileFault(`Use a passphrase of at least ${passphraseLengthMin} characters.`);
  if (passphrase !== repeated) throw new KeyFileFault("The two passphrases differ.");
}

/** Returns the text of a key file for an Ed25519 pair whose private key is extractable. */
export async function sealedKey(pair: KeyPair, passphrase: string): Promise<string> {
  const header: Header = {
    public_key: bytesToBase64(await crypto.subtle.exportKey("raw", pair.publicKey)),
    kdf: { name: "PBKDF2-SHA256", iterations, salt: random(16) },
    cipher: { name: "AES-256-GCM", iv: random(12) },
  };
  const key = await encryptionKey(passphrase, header);
  const secret = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  const ciphertext = bytesToBase64(await crypto.subtle.encrypt(cipherOf(header), key, secret));
  const checksum = await checksumOf(header, ciphertext);
  const file: KeyFile = { format, version, ...header, ciphertext, checksum };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function cipherOf(header: Header) {
  const iv = base64ToBytes(header.cipher.iv);
  return { name: "AES-GCM", iv, additionalData: bytesOf(headerOf(header)) };
}

/**
 * Returns the pair of a key file, with a private key that is not extractable. Throws a `KeyFileFault` for a text that is
 * not a key file, a newer version, a damaged file and a wrong passphrase.
 */
export async function openedKey(text: string, passphrase: string): Promise<KeyPair> {
  const file = await soundFile(text);
  const key = await encryptionKey(passphrase, file);
  const ciphertext = base64ToBytes(file.ciphertext);
  const secret = await crypto.subtle.decrypt(cipherOf(file), key, ciphertext).catch(() => {
    throw new KeyFileFault("Wrong passphrase. Nothing was changed.");
  });
  return pairOf(secret, base64ToBytes(file.public_key));
}

/** Imports a key pair; the private key cannot be extracted again. Throws a `KeyFileFault` if its halves do not match. */
export async function pairOf(secret: ArrayBuffer, publicBytes: Bytes): Promise<KeyPair> {
  const ed25519 = { name: "Ed25519" };
  const privateKey = await crypto.subtle.importKey("pkcs8", secret, ed25519, false, ["sign"]);
  const publicKey = await crypto.subtle.importKey("raw", publicBytes, ed25519, true, ["verify"]);
  const message = bytesOf("key file");
  const signature = await crypto.subtle.sign(ed25519, privateKey, message);
  if (!(await crypto.subtle.verify(ed25519, publicKey, signature, message))) throw damaged();
  return { privateKey, publicKey };
}

function damaged(): KeyFileFault {
  return new KeyFileFault("This key file is damaged. Nothing was changed.");
}

async function soundFile(text: string): Promise<KeyFile> {
  const notOurs = new KeyFileFault("This is not a Rialto key file. Nothing was changed.");
  if (text.length > keyFileLengthMax) throw notOurs;
  let file: KeyFile;
  try {
    file = JSON.parse(text) as KeyFile;
  } catch {
    throw text.includes(format) ? damaged() : notOurs;
  }
  if (file?.format !== format) throw notOurs;
  if (file.version !== version)
    throw new KeyFileFault("This key file is of a newer version than this page can read.");
  if (!hasForm(file) || (await checksumOf(file, file.ciphertext)) !== file.checksum)
    throw damaged();
  return file;
}

const base64Form = /^[A-Za-z0-9+/]+={0,2}$/;

function hasForm({ public_key: publicKey, kdf, cipher, ciphertext }: KeyFile): boolean {
  const texts: readonly unknown[] = [publicKey, kdf?.salt, cipher?.iv, ciphertext];
  const areBytes = texts.every((text) => typeof text === "string" && base64Form.test(text));
  const rounds = kdf?.iterations;
  const areRounds = Number.isInteger(rounds) && rounds >= iterations && rounds <= iterationsMax;
  return areBytes && areRounds;
}
