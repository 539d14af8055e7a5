// The events of recorded files in the order of time: recognises each file's format, reads trades and depth side by side, and
// merges them. A row that cannot be read ends the reading with its file and line, or is counted, if that is wanted.

import { binanceAggTrades, binanceTrades } from "./formats/binance.ts";
import {
  bookFileOf,
  isLobsterMessage,
  LobsterReader,
  lobsterName,
  midnightUs,
} from "./formats/lobster.ts";
import type { ReadOptions, RowFormat } from "./formats/row-format.ts";
import { tardisDepth, tardisSnapshots, tardisTrades } from "./formats/tardis.ts";
import type { PastEvent } from "./past-events.ts";
import { BadRow, SourceFault } from "./source-fault.ts";
import { linesOf } from "./source-file.ts";

const rowFormats: readonly RowFormat[] = [
  ...[binanceTrades, binanceAggTrades],
  ...[tardisTrades, tardisSnapshots, tardisDepth],
];

/** The names of all formats. */
export const formatNames: readonly string[] = [...rowFormats.map(({ name }) => name), lobsterName];

/** A row may be this much earlier than the one before it, and then counts as of the same time. */
const backwardUsMax = 1_000_000;

export interface SourceOptions extends ReadOptions {
  /** Counts bad rows instead of ending at the first one. */
  readonly skipsBad: boolean;
}

/** A file and how it is read. */
export interface Source {
  readonly path: string;
  readonly format: string;
  readonly gives: "trades" | "depth" | "both";
}

/** Blocks of events in the order of time. */
type Blocks = AsyncIterable<readonly PastEvent[]>;

/** Recognises the format of a file, or takes `named`; throws a SourceFault if it has none. */
export async function sourceOf(path: string, named: string | undefined): Promise<Source> {
  const row = await firstRow(path);
  const isLobster = named === undefined ? isLobsterMessage(row) : named === lobsterName;
  if (isLobster) return { path, format: lobsterName, gives: "both" };
  const found = rowFormats.find((one) =>
    named === undefined ? one.detects(row) : one.name === named,
  );
  if (found === undefined)
    throw new SourceFault(`${path}: no known format; --format takes ${formatNames.join(", ")}`);
  return { path, format: found.name, gives: found.gives };
}

async function firstRow(path: string): Promise<readonly string[]> {
  for await (const { lines } of linesOf(path)) return (lines[0] ?? "").split(",");
  throw new SourceFault(`${path}: the file is empty`);
}

/** Reads sources; `bad` counts the rows that were skipped. */
export class SourceEvents {
  readonly #options: SourceOptions;
  bad = 0;
  /** What was wrong with the first row that was skipped. */
  firstBad: string | null = null;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /** Yields the events of all sources in the order of time; files of one kind follow each other as they are given. */
  read(sources: readonly Source[]): AsyncGenerator<readonly PastEvent[]> {
    const of = (isDepth: boolean) => sources.filter(({ gives }) => (gives === "depth") === isDepth);
    return merged(this.#chain(of(false)), this.#chain(of(true)));
  }

  async *#chain(sources: readonly Source[]): AsyncGenerator<readonly PastEvent[]> {
    for (const source of sources) yield* this.#inOrder(source);
  }

  /** The events of a source, of which none is earlier than the one before. */
  async *#inOrder(source: Source): AsyncGenerator<readonly PastEvent[]> {
    let lastUs = 0;
    const noteOrder = ({ atUs }: PastEvent) => {
      if (atUs < lastUs - backwardUsMax)
        throw new BadRow("the time is before that of the row above");
      lastUs = Math.max(lastUs, atUs);
      return lastUs;
    };
    const blocks = source.format === lobsterName ? this.#pairs(source) : this.#rows(source);
    for await (const read of blocks) {
      const events: PastEvent[] = [];
      for (const { where, rows } of read)
        this.#attempt(where, () => {
          for (const event of rows()) events.push({ ...event, atUs: noteOrder(event) });
        });
      yield events;
    }
  }

  /** Does what may throw a BadRow; adds where it was, or counts it. */
  #attempt(where: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof BadRow)) throw error;
      const message = `${where}: ${error.message}`;
      if (!this.#options.skipsBad) throw new SourceFault(`${message} (--skip-bad counts bad rows)`);
      this.bad++;
      this.firstBad ??= message;
    }
  }

  async *#rows({ path, format: name }: Source): AsyncGenerator<readonly Row[]> {
    const format = rowFormats.find((one) => one.name === name);
    if (format === undefined) return;
    let reader: ReturnType<RowFormat["open"]> | null = null;
    for await (const { firstLine, lines } of linesOf(path)) {
      const rows: Row[] = [];
      for (const [index, line] of lines.entries()) {
        const row = line.split(",");
        const isFirst = reader === null;
        reader ??= format.open(this.#options, row);
        if (line === "" || (isFirst && format.isHeader(row))) continue;
        const own = reader;
        rows.push({ where: `${path}:${firstLine + index}`, rows: () => listOf(own.read(row)) });
      }
      yield rows;
    }
    const last = reader;
    if (last !== null) yield [{ where: path, rows: () => listOf(last.end()) }];
  }

  /** LOBSTER's two files, row by row. */
  async *#pairs({ path }: Source): AsyncGenerator<readonly Row[]> {
    const bookPath = bookFileOf(path);
    const reader = new LobsterReader(this.#options, midnightUs(path));
    const books = singleLines(bookPath);
    try {
      for await (const { firstLine, lines } of linesOf(path)) {
        const rows: Row[] = [];
        for (const [index, line] of lines.entries()) {
          if (line === "") continue;
          const { value: book, done } = await books.next();
          if (done === true) throw new SourceFault(`${bookPath}: it has fewer rows than ${path}`);
          const read = () => reader.read(line.split(","), book.split(","));
          rows.push({ where: `${path}:${firstLine + index}`, rows: read });
        }
        yield rows;
      }
    } finally {
      await books.return(undefined);
    }
  }
}

/** A row to read, and where it is. */
interface Row {
  readonly where: string;
  readonly rows: () => readonly PastEvent[];
}

function listOf(event: PastEvent | null): readonly PastEvent[] {
  return event === null ? [] : [event];
}

async function* singleLines(path: string): AsyncGenerator<string, undefined> {
  for await (const { lines } of linesOf(path)) yield* lines;
  return undefined;
}

/** Reads two streams of blocks as one in the order of time; at the same time, those of `first` come first. */
async function* merged(first: Blocks, second: Blocks): AsyncGenerator<readonly PastEvent[]> {
  const [one, other] = [new Cursor(first), new Cursor(second)];
  try {
    for (;;) {
      await Promise.all([one.fill(), other.fill()]);
      if (one.isOver && other.isOver) return;
      yield takeInOrder(one, other);
    }
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
}

/** Takes events from both until one of them has to be read on. */
function takeInOrder(one: Cursor, other: Cursor): PastEvent[] {
  const events: PastEvent[] = [];
  for (;;) {
    const [a, b] = [one.head, other.head];
    const mayTakeOne = a !== null && (b === null ? other.isOver : a.atUs <= b.atUs);
    if (mayTakeOne) events.push(one.take(a));
    else if (b !== null && (a !== null || one.isOver)) events.push(other.take(b));
    else return events;
  }
}

/** A place in a stream of blocks. */
class Cursor {
  readonly #blocks: AsyncIterator<readonly PastEvent[]>;
  #block: readonly PastEvent[] = [];
  #at = 0;
  #isRead = false;

  constructor(blocks: Blocks) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  get head(): PastEvent | null {
    return this.#block[this.#at] ?? null;
  }

  /** Whether there is nothing left, in memory or to be read. */
  get isOver(): boolean {
    return this.#isRead && this.head === null;
  }

  take(head: PastEvent): PastEvent {
    this.#at++;
    return head;
  }

  /** Reads on if nothing is left in memory. */
  async fill(): Promise<void> {
    while (this.head === null && !this.#isRead) {
      const { value, done } = await this.#blocks.next();
      if (done === true) this.#isRead = true;
      else {
        this.#block = value;
        this.#at = 0;
      }
    }
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}
