// Location and login of a database, which every session needs.

/** Location and login of a database, as plain data, so that they can be passed to a worker thread. */
export type PostgresConnectionOptions =
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
  return { url: url.href };
}
