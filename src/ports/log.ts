// What a service or an adapter may say to the operator. Fields are for machines, words for people;
// secrets never go into either.

export interface Log {
  debug(fields: object, words: string): void;
  info(fields: object, words: string): void;
  warn(fields: object, words: string): void;
  error(fields: object, words: string): void;
}
