// The form in which stores write SQL: a tagged template whose values are always sent separately from the text, so that
// client input is never read as SQL. The text itself contains only the program's names and constants. Bytes are bound
// in binary, all other values as text. Rows have the types of `parserOf`: eight-byte integers and numerics as text,
// because a JavaScript number cannot represent all of them; arrays as text.

import { assert } from "../../core/assert.ts";

/** A value that can be bound. A list is sent as the text of an array with a cast. */
export type Value = string | number | bigint | boolean | null | Date | Uint8Array;

export interface Row {
  readonly [column: string]: unknown;
}

/** Answer to a statement: its rows, the number of rows read or changed, and the server's command tag. */
export type Answer<Rows extends readonly object[]> = Rows & {
  readonly count: number;
  readonly command: string;
};

/** A piece of a statement's text with the values that it binds. */
export class Fragment {
  readonly texts: readonly string[];
  readonly values: readonly Value[];

  constructor(texts: readonly string[], values: readonly Value[]) {
    this.texts = texts;
    this.values = values;
  }
}

/**
 * Returns the code of a state or kind for the text of a statement. It is not bound as a value, because a partial index
 * does not apply to bound values.
 */
export function code(value: number): Fragment {
  assert(Number.isSafeInteger(value) && value >= 0, "a code must be a non-negative safe integer");
  return new Fragment([String(value)], []);
}

/** Returns several codes in parentheses, for `in`. */
export function codes(...values: readonly number[]): Fragment {
  return new Fragment([`(${values.flatMap((value) => code(value).texts).join(", ")})`], []);
}

/** A statement that is ready to send. The server parses it each time if it has no name. */
export interface BoundText {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

/** The interface that runs statements, on a pool of connections or in one transaction. */
export interface Statements {
  <Rows extends readonly object[] = Row[]>(
    texts: TemplateStringsArray,
    ...values: readonly (Value | Fragment)[]
  ): Promise<Answer<Rows>>;
  /**
   * Runs a statement that is a constant text of the program. A text without values may contain several statements; the
   * rows of the last one are returned.
   */
  unsafe<Rows extends readonly object[] = Row[]>(
    text: string,
    values?: readonly Value[],
  ): Promise<Answer<Rows>>;
  /** Returns a literal piece of text; only for constants of the program. */
  raw(text: string): Fragment;
  /** Quotes the name of a table, column or role. */
  identifier(name: string): Fragment;
  /** Returns the columns and values of an insert; every row must have the columns of the first. */
  rows(rows: readonly Readonly<Record<string, Value>>[]): Fragment;
}

/** The interface that stores use: single statements and transactions. */
export interface Sql extends Statements {
  /** Runs `work` in one transaction, which is committed if `work` resolves and rolled back if it rejects. */
  begin<T>(work: (tx: Statements) => Promise<T>, mode?: string): Promise<T>;
  /**
   * Refuses new work and closes. Work in progress has `timeout` seconds to finish; without a timeout it has unlimited
   * time.
   */
  end(options?: { readonly timeout: number }): Promise<void>;
}

/** Sends a bound statement to the server. */
export type RunStatement = (statement: BoundText) => Promise<Answer<Row[]>>;

/** Returns the statements interface on top of `execute`, which sends the statements. */
export function statementsOver(execute: RunStatement): Statements {
  const typed = async (statement: BoundText) => execute(statement) as Promise<never>;
  const run = (texts: TemplateStringsArray, ...values: readonly (Value | Fragment)[]) =>
    typed(joined(texts, values));
  return Object.assign(run, {
    unsafe: (text: string, values: readonly Value[] = []) =>
      typed({
        text,
        name: values.length > 0 ? nameOf(text) : undefined,
        values: values.map(bound),
      }),
    raw: (text: string) => new Fragment([text], []),
    identifier: (name: string) => new Fragment([quoted(name)], []),
    rows: rowsFragment,
  }) as Statements;
}

function joined(texts: readonly string[], given: readonly (Value | Fragment)[]): BoundText {
  const values: Value[] = [];
  let hasRows = false;
  let text = texts[0] ?? "";
  for (const [index, each] of given.entries()) {
    if (each instanceof Fragment) {
      hasRows ||= each.values.length > 0;
      text += each.texts[0];
      for (const [at, value] of each.values.entries())
        text += `$${values.push(value)}${each.texts[at + 1]}`;
    } else text += `$${values.push(each)}`;
    text += texts[index + 1];
  }
  // Do not name statements with rows, because there is a different text for each number of rows.
  return { text, name: hasRows ? undefined : nameOf(text), values: values.map(bound) };
}

const names = new Map<string, string>();

/**
 * Returns the name under which sessions keep a text's plan. All texts are part of the program, so their number is
 * bounded.
 */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}

function bound(value: Value): string | Buffer | null {
  if (value === null || typeof value === "string") return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof Date) return value.toISOString();
  assert(value !== undefined && typeof value !== "object", "a bound SQL value must be a scalar");
  return String(value);
}

function rowsFragment(rows: readonly Readonly<Record<string, Value>>[]): Fragment {
  const columns = Object.keys(rows[0] ?? {});
  assert(columns.length > 0, "an insert must have at least one column");
  const values = rows.flatMap((row) => columns.map((column) => row[column] as Value));
  const texts: string[] = values.map((_, at) => (at % columns.length === 0 ? "), (" : ", "));
  texts[0] = `(${columns.map(quoted).join(", ")}) values (`;
  return new Fragment([...texts, ")"], values);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const asText = (text: string): unknown => text;
const asDate = (text: string): unknown => new Date(text);

/** Parsers by the type's oid; values of other types stay text. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map([
  ...[21, 23, 26, 700, 701].map((type) => [type, Number] as const),
  ...[114, 3802].map((type) => [type, (text: string): unknown => JSON.parse(text)] as const),
  ...[1082, 1114, 1184].map((type) => [type, asDate] as const),
  [16, (text: string): unknown => text === "t"] as const,
  [17, (text: string): unknown => Buffer.from(text.slice(2), "hex")] as const,
]);

/** Returns the parser for values of this type. */
export function parserOf(type: number): (text: string) => unknown {
  return parsers.get(type) ?? asText;
}
