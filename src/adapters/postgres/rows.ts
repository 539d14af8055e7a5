// How rows of tables are read: a column is the field of what a port has, in snake case. Integers of eight bytes,
// numerics and JSON come as text (`sql.ts`), so what reads a row says of each field what it is.

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";

type Sent<T> = T extends bigint
  ? string
  : T extends number
    ? number | string
    : T extends string | boolean | null | undefined | Uint8Array
      ? T
      : string;

/** A row with a column for each field of `T`, as the client gives it. */
export type Stored<T> = { readonly [Field in keyof T & string as Snake<Field>]: Sent<T[Field]> };

export function numberOrNull(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}
