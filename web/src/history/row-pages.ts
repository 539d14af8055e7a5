// Reads a list that the venue answers in pages, with a filter that only this page knows. What was read stays, so that the
// reader can go back. Independent of page and network.

export interface VenuePage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

/** The matching rows read so far, newest first. */
export interface ReadRows<Row> {
  readonly rows: readonly Row[];
  /** Where the venue's list continues; empty before the first request, null after the last row. */
  readonly next: string | null;
}

export const nothingRead = { rows: [], next: "" } as const;

/** What a list says in the place of its rows if the venue did not answer: it may have some. */
export const notRead = "The list could not be read.";

/** Rows that one request asks for. */
const rowsPerRequest = 500;

export interface RowSource<Row> {
  /** Reads the venue's page after `cursor`, which is empty for the first one. */
  read(cursor: string, limit: number): Promise<VenuePage<Row>>;
  /** Whether the filter shows the row. */
  fits(row: Row): boolean;
}

/**
 * Reads on until `count` rows match, the list ends, or `requestsMax` requests were made: a filter that matches little
 * must not use up the reader's request limit unasked.
 */
export async function readOn<Row>(
  { read, fits }: RowSource<Row>,
  before: ReadRows<Row>,
  count: number,
  requestsMax: number,
): Promise<ReadRows<Row>> {
  const rows = [...before.rows];
  let { next } = before;
  for (let request = 0; request < requestsMax; request++) {
    if (next === null || rows.length >= count) break;
    const page: VenuePage<Row> = await read(next, rowsPerRequest);
    rows.push(...page.items.filter(fits));
    next = page.next_cursor;
  }
  return { rows, next };
}
