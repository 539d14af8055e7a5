// Where a thread writes what an operator should know. Fields carry figures and ids, never secrets,
// signatures or request bodies. Types only.

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  debug(words: string, fields?: LogFields): void;
  info(words: string, fields?: LogFields): void;
  warn(words: string, fields?: LogFields): void;
  /** `cause` is written in full, for the operator alone. */
  error(words: string, cause: unknown, fields?: LogFields): void;
}
