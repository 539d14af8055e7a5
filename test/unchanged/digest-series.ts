// A long series of records as a short text: a digest for each block of them. Blocks are small at first, so
// that what is wrong with every record is found at the first one, and of 500 records from there on.

import { createHash } from "node:crypto";

const blockMax = 500;
const digitsOfBlock = 8;

/** How many records the block has that begins with record `from`: 1, 1, 2, 4 … 256, then 500 and so on. */
function blockSize(from: number): number {
  if (from === 0) return 1;
  return from < blockMax ? Math.min(from, blockMax - from) : blockMax;
}

/** Adds record after record, and gives a digit text with one word a block. */
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

  /** The digests of all blocks that are full. */
  get digits(): string {
    return this.#digits;
  }
}

/** In words which records are not the same; empty where all are. */
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
