// What a route is: a path and method, what it costs, who may use it, and how it is answered. A
// route answers every call it is given, now or when a reply or a row arrives.

import type { RateTier } from "../../../core/accounts.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { HistoryStore } from "../../../ports/journal/history-store.ts";
import type { MarketSampleReader } from "../../../ports/journal/market-samples.ts";
import type { Log } from "../../../ports/log.ts";
import type { Weight } from "../../../services/access/endpoint-weights.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import type { CommandBridge } from "../orders/command-bridge.ts";
import type { ReadModel } from "../read-model.ts";
import type { HttpCall, Method } from "../server/http-call.ts";
import type { SurfaceView } from "./surface-view.ts";

/** Who signed a request. */
export interface Caller {
  readonly account: number;
  readonly keyId: number;
  readonly tier: RateTier;
}

interface RouteTerms {
  readonly method: Method;
  /** As documented; the compat view has it under its prefix. Which view a call came through is `call.view`. */
  readonly path: string;
  /** The one view that has this route; both have it when absent. */
  readonly onlyIn?: SurfaceView;
  /** Request weight; stands in `endpointWeights`. */
  readonly weight: Weight;
}

/** Anybody may ask. */
export interface PublicRoute extends RouteTerms {
  readonly security: "none";
  /** Faults of the query are answered as plain text (specification: klines). */
  readonly hasTextFaults?: boolean;
  answer(call: HttpCall, parameters: RequestParameters): void;
}

/** Signed requests of keys with READ or TRADE. */
export interface SignedRoute extends RouteTerms {
  readonly security: "read" | "trade";
  /** How many orders a call counts as, or how that follows from the parameters (a batch). */
  readonly orders?: number | ((parameters: RequestParameters) => number);
  /** Over a connection that has proved its key it needs no timestamp; one that is sent counts. */
  readonly isTimeless?: boolean;
  answer(call: HttpCall, parameters: RequestParameters, caller: Caller): void;
}

/** Requests that name a key with READ and prove nothing: listen keys. Parameters are not signed. */
export interface KeyRoute extends RouteTerms {
  readonly security: "key";
  answer(call: HttpCall, parameters: RequestParameters, caller: Caller): void;
}

export type Route = PublicRoute | SignedRoute | KeyRoute;

/** What routes work with. */
export interface RouteContext {
  readonly table: MarketTable;
  readonly model: ReadModel;
  readonly bridge: CommandBridge;
  readonly history: HistoryStore;
  readonly samples: MarketSampleReader;
  readonly clock: Clock;
  readonly log: Log;
  /** False where other fronts may hold commands of the same account. */
  readonly isSoleFront: boolean;
  /** Whether what wallets hold on the ledger is not known any more. */
  readonly isLedgerStale: () => boolean;
  /** Whether a fault of a store says that nothing answers there now. */
  readonly isStoreAway: (fault: unknown) => boolean;
  /** Whether the compat view refuses what Binance has retired (COMPAT_STRICT). */
  readonly isStrict: boolean;
  /** The tier of the key a public request names in its header, standard if it names none. */
  tierOf(call: HttpCall): RateTier;
}
