// Database faults beyond the client's own errors. Each has one of a few known codes, so that the connection's
// owner can decide between waiting and giving up.

/**
 * `unfit`: wrong version, encoding or rights. `migration`: the schema is not the one of this
 * program. `embedded`: the embedded server could not be started. `second-venue`: another
 * venue holds this database. `deposed`: another venue took it over. `gap`: an epoch does not follow
 * the last one. `corrupt`: stored bytes do not read back.
 */
export type PostgresFaultCode =
  | "unfit"
  | "migration"
  | "embedded"
  | "second-venue"
  | "deposed"
  | "gap"
  | "corrupt";

/** Never retried: waiting does not help. */
export class PostgresFault extends Error {
  override name = "PostgresFault";
  readonly code: PostgresFaultCode;

  constructor(code: PostgresFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
