// Reads the lines of a recorded file in order and with bounded memory, whether it is plain, compressed with gzip, or a ZIP
// archive with one file in it, as Binance publishes its dumps. The kind is read from the first bytes, not from the name.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip, createInflateRaw } from "node:zlib";
import { SourceFault } from "./source-fault.ts";
import { findZipEntry } from "./zip-entry.ts";

/** Longest line in bytes: a row of 50 levels a side has less than a tenth of it. */
const lineBytesMax = 65_536;
const readBytes = 256 * 1024;
const gzipMagic = 0x8b1f;
const zipMagic = 0x4b50;

/** Some lines of a file, and the number of the first of them. */
export interface LineBlock {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** Yields the lines of the file at `path` in blocks, without their ends. Throws a SourceFault if it cannot be read. */
export async function* linesOf(path: string): AsyncGenerator<LineBlock> {
  let rest = "";
  let firstLine = 1;
  const stream = await openStream(path);
  stream.setEncoding("utf8");
  try {
    for await (const chunk of stream as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > lineBytesMax)
        throw new SourceFault(`${path}:${firstLine + lines.length}: the line is too long`);
      if (lines.length === 0) continue;
      yield { firstLine, lines: lines.map(withoutReturn) };
      firstLine += lines.length;
    }
  } catch (error) {
    throw error instanceof SourceFault ? error : new SourceFault(`${path}: ${messageOf(error)}`);
  } finally {
    stream.destroy();
  }
  if (rest !== "") yield { firstLine, lines: [withoutReturn(rest)] };
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function openStream(path: string): Promise<Readable> {
  const magic = await magicOf(path);
  if (magic === zipMagic) {
    const { start, end, isStored } = await findZipEntry(path);
    const packed = createReadStream(path, { start, end, highWaterMark: readBytes });
    return isStored ? packed : joined(packed, createInflateRaw({ chunkSize: readBytes }));
  }
  const plain = createReadStream(path, { highWaterMark: readBytes });
  return magic === gzipMagic ? joined(plain, createGunzip({ chunkSize: readBytes })) : plain;
}

/** Passes the faults of `from` on, which a pipe does not. */
function joined<T extends Readable & NodeJS.WritableStream>(from: Readable, to: T): T {
  from.on("error", (error) => to.destroy(error));
  to.on("close", () => from.destroy());
  return from.pipe(to);
}

async function magicOf(path: string): Promise<number> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw new SourceFault(`${path}: ${messageOf(error)}`);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead < 2 ? 0 : buffer.readUInt16LE(0);
  } catch (error) {
    // A folder can be opened, but not read.
    throw new SourceFault(`${path}: ${messageOf(error)}`);
  } finally {
    await file.close();
  }
}
