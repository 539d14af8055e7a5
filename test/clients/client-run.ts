// Records the steps of one client's run through a venue, each with the feature that it proves. A failed step is
// recorded and the run continues, so that one failure does not hide others.

/** What a trader does through a client, in the order of the matrix in the clients guide. */
export const features = [
  "markets",
  "market data",
  "klines",
  "balance",
  "place",
  "query",
  "open orders",
  "order history",
  "amend or replace",
  "batch",
  "conditional orders",
  "cancel",
  "cancel all",
  "test order",
  "trades",
  "positions",
  "leverage",
  "account settings",
  "refusals",
] as const;

export type Feature = (typeof features)[number];

export interface StepResult {
  readonly feature: Feature;
  readonly name: string;
  /** The error message; empty if the step passed. */
  readonly error: string;
}

export class ClientRun {
  readonly results: StepResult[] = [];

  async step(feature: Feature, name: string, body: () => Promise<unknown>): Promise<void> {
    try {
      await body();
      this.results.push({ feature, name, error: "" });
    } catch (error) {
      this.results.push({ feature, name, error: wordsOf(error) });
    }
  }
}

/** Returns the message of anything that a client throws: an error, a plain object or a text. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error)?.slice(0, 2000) ?? String(error);
  const data = (error as { response?: { data?: unknown } }).response?.data;
  return `${error.stack ?? error.message}${data === undefined ? "" : `\n${JSON.stringify(data)}`}`;
}
