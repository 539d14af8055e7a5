// A long series of records as a short text: one digest per block of records. The first blocks are small, so that an
// error in every record is located at the first record. Later blocks have 500 records.

import { createHash } from "node:crypto";

const blockMax = 500;
const digitsOfBlock = 8;

/** Returns the size of the block that starts at record `from`: 1, 1, 2, 4 … 256, then always 500. */
function blockSize(from: number): number {
  if (from === 0) return 1;
  return from < blockMax ? Math.min(from, blockMax - from) : blockMax;
}

/** Hashes a series of records into a text with one digest per block. */
export class DigestSeries {
  #digits = "";
  #block = createHash("sha256");
  #count = 0;
  #left = blockSize(0);
  readonly #length = Buffer.alloc(4);

  add(record: Uint8Array | string): void {
    this.#length.writeUInt32LE(record.length);
    this.#block.update(this.#length).update(record);
    this.#count++;
    this.#left--;
    if (this.#left > 0) return;
    this.#digits += this.#block.digest("hex").slice(0, digitsOfBlock);
    this.#block = createHash("sha256");
    this.#left = blockSize(this.#count);
  }

  /** Returns the digests of all full blocks. */
  get digits(): string {
    return this.#digits;
  }
}

/** Describes which records differ; empty if none do. */
export function differences(expected: string, actual: string): string {
  const faults: string[] = [];
  for (let from = 0, at = 0; at < Math.max(expected.length, actual.length); at += digitsOfBlock) {
    const size = blockSize(from);
    const to = at + digitsOfBlock;
    if (expected.slice(at, to) !== actual.slice(at, to)) faults.push(`${from}-${from + size - 1}`);
    from += size;
  }
  const more = faults.length > 3 ? ` and ${faults.length - 3} more blocks` : "";
  return faults.length === 0 ? "" : `records ${faults.slice(0, 3).join(", ")}${more}`;
}
