// The exact text that a wallet signs to log in. The venue writes the text. Before the web page and the CLI sign what a
// venue sends, they check that it is this text: the same key signs ledger transactions, so a fake venue could
// otherwise have a client sign a transaction hash. The page uses this file too, so the file imports nothing.

const heading = "Rialto wallet login, version 2";

/** Whether `message` is a login text and none of the other texts that a wallet signs. */
export function isForLogin(message: string): boolean {
  return message.startsWith(`${heading}\n`);
}

export interface LoginTerms {
  /** Host and port under which the venue is reached, without a port implied by the scheme. */
  readonly venue: string;
  readonly partyId: string;
  readonly nonce: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
}

/** The login text, valid for this login at this venue only, one line per field. Clause SES-2. */
export function loginText({ venue, partyId, nonce, issuedMs, expiresMs }: LoginTerms): string {
  return [
    heading,
    "Signing this opens a session and moves nothing.",
    `Venue: ${venue}`,
    `Party: ${partyId}`,
    `Nonce: ${nonce}`,
    `Issued: ${new Date(issuedMs).toISOString()}`,
    `Expires: ${new Date(expiresMs).toISOString()}`,
  ].join("\n");
}

/**
 * Whether `message` is exactly the login text with this nonce for `venue`, which is the host in the URL that the client
 * requested. A login text has the seven lines above, in printable ASCII, so it can be neither a 32-byte hash nor a
 * challenge relayed from another venue.
 */
export function isLoginText(message: string, nonce: string, venue: string): boolean {
  const lines = message.split("\n");
  const [, , , party = "", , issued = "", expires = ""] = lines;
  const partyId = party.slice("Party: ".length);
  const issuedMs = Date.parse(issued.slice("Issued: ".length));
  const expiresMs = Date.parse(expires.slice("Expires: ".length));
  if (lines.length !== 7 || !/^[ -~]+$/.test(partyId) || !/^[ -~]+$/.test(nonce)) return false;
  if (Number.isNaN(issuedMs) || Number.isNaN(expiresMs)) return false;
  return message === loginText({ venue, partyId, nonce, issuedMs, expiresMs });
}
