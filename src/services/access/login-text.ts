// What a wallet signs to log in, word by word. It imports nothing: the venue writes it, the page and the command
// line hold what they are asked to sign against it, because the same key signs transactions of the ledger,
// and whoever answers as the venue would have them sign the hash of one.

const heading = "Rialto wallet login, version 2";

/** Whether the venue wrote `message` for a login, and not for something else that a wallet may sign. */
export function isForLogin(message: string): boolean {
  return message.startsWith(`${heading}\n`);
}

export interface LoginTerms {
  /** Host and port under which the venue is reached, without a port that the scheme implies. */
  readonly venue: string;
  readonly partyId: string;
  readonly nonce: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
}

/** Words that serve nothing but this login at this venue, in one line each. Clause SES-2. */
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
 * Whether `message` is the text of a login with this nonce at the venue that was asked, by its host as in a URL,
 * and nothing else: printable ASCII in the seven lines above, so never the 32 bytes of a hash, and no challenge that
 * another venue made and this one passes on.
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
