// Heads of the chain under the venue's signature (CHN-23). Two signed heads of one epoch with different roots prove to
// anybody that the venue told two stories. The signing key is derived from the nonce key, which stays the same as long
// as the chain (EPO-7), so a watcher that has seen one head knows the key of all others.
//
//   signed bytes = "VSH1" │ u8 length, venue │ u64 epoch │ u64 end of the epoch, ms │ root (32) │ prev_root (32)

import { createHmac, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { signingKeyOf } from "./venue-signer.ts";

/** A head as `/v1/chain/head` gives it: hashes as lower-case hexadecimal, key and signature as standard base64. */
export interface SignedHead {
  readonly venue: string;
  readonly epoch: string;
  readonly root: string;
  readonly prev_root: string;
  /** The end of the epoch in milliseconds. */
  readonly time: string;
  readonly key: string;
  readonly signature: string;
}

type HeadFields = Omit<SignedHead, "key" | "signature">;

const purpose = "heads";
const magic = "VSH1";
const venueBytesMax = 255;

/** DER header of an Ed25519 public key; its 32 bytes follow. */
const spkiHeader = Buffer.from("302a300506032b6570032100", "hex");

const digits = /^(0|[1-9]\d{0,15})$/;
const hash = /^[0-9a-f]{64}$/;
const keyText = /^[A-Za-z0-9+/]{43}=$/;
const signatureText = /^[A-Za-z0-9+/]{86}==$/;

export class HeadSigner {
  readonly #key: KeyObject;
  readonly #publicKey: string;

  /** `nonceKey` has 32 bytes. */
  constructor(nonceKey: Uint8Array) {
    const seed = createHmac("sha256", nonceKey).update(purpose).digest();
    ({ key: this.#key, publicKey: this.#publicKey } = signingKeyOf(seed));
  }

  /** The same head always gets the same signature. */
  sign(head: HeadFields): SignedHead {
    const signature = sign(null, headBytes(head), this.#key).toString("base64");
    return { ...head, key: this.#publicKey, signature };
  }
}

/** Returns the fields of a head, and no others, if `value` has all of them in their form; null otherwise. */
export function headIn(value: unknown): SignedHead | null {
  if (typeof value !== "object" || value === null) return null;
  const { venue, epoch, root, prev_root, time, key, signature } = value as Record<string, unknown>;
  const isText = typeof venue === "string" && Buffer.byteLength(venue) <= venueBytesMax;
  if (!isText || !fits(epoch, digits) || !fits(time, digits)) return null;
  if (!fits(root, hash) || !fits(prev_root, hash)) return null;
  if (!fits(key, keyText) || !fits(signature, signatureText)) return null;
  return { venue, epoch, root, prev_root, time, key, signature };
}

/** Returns a head as `headIn` does if it is also signed by its own key; whose key that is, the caller decides. */
export function signedHeadIn(value: unknown): SignedHead | null {
  const head = headIn(value);
  return head !== null && isSigned(head) ? head : null;
}

function fits(value: unknown, form: RegExp): value is string {
  return typeof value === "string" && form.test(value);
}

/** Whether the signature of a head in its form is valid. */
export function isSigned(head: SignedHead): boolean {
  const spki = Buffer.concat([spkiHeader, Buffer.from(head.key, "base64")]);
  try {
    const key = createPublicKey({ key: spki, format: "der", type: "spki" });
    return verify(null, headBytes(head), key, Buffer.from(head.signature, "base64"));
  } catch {
    // The 32 bytes are no point of the curve.
    return false;
  }
}

function headBytes({ venue, epoch, time, root, prev_root }: HeadFields): Buffer {
  const name = Buffer.from(venue, "utf8");
  const numbers = Buffer.alloc(16);
  numbers.writeBigUInt64BE(BigInt(epoch), 0);
  numbers.writeBigUInt64BE(BigInt(time), 8);
  const hashes = Buffer.from(root + prev_root, "hex");
  return Buffer.concat([Buffer.from(magic), Buffer.of(name.length), name, numbers, hashes]);
}
