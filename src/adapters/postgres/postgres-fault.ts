// Faults of the database that are not the client's own errors: each says which of the few known
// situations it is, so that the owner of the connection can tell waiting from giving up.

/**
 * `unfit`: wrong version, encoding or rights. `migration`: the schema is not the one of this
 * program. `embedded`: the server of the venue's own could not be started. `second-venue`: another
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

/** None of these is retried: waiting does not change them. */
export class PostgresFault extends Error {
  override name = "PostgresFault";
  readonly code: PostgresFaultCode;

  constructor(code: PostgresFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
