// Location and login of a database, which every session needs.

/** What the sessions of a venue must guarantee beyond those of a single server. */
export interface SessionDemands {
  /**
   * Set if a commit counts only once a synchronous standby has it. `waitMs` limits how long the journal's session waits
   * for the standby; after that its outcome is unknown.
   */
  readonly synchronous?: { readonly waitMs: number };
  /**
   * Name of the process that must lead. Its sessions carry the name, so that the next leader can end them, and no new
   * one opens once another process leads. Unset for a venue without a lease.
   */
  readonly leader?: string;
  /** Set if the sessions only read: the server then refuses every change. */
  readonly isReadOnly?: true;
}

/** Location and login of a database, as plain data, so that they can be passed to a worker thread. */
export type PostgresConnectionOptions = SessionDemands & ServerAddress;

type ServerAddress =
  | { readonly url: string }
  | {
      /** Host name, or the folder of a Unix socket. */
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

/** Returns the options for another database on the same server. */
export function withDatabase(
  options: PostgresConnectionOptions,
  database: string,
): PostgresConnectionOptions {
  if (!("url" in options)) return { ...options, database };
  const url = new URL(options.url);
  url.pathname = `/${database}`;
  return { ...options, url: url.href };
}
