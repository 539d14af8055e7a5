// Logs clearing's input in order: every command and matcher answer, as ring bytes. For tests only: replaying the log on
// one thread must give the same state.
//
//   ┌────────┬─────────┬────────┬───────────────┐
//   │ kind   │ matcher │ length │ record bytes  │   u8, u8, u16, then the bytes
//   └────────┴─────────┴────────┴───────────────┘

import { closeSync, openSync, writeSync } from "node:fs";

export const InputKind = { command: 1, match: 2 } as const;
export type InputKind = (typeof InputKind)[keyof typeof InputKind];

export const inputHeaderBytes = 4;

/** Number of bytes that accumulate before they are written to the file. */
const bufferBytes = 2 ** 20;

interface RecordMemory {
  readonly u8: Uint8Array;
}

export class InputLog {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(bufferBytes);
  #used = 0;

  /** Creates a new file at `path`. */
  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  commanded(memory: RecordMemory, offset: number, length: number): void {
    this.#add(InputKind.command, 0, memory.u8, offset, length);
  }

  matched(matcher: number, memory: RecordMemory, offset: number, length: number): void {
    this.#add(InputKind.match, matcher, memory.u8, offset, length);
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #add(kind: InputKind, matcher: number, from: Uint8Array, offset: number, length: number): void {
    if (this.#used + inputHeaderBytes + length > bufferBytes) this.#flush();
    const at = this.#used;
    this.#buffer.writeUInt8(kind, at);
    this.#buffer.writeUInt8(matcher, at + 1);
    this.#buffer.writeUInt16LE(length, at + 2);
    this.#buffer.set(from.subarray(offset, offset + length), at + inputHeaderBytes);
    this.#used += inputHeaderBytes + length;
  }

  #flush(): void {
    writeSync(this.#file, this.#buffer, 0, this.#used);
    this.#used = 0;
  }
}
