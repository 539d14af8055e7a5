// Types of rows: every column is a port's field in snake case. Eight-byte integers and numerics arrive as text
// (`sql.ts`), and lists are stored as JSON text, so the code that reads a row converts each of these fields.

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

/** A row with a column for each field of `T`, with the types that the client returns. */
export type Stored<T> = { readonly [Field in keyof T & string as Snake<Field>]: Sent<T[Field]> };

export function numberOrNull(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}
