// What makes a signed request acceptable (binance-compat 2.2 to 2.5): presence of signature and
// timestamp, the time window, the signature over the bytes received. The order of the checks is
// the caller's; each answers undefined or the fault a surface renders.

import type { Ed25519Signature } from "./ed25519-signature.ts";
import type { HmacSignature } from "./hmac-signature.ts";
import type { RequestParameters } from "./request-parameters.ts";

/** Everything that can be wrong before a request is believed. */
export type AuthFault =
  | "keyFormat"
  | "signatureMissing"
  | "timestampMissing"
  | "recvWindowMalformed"
  | "keyUnknown"
  | "outsideWindow"
  | "signatureWrong";

export type SignatureCheck = HmacSignature | Ed25519Signature;

const keyForm = /^[A-Za-z0-9]{64}$/;
const timestampForm = /^\d{1,16}$/;
const recvWindowForm = /^\d{1,9}(\.\d{1,3})?$/;

const recvWindowDefaultMs = 5000;
const recvWindowMaxMs = 60_000;
/** Timestamps from here on are microseconds: as milliseconds they would be in the year 5138. */
const microsecondsFrom = 100_000_000_000_000;
/** How far a client's clock may run ahead. */
const aheadMs = 1000;

/** True for what a key can look like: 64 letters and digits. */
export function isKeyForm(key: string): boolean {
  return keyForm.test(key);
}

/** The first of signature and timestamp that is missing or cannot be one. */
export function presenceFault(parameters: RequestParameters): AuthFault | undefined {
  if (parameters.signature === undefined) {
    return parameters.endsInBareSignature ? "signatureWrong" : "signatureMissing";
  }
  return timestampFault(parameters);
}

/** A timestamp that is missing or cannot be one. */
export function timestampFault(parameters: RequestParameters): AuthFault | undefined {
  const timestamp = parameters.get("timestamp");
  return timestamp === undefined || !timestampForm.test(timestamp) ? "timestampMissing" : undefined;
}

/**
 * Refuses a timestamp one second or more ahead of `nowMs` or older than recvWindow (default 5 s),
 * and a recvWindow over 60 s.
 */
export function windowFault(parameters: RequestParameters, nowMs: number): AuthFault | undefined {
  const timestamp = Number(parameters.get("timestamp"));
  const timestampMs = timestamp < microsecondsFrom ? timestamp : timestamp / 1000;
  const recvWindow = parameters.get("recvWindow");
  let recvWindowMs = recvWindowDefaultMs;
  if (recvWindow !== undefined) {
    if (!recvWindowForm.test(recvWindow)) return "recvWindowMalformed";
    recvWindowMs = Number(recvWindow);
  }
  const isInside = timestampMs < nowMs + aheadMs && nowMs - timestampMs <= recvWindowMs;
  return isInside && recvWindowMs <= recvWindowMaxMs ? undefined : "outsideWindow";
}

/** Whether the request carries the right signature, over the text as sent or before encoding. */
export function isSignedBy(
  check: SignatureCheck,
  parameters: RequestParameters,
): boolean | Promise<boolean> {
  const signature = parameters.signature ?? "";
  const first = check.verify(parameters.signedText, signature);
  if (first === true) return true;
  if (first === false) return isDecodedSignedBy(check, parameters, signature);
  return first.then((isValid) => isValid || isDecodedSignedBy(check, parameters, signature));
}

/** Some clients sign values before they encode them (binance-compat 2.4). */
function isDecodedSignedBy(
  check: SignatureCheck,
  parameters: RequestParameters,
  signature: string,
): boolean | Promise<boolean> {
  const decoded = parameters.decodedSignedText;
  return decoded === undefined ? false : check.verify(decoded, signature);
}
