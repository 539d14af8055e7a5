// Finds the one file of a ZIP archive: from the end of central directory, its only entry, and that entry's local header.
// Binance's archives have one file each. Node's own zlib inflates the rest, so no library is needed for this.
// Source: APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12, 4.3.14, 4.3.16 and 4.5.3.

import { type FileHandle, open } from "node:fs/promises";
import { SourceFault } from "./source-fault.ts";

/** Where the packed bytes of a file lie in its archive, both bounds inclusive. */
export interface ZipEntry {
  readonly start: number;
  readonly end: number;
  /** Stored as it is, without compression. */
  readonly isStored: boolean;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const [endBytes, entryBytes, localBytes] = [22, 46, 30];
/** The end record is followed by a comment of at most this length. */
const commentBytesMax = 65_535;
const [stored, deflated] = [0, 8];
/** Marks a size that is in the entry's extra field, because it does not fit 32 bits. */
const inExtra = 0xffffffff;
const zip64Id = 1;

/** Returns the entry of the archive at `path`; throws a SourceFault if it has not exactly one, or one that is encrypted. */
export async function findZipEntry(path: string): Promise<ZipEntry> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const tail = await bytesAt(file, Math.max(0, size - endBytes - commentBytesMax), size);
    const end = lastEnd(tail);
    if (end < 0) throw new SourceFault(`${path}: the archive is not complete`);
    const count = tail.readUInt16LE(end + 10);
    if (count !== 1)
      throw new SourceFault(`${path}: expected an archive with one file, not ${count}`);
    const directory = tail.readUInt32LE(end + 16);
    if (directory === inExtra)
      throw new SourceFault(`${path}: the archive is larger than 4 GiB: unpack it first`);
    const length = tail.readUInt32LE(end + 12);
    return await entryOf(path, file, await bytesAt(file, directory, directory + length));
  } finally {
    await file.close();
  }
}

async function entryOf(path: string, file: FileHandle, entry: Buffer): Promise<ZipEntry> {
  const isWhole = entry.length >= entryBytes && entry.readUInt32LE(0) === entrySignature;
  if (!isWhole) throw new SourceFault(`${path}: the archive's directory cannot be read`);
  const method = entry.readUInt16LE(10);
  if ((entry.readUInt16LE(8) & 1) !== 0 || (method !== stored && method !== deflated))
    throw new SourceFault(`${path}: expected an archive that is deflated and not encrypted`);
  const local = entry.readUInt32LE(42);
  const header = await bytesAt(file, local, local + localBytes);
  if (header.length < localBytes || header.readUInt32LE(0) !== localSignature)
    throw new SourceFault(`${path}: the archive's file cannot be found`);
  const start = local + localBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  return { start, end: start + packedSize(entry) - 1, isStored: method === stored };
}

/** The packed size of the entry, which a large one has in its extra field, after the size that it unpacks to. */
function packedSize(entry: Buffer): number {
  const packed = entry.readUInt32LE(20);
  if (packed !== inExtra) return packed;
  let at = entryBytes + entry.readUInt16LE(28);
  const extraEnd = at + entry.readUInt16LE(30);
  while (at + 4 <= extraEnd) {
    const length = entry.readUInt16LE(at + 2);
    if (entry.readUInt16LE(at) === zip64Id) {
      const before = entry.readUInt32LE(24) === inExtra ? 8 : 0;
      return Number(entry.readBigUInt64LE(at + 4 + before));
    }
    at += 4 + length;
  }
  return packed;
}

function lastEnd(tail: Buffer): number {
  for (let at = tail.length - endBytes; at >= 0; at--)
    if (tail.readUInt32LE(at) === endSignature) return at;
  return -1;
}

async function bytesAt(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  return bytes.subarray(0, bytesRead);
}
