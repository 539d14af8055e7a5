// Reads an untrusted prepared transaction. Anything malformed throws a `Different` with a message for the signer.

export type Fields = Readonly<Record<string, unknown>>;

/** A value of the transaction is not as required; the message says which one. */
export class Different extends Error {}

/** The transaction names a party or contract other than the one that the wallet knows. */
export class OtherNetwork extends Different {}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inner, name) => fieldsOf(inner)[name], value);
}

export function text(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names);
  return typeof found === "string" ? found : fail(`The transaction has no ${names.at(-1)}.`);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : fail("The transaction does not have the expected form.");
}

export function fieldsOf(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  return fail("The transaction does not have the expected form.");
}

export function expect(holds: boolean, message: string): void {
  if (!holds) fail(message);
}

export function fail(message: string): never {
  throw new Different(message);
}

/** Longer than any message about a valid document. */
const messageCharsMax = 2_000;

/** Puts an untrusted message on one line, because control characters could overwrite the verdict on a terminal. */
export function printable(message: string): string {
  return message.slice(0, messageCharsMax).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}

/** Far deeper than any real transaction; deeper nesting could exhaust the stack. */
const depthMax = 32;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** The JSON object in the bytes; null for anything else. */
export function parsed(bytes: Uint8Array): Fields | null {
  try {
    const found: unknown = JSON.parse(decoder.decode(bytes));
    const isDocument = typeof found === "object" && found !== null && !isDeeper(found, depthMax);
    return isDocument ? fieldsOf(found) : null;
  } catch {
    return null;
  }
}

export function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Returns the time in the field `name`; fails if it does not have the ledger's format. */
export function timeIn(value: unknown, name: string): string {
  const time = text(value, name);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time);
  return isTime && !Number.isNaN(Date.parse(time)) ? time : fail(`The ${name} is not a time.`);
}

/** Returns the commands. Each must have exactly one kind, because a second kind would be executed without a check. */
export function commandsOf(document: Fields): Fields[] {
  const commands = list(document["commands"]).map(fieldsOf);
  const isPlain = commands.every((each) => Object.keys(each).length === 1);
  return isPlain ? commands : fail("A command of the transaction has more than one kind.");
}
