// The parameters of one request, taken apart once: what was asked (names and values) and what was
// signed (the bytes received, less the signature pair). Nothing is re-encoded or sorted, so the
// signed text is exactly what the client sent. Meaning and ranges are checked elsewhere.

import { parametersMax } from "../../core/limits.ts";

/** Why a query or body is not a list of parameters; `name` is empty where none can be told. */
export interface ParameterFault {
  readonly kind: "malformed" | "duplicate" | "tooMany" | "split";
  readonly name: string;
}

const replacement = "\ufffd";
const bareSignature = /^[0-9a-f]{64}$/i;
const unsafeWhenDecoded = /[&=%+]/;
/** The beginning of a body behind a query: a separator, or a pair with a name that parameters have. */
const wholePair = /^(&|[A-Za-z]\w*=)/;

/** Whether form encoding may have changed anything in `text`. */
function isEncoded(text: string): boolean {
  return text.includes("%") || text.includes("+");
}

/** Undoes form encoding; undefined for a broken escape or bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  if (!isEncoded(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** `text` without the pair at `from` … `to` and one separator. */
function without(text: string, from: number, to: number): string {
  return to < text.length
    ? text.slice(0, from) + text.slice(to + 1)
    : text.slice(0, from && from - 1);
}

export class RequestParameters {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #signature: string | undefined;
  readonly #query: string;
  readonly #body: string;
  /** Names below this place came with the query, the others with the body. */
  readonly #fromBody: number = 0;
  #fault: ParameterFault | undefined;
  /** Whether the part being read is encoded: nearly none is, and one look at the whole tells. */
  #isEncoded = false;

  private constructor(query: string, body: string) {
    this.#query = query === "" ? "" : this.#scan(query);
    this.#fromBody = this.#names.length;
    this.#body = body === "" ? "" : this.#scan(body);
    if (this.#query !== "" && this.#body !== "") this.#fault ??= this.#splitFault();
  }

  /**
   * Parses a raw query string and a raw form body. Refused: broken escapes, invalid UTF-8, the same
   * name twice in one of the two parts, more than `parametersMax` parameters, and a pair that query
   * and body share. A name in both parts has the query's value.
   */
  static parse(query: string, body: string): RequestParameters | ParameterFault {
    const parameters = new RequestParameters(query, body);
    return parameters.#fault ?? parameters;
  }

  /** The decoded value, undefined when absent; an empty value counts as absent. */
  get(name: string): string | undefined {
    const value = this.#values[this.#names.indexOf(name)];
    return value === "" ? undefined : value;
  }

  /** The first name with a value that is not one of `known`. */
  strayName(known: ReadonlySet<string>): string | undefined {
    return this.#names.find((name, at) => this.#values[at] !== "" && !known.has(name));
  }

  /** The name at the beginning of a body behind a query; undefined where one of them is empty. */
  get nameBehindQuery(): string | undefined {
    if (this.#query === "" || this.#body === "") return undefined;
    return this.#names[this.#fromBody];
  }

  /** The signature as sent, escapes undone, or undefined; a blank is a plus somebody forgot to escape. */
  get signature(): string | undefined {
    return this.#signature === "" ? undefined : this.#signature;
  }

  /** True when a bare hex tail stands where `signature=` belongs: wrong rather than missing. */
  get endsInBareSignature(): boolean {
    const tail = this.#body === "" ? this.#query : this.#body;
    return bareSignature.test(tail.slice(tail.lastIndexOf("&") + 1));
  }

  /** Query and body without their signature pairs, nothing between them. */
  get signedText(): string {
    return this.#query + this.#body;
  }

  /**
   * The signed text with escapes undone, for clients that sign before they encode; undefined when
   * that is the same text, or when a decoded value could be read as other parameters.
   */
  get decodedSignedText(): string | undefined {
    const text = this.signedText;
    if (!text.includes("%") && !text.includes("+")) return undefined;
    const parts = [this.#query, this.#body].map((part) =>
      part.split("&").map((pair) => {
        const at = pair.indexOf("=");
        const value = decode(pair.slice(at + 1)) ?? "%";
        return unsafeWhenDecoded.test(value) ? undefined : pair.slice(0, at + 1) + value;
      }),
    );
    if (parts.flat().includes(undefined)) return undefined;
    return parts.map((pairs) => pairs.join("&")).join("");
  }

  /** Reads one part into the lists and answers it without its signature pair. */
  #scan(text: string): string {
    if (text.includes(replacement)) this.#fault ??= { kind: "malformed", name: "" };
    this.#isEncoded = isEncoded(text);
    let signatureFrom = -1;
    let rest = text;
    let to = 0;
    for (let from = 0; from < text.length && this.#fault === undefined; from = to + 1) {
      const separator = text.indexOf("&", from);
      to = separator < 0 ? text.length : separator;
      if (to === from) continue;
      const equals = text.indexOf("=", from);
      const nameEnd = equals < 0 || equals > to ? to : equals;
      const name = text.slice(from, nameEnd);
      const value = text.slice(Math.min(nameEnd + 1, to), to);
      if (name !== "signature") {
        this.#take(name, value);
      } else if (signatureFrom >= 0) {
        this.#fault = { kind: "duplicate", name };
      } else {
        signatureFrom = from;
        rest = without(text, from, to);
        this.#takeSignature(value);
      }
    }
    return rest;
  }

  /**
   * Nothing is signed between query and body, so their border could be moved: `quantity=200` and `0` for
   * `quantity=2000`. Wherever it cuts a pair, a piece is left without its name or without its equals sign.
   */
  #splitFault(): ParameterFault | undefined {
    const last = this.#query.slice(this.#query.lastIndexOf("&") + 1);
    if (last !== "" && !last.includes("=")) return { kind: "split", name: last };
    const isBare = this.#signature === undefined && bareSignature.test(this.#body);
    if (isBare || wholePair.test(this.#body)) return undefined;
    const at = last.indexOf("=");
    return { kind: "split", name: at < 0 ? "" : last.slice(0, at) };
  }

  #decoded(raw: string): string | undefined {
    return this.#isEncoded ? decode(raw) : raw;
  }

  #takeSignature(value: string): void {
    if (this.#signature !== undefined) return;
    const signature = this.#decoded(value);
    // Base64 has no blanks: one is a plus that lost its escape.
    this.#signature = signature?.includes(" ") ? signature.replaceAll(" ", "+") : signature;
    if (this.#signature === undefined) this.#fault = { kind: "malformed", name: "signature" };
  }

  #take(rawName: string, rawValue: string): void {
    const name = this.#decoded(rawName);
    const value = this.#decoded(rawValue);
    if (name === undefined || value === undefined || name === "") {
      this.#fault = { kind: "malformed", name: name ?? "" };
      return;
    }
    const at = this.#names.indexOf(name);
    if (at >= this.#fromBody) {
      this.#fault = { kind: "duplicate", name };
      return;
    }
    if (at >= 0) return;
    this.#names.push(name);
    this.#values.push(value);
    if (this.#names.length > parametersMax) this.#fault = { kind: "tooMany", name: "" };
  }
}
