// Checks the bearer tokens of the development ledger: JWTs signed by HMAC-SHA256 with the shared secret. Signatures are
// compared in constant time; user, expiry and scope are checked too.

import { createHmac, timingSafeEqual } from "node:crypto";
import { LedgerRefusal } from "../ledger-refusal.ts";

const scope = "daml_ledger_api";
const tokenBytesMax = 4096;

function refuse(message: string): never {
  throw new LedgerRefusal("UNAUTHENTICATED", message);
}

/** True if `given` equals `wanted`; the comparison takes constant time. */
export function isSecret(given: string, wanted: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** Returns the user of a valid Authorization header; throws UNAUTHENTICATED otherwise. */
export function userOf(authorization: string, secret: string, nowMs: number): string {
  if (authorization.length > tokenBytesMax) refuse("the token is too long");
  const match = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization);
  if (match === null) refuse("a bearer token is missing");
  const [, head = "", body = "", signature = ""] = match;
  const wanted = createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url");
  if (!isSecret(signature, wanted)) refuse("the token is not signed by a known key");
  const claims = decoded(body);
  if (decoded(head)["alg"] !== "HS256") refuse("the token's algorithm is not HS256");
  const { sub, exp, scope: granted } = claims;
  if (typeof sub !== "string" || sub === "") refuse("the token names no user");
  if (typeof exp !== "number") refuse("the token has no expiry time");
  if (exp * 1000 <= nowMs) throw new LedgerRefusal("ACCESS_TOKEN_EXPIRED", "the token has expired");
  if (
    !String(granted ?? "")
      .split(" ")
      .includes(scope)
  )
    refuse(`the token's scope is not ${scope}`);
  return sub;
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return refuse("the token is not a JWT");
}
