// The names of Binance's spot, USD-M and FIX interfaces on one day: routes, methods and messages with their parameters,
// streams, and events of user data. They are kept as data in binance-names.json. To take a newer day, replace the file; the table
// of parity then shows what is new.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../support/tidy/tree.ts";

/** The names of one surface. The value of a route or method lists its parameters, separated by blanks. */
export interface SurfaceNames {
  readonly routes: Readonly<Record<string, string>>;
  readonly methods: Readonly<Record<string, string>>;
  readonly streams: readonly string[];
  readonly events: readonly string[];
}

/**
 * The names of the FIX API: messages that clients send, with their tags as `name=tag` or `group/name=tag`, and messages that
 * the venue sends.
 */
export interface FixNames {
  readonly orders: Readonly<Record<string, string>>;
  readonly marketData: Readonly<Record<string, string>>;
  readonly messages: readonly string[];
}

export interface BinanceNames {
  /** The day of the newest source, as YYYY-MM-DD. */
  readonly taken: string;
  readonly from: readonly string[];
  readonly spot: SurfaceNames;
  readonly usdm: SurfaceNames;
  readonly fix: FixNames;
}

export type SurfaceName = "spot" | "usdm";

/** Reads the data file. */
export function binanceNames(): BinanceNames {
  const text = readFileSync(join(projectRoot, "test/reference/parity/binance-names.json"), "utf8");
  return JSON.parse(text) as BinanceNames;
}
