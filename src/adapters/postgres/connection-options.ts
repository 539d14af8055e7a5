// Where a database is, for every session that is opened with it.

/** Where a database is. Plain data, so that it can be handed to a worker thread. */
export type PostgresConnectionOptions =
  | { readonly url: string }
  | {
      /** A host name, or the folder of a Unix socket. */
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

/** The same server, another database. */
export function withDatabase(
  options: PostgresConnectionOptions,
  database: string,
): PostgresConnectionOptions {
  if (!("url" in options)) return { ...options, database };
  const url = new URL(options.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}
