// The log for operators. Fields are meant for machines and messages for people; neither may contain secrets.

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
