// Reads the document that a verifier checks, from a file, an address or standard input, within bounds.

import { createReadStream } from "node:fs";
import { printable } from "../../services/epochs/proof-verifier.ts";

/** A proof takes 3 KiB, and a member's leaves 40; fifty proofs, or a list of a thousand epochs, fit easily. */
const documentBytesMax = 4 * 2 ** 20;
const fetchTimeoutMs = 10_000;

/** Whether a text is a hash or a fingerprint: 64 hexadecimal digits. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** The JSON at a path or address, or on standard input for `-`; the error says what cannot be read and why. */
export async function documentAt(location: string): Promise<unknown> {
  const text = await textAt(location);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${location} is not valid JSON`);
  }
}

async function textAt(location: string): Promise<string> {
  if (location === "-") return boundedText(process.stdin);
  if (!/^https?:\/\//.test(location))
    return boundedText(createReadStream(location)).catch((error) =>
      failed(`cannot read ${location}`, error),
    );
  const answer = await fetch(location, { signal: AbortSignal.timeout(fetchTimeoutMs) }).catch(
    (error) => failed(`no answer from ${location}`, error),
  );
  if (!answer.ok) {
    const message = answer.body === null ? "" : await boundedText(answer.body);
    throw new Error(`${location} answered ${answer.status}: ${printable(message.slice(0, 200))}`);
  }
  return answer.body === null ? "" : boundedText(answer.body);
}

/** Throws an error that says what failed before the system's reason. */
function failed(what: string, error: unknown): never {
  const { message, cause } = error as Error;
  throw new Error(`${what}: ${cause instanceof Error ? cause.message || cause : message}`);
}

async function boundedText(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of source) {
    bytes += part.length;
    if (bytes > documentBytesMax) throw new Error("the document is too large to be a proof");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
