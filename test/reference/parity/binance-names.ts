// The names of Binance's spot and USD-M interfaces on one day: routes and methods with their parameters, streams, and
// events of user data. They are kept as data in binance-names.json. To take a newer day, replace the file; the table
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

export interface BinanceNames {
  /** The day of the newest source, as YYYY-MM-DD. */
  readonly taken: string;
  readonly from: readonly string[];
  readonly spot: SurfaceNames;
  readonly usdm: SurfaceNames;
}

export type SurfaceName = "spot" | "usdm";

/** Reads the data file. */
export function binanceNames(): BinanceNames {
  const text = readFileSync(join(projectRoot, "test/reference/parity/binance-names.json"), "utf8");
  return JSON.parse(text) as BinanceNames;
}
