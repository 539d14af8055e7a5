// The file of a bundle's code cache. V8 takes any cache for code of the right length: it runs the functions of an older bundle,
// and the process ends, or does something else, if the file was damaged. So a checksum precedes the cache. It includes the
// path of the bundle, because a script from a cache has the path that it was compiled with, which stack traces show.
//
//   checksum (4 bytes, little-endian) ─ 4 zeros, because V8 copies a cache that is not aligned ─ V8's cache

import { readFileSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";

/** Number of bytes before V8's cache. */
const headBytes = 8;

/** The file of the cache of the bundle at the path `file`. */
export function cacheOf(file: string): string {
  return `${file}.cache`;
}

export function writeCache(file: string, code: Buffer, cache: Buffer): void {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(checksum(file, code, cache));
  writeFileSync(cacheOf(file), Buffer.concat([head, cache]));
}

/** Returns V8's cache for the bundle at the absolute path `file`; undefined if there is none for this path and code. */
export function openCache(file: string, code: Buffer): Buffer | undefined {
  const stored = readStored(file);
  if (stored === undefined || stored.length < headBytes) return undefined;
  const cache = stored.subarray(headBytes);
  return stored.readUInt32LE() === checksum(file, code, cache) ? cache : undefined;
}

function readStored(file: string): Buffer | undefined {
  try {
    return readFileSync(cacheOf(file));
  } catch {
    return undefined;
  }
}

function checksum(file: string, code: Buffer, cache: Buffer): number {
  return crc32(cache, crc32(code, crc32(file)));
}
