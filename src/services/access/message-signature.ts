// Signatures between the venue and liquidity providers: one fixed profile of RFC 9421 (HTTP Message
// Signatures) with a Content-Digest of RFC 9530. There is exactly one way to write a signed request; every
// other one is refused and nothing is negotiated. Spec LPS-1 to LPS-5.
//
//   Content-Digest: sha-256=:…:            over the body, even if empty (RFC 9530, 2)
//   Venue-Idempotency-Key: …               the same for every attempt of one request
//   Signature-Input: venue=("@method" "@authority" "@path" "content-digest" "venue-idempotency-key")
//     ;created=…;expires=…;nonce="…";keyid="…";alg="ed25519";tag="venue-rfq-v1"     (RFC 9421, 2.3)
//   Signature: venue=:…:                   Ed25519 over the signature base             (RFC 9421, 3.3.6)

import { hash, type KeyObject, sign, timingSafeEqual } from "node:crypto";
import { authorityOf } from "./public-authority.ts";
import { Ed25519Signature } from "./signed-request.ts";

/** The signed parts of a request. */
export interface SignedParts {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** The Host header. */
  readonly authority: string;
  /** The path as in the request line, without the query. */
  readonly path: string;
  readonly body: string;
}

/** The four headers, by lower-case name. */
export interface SignatureHeaders {
  readonly "content-digest": string;
  readonly "venue-idempotency-key": string;
  readonly "signature-input": string;
  readonly signature: string;
}

export const signatureHeaderNames = [
  "content-digest",
  "venue-idempotency-key",
  "signature-input",
  "signature",
] as const satisfies readonly (keyof SignatureHeaders)[];

/** Seconds from `created` to `expires`. */
export const signatureLifeS = 30;
/** Tolerated clock difference in seconds. */
export const signatureSkewS = 5;
/** How long a nonce is refused after its first use: longer than any signature is valid. */
export const nonceMemoryMs = 60_000;
/** Bytes of a nonce. */
export const nonceBytes = 16;

const tag = "venue-rfq-v1";
const covered = '("@method" "@authority" "@path" "content-digest" "venue-idempotency-key")';
const inputForm = new RegExp(
  `^venue=(${covered.replace(/[()]/g, "\\$&")};created=(\\d{1,12});expires=(\\d{1,12})` +
    ';nonce="([A-Za-z0-9+/]{22}==)";keyid="([A-Za-z0-9_.:-]{1,128})";alg="ed25519";tag="([a-z0-9-]{1,64})")$',
);
const signatureForm = /^venue=:([A-Za-z0-9+/]{86}==):$/;
const digestForm = /^sha-256=:([A-Za-z0-9+/]{43}=):$/;
const keyForm = /^[\x21-\x7e]{1,64}$/;

/** Why a request is refused, in the order of the checks. */
export type SignatureFault =
  | "missing"
  | "malformed"
  | "tag"
  | "authority"
  | "window"
  | "key"
  | "digest"
  | "signature"
  | "replayed"
  | "busy";

export interface VerifierParts {
  /** Whether `host` is one of the verifier's own host names. */
  isAuthority(host: string): boolean;
  /** The public key with that id in base64; null if the key is unknown or may not sign now. */
  publicKey(keyId: string): string | null | Promise<string | null>;
  /** Takes a nonce; false if it was used before, null if no more nonces can be stored. */
  takeNonce(keyId: string, nonce: string): boolean | null | Promise<boolean | null>;
  nowMs(): number;
}

/** The signer, and the idempotency key of the request. */
export interface VerifiedMessage {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

/** `Content-Digest` of a body. */
export function contentDigest(body: string): string {
  return `sha-256=:${hash("sha256", body, "base64")}:`;
}

/** The text that is signed: the signature base of RFC 9421, 2.5. */
function signatureBase(
  { method, authority, path }: SignedParts,
  digest: string,
  idempotencyKey: string,
  parameters: string,
): string {
  return [
    `"@method": ${method}`,
    `"@authority": ${authorityOf(authority)}`,
    `"@path": ${path}`,
    `"content-digest": ${digest}`,
    `"venue-idempotency-key": ${idempotencyKey}`,
    `"@signature-params": ${parameters}`,
  ].join("\n");
}

export interface SigningTerms {
  readonly keyId: string;
  /** A private Ed25519 key. */
  readonly key: KeyObject;
  readonly idempotencyKey: string;
  /** 16 bytes, used once. */
  readonly nonce: Uint8Array;
  readonly nowMs: number;
}

/** The headers for a request, valid for 30 s from `nowMs`. */
export function signMessage(parts: SignedParts, terms: SigningTerms): SignatureHeaders {
  const { keyId, key, idempotencyKey, nowMs } = terms;
  const created = Math.floor(nowMs / 1000);
  const nonce = Buffer.from(terms.nonce).toString("base64");
  const parameters =
    `${covered};created=${created};expires=${created + signatureLifeS}` +
    `;nonce="${nonce}";keyid="${keyId}";alg="ed25519";tag="${tag}"`;
  const digest = contentDigest(parts.body);
  const base = signatureBase(parts, digest, idempotencyKey, parameters);
  return {
    "content-digest": digest,
    "venue-idempotency-key": idempotencyKey,
    "signature-input": `venue=${parameters}`,
    signature: `venue=:${sign(null, Buffer.from(base, "utf8"), key).toString("base64")}:`,
  };
}

/** The signer and idempotency key of the request, or the first check that failed. */
export async function verifyMessage(
  parts: SignedParts,
  headers: SignatureHeaders,
  verifier: VerifierParts,
): Promise<VerifiedMessage | SignatureFault> {
  if (signatureHeaderNames.some((name) => headers[name] === "")) return "missing";
  const read = readHeaders(headers);
  if (read === null) return "malformed";
  const { keyId, nonce, digest, signature, parameters } = read;
  if (read.tag !== tag) return "tag";
  if (!verifier.isAuthority(parts.authority)) return "authority";
  if (!isInTime(read, verifier.nowMs())) return "window";
  const publicKey = await verifier.publicKey(keyId);
  if (publicKey === null) return "key";
  const own = Buffer.from(hash("sha256", parts.body, "base64"), "base64");
  if (!timingSafeEqual(own, digest)) return "digest";
  const idempotencyKey = headers["venue-idempotency-key"];
  const base = signatureBase(parts, headers["content-digest"], idempotencyKey, parameters);
  if (!(await new Ed25519Signature(publicKey).verify(base, signature))) return "signature";
  // Takes the nonce last, so that a sender without a valid key cannot use up nonces.
  const isFresh = await verifier.takeNonce(keyId, nonce);
  if (isFresh === null) return "busy";
  return isFresh ? { keyId, idempotencyKey } : "replayed";
}

interface ReadHeaders {
  readonly parameters: string;
  readonly created: number;
  readonly expires: number;
  readonly nonce: string;
  readonly keyId: string;
  readonly tag: string;
  readonly digest: Buffer;
  readonly signature: string;
}

function readHeaders(headers: SignatureHeaders): ReadHeaders | null {
  const input = inputForm.exec(headers["signature-input"]);
  const digest = digestForm.exec(headers["content-digest"])?.[1];
  const signature = signatureForm.exec(headers.signature)?.[1];
  if (input === null || digest === undefined || signature === undefined) return null;
  if (!keyForm.test(headers["venue-idempotency-key"])) return null;
  const [, parameters = "", created, expires, nonce = "", keyId = "", given = ""] = input;
  return {
    parameters,
    created: Number(created),
    expires: Number(expires),
    nonce,
    keyId,
    tag: given,
    digest: Buffer.from(digest, "base64"),
    signature,
  };
}

function isInTime({ created, expires }: ReadHeaders, nowMs: number): boolean {
  const now = nowMs / 1000;
  const isOfProfile = expires - created === signatureLifeS;
  return isOfProfile && created <= now + signatureSkewS && expires >= now - signatureSkewS;
}
