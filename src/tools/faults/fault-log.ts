// The log of the fault proxy: one JSON line for each request, session request and stream event that it handled. Writing
// never delays traffic: lines that the disk does not take in time are counted and left out. Specification: REW-36.

import { createWriteStream, openSync, renameSync, statSync, type WriteStream } from "node:fs";
import type { FaultProfile, FaultTarget } from "../../../schemas/fault-profile.ts";

/** Size at which the file is renamed to faults.1.jsonl, in place of an earlier one. */
const logBytesMax = 2 ** 26;
/** Bytes that may wait for the disk. */
const waitingBytesMax = 2 ** 22;

export interface FaultLogLine {
  readonly at_ms: number;
  readonly key: string | null;
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  readonly symbol: string | null;
  readonly client_order_id: string | null;
  readonly order_id: string | null;
  /** HTTP status that the client got, or the venue's if the answer was lost; null for stream events and lost requests. */
  readonly status: number | null;
  /** Error code of the answer. */
  readonly code: number | null;
  readonly delivered: boolean;
  /** Name of the profile of which a fault happened. */
  readonly fault: string | null;
  /** Kinds of the faults that happened, joined by `+`. */
  readonly kind: string | null;
  readonly latency_ms: number;
  /** Type of a stream event, such as executionReport; absent for requests. */
  readonly event?: string;
  /** Status of the order in a stream event or an answer. */
  readonly order_status?: string;
  /** How much of the order an event or answer says to be filled. */
  readonly filled_qty?: string;
  /** The message of a refusal. */
  readonly message?: string;
}

/** A profile that was applied, or profiles that were cleared; a target of null is everybody's. */
export interface FaultChange {
  readonly at_ms: number;
  readonly method: "APPLY" | "CLEAR";
  readonly target: FaultTarget | null;
  readonly profile?: FaultProfile;
  readonly seed?: number;
  readonly for_ms?: number | null;
}

export class FaultLog {
  readonly #path: string;
  readonly #warn: (error: Error) => void;
  /** Null if the file could not be opened, and once it is closed. */
  #stream: WriteStream | null;
  #bytes: number;
  #left = 0;

  /** Appends to the file at `path`. */
  constructor(path: string, warn: (error: Error) => void) {
    this.#path = path;
    this.#warn = warn;
    this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    this.#stream = this.#open();
  }

  /** Number of lines that were left out, because the disk was too slow. */
  get leftOut(): number {
    return this.#left;
  }

  write(line: FaultLogLine | FaultChange): void {
    const stream = this.#stream;
    if (stream === null || stream.errored !== null || stream.writableLength > waitingBytesMax) {
      this.#left++;
      return;
    }
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += Buffer.byteLength(text);
    stream.write(text);
    if (this.#bytes >= logBytesMax) this.#rotate(stream);
  }

  /** Writes what waits, and closes the file. */
  close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = null;
    if (stream === null || stream.errored !== null) return Promise.resolve();
    return new Promise((resolve) => {
      stream.once("error", () => resolve());
      stream.end(() => resolve());
    });
  }

  /** The file is opened at once, so that its lines stay its own if it is renamed. */
  #open(): WriteStream | null {
    try {
      const stream = createWriteStream(this.#path, { fd: openSync(this.#path, "a", 0o600) });
      stream.on("error", this.#warn);
      return stream;
    } catch (error) {
      this.#warn(error as Error);
      return null;
    }
  }

  /** Lines that wait still go to the renamed file. */
  #rotate(stream: WriteStream): void {
    try {
      renameSync(this.#path, this.#path.replace(/\.jsonl$/, ".1.jsonl"));
    } catch (error) {
      this.#warn(error as Error);
    }
    stream.end();
    this.#stream = this.#open();
    this.#bytes = 0;
  }
}
