// A client of a campaign that trades while it is told to, and remembers what it was told.

import type { DoneRequests } from "../../crash/done-requests.ts";
import type { TradingClient } from "../../crash/signed-client.ts";
import type { ToldHistory } from "../../crash/told-history.ts";

export interface Trader {
  readonly history: ToldHistory;
  /** Reads the trader's orders for the audit. */
  readonly client: Pick<TradingClient, "read" | "close">;
  /** Number of acknowledged orders, amendments and cancels so far. */
  readonly acknowledged: number;
  /** Its requests that were done, if it counts them. */
  readonly done?: DoneRequests;
  resume(): void;
  /** Resolves when each request is answered or lost. */
  pause(): Promise<void>;
}
