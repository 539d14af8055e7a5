// What a service or an adapter may say to the operator. Fields are for machines, words for people;
// secrets never go into either.

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
