// Parsers of option values that several tools share.

import { InvalidArgumentError } from "commander";

/** Parses an http URL. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "http:") {
    throw new InvalidArgumentError("expected an http URL such as http://127.0.0.1:8080");
  }
  return url;
}

/** Splits `text` at commas; returns the names in upper case. */
export function parseList(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim().toUpperCase());
}

/** Returns a parser of integers from `min` to `max`. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`expected an integer from ${min} to ${max}`);
    }
    return value;
  };
}
