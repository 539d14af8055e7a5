// Database faults that the venue itself detects; the database client reports the others. Each fault has one of a few
// known codes, so that the connection's owner can decide between waiting and giving up.

/**
 * Codes of faults. `unfit`: the server has the wrong version, encoding or rights. `migration`: the schema is not the
 * one of this program. `embedded`: the embedded server could not be started. `second-venue`: another venue holds this
 * database. `deposed`: another venue took this database over. `gap`: an epoch does not follow the last one. `corrupt`:
 * stored bytes cannot be decoded.
 */
export type PostgresFaultCode =
  | "unfit"
  | "migration"
  | "embedded"
  | "second-venue"
  | "deposed"
  | "gap"
  | "corrupt";

/** A fault that is never retried, because waiting does not help. */
export class PostgresFault extends Error {
  override name = "PostgresFault";
  readonly code: PostgresFaultCode;

  constructor(code: PostgresFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
