// Adds to the operator's list of markets what the running venue reports of each, such as that it takes only orders that
// reduce positions. The fronts decide it from state that is in no table; `status` says it in the words of /health.

import type { ToldState } from "../../cli/venue-state.ts";
import type { VenueCall } from "./verb.ts";

interface ListedMarket {
  readonly symbol: string;
  readonly warning: string | null;
}

/** The markets, each with its warnings; those of the listing alone if no venue runs. */
export async function listWithProblems(call: VenueCall): Promise<readonly ListedMarket[]> {
  const markets = (await call("markets/list", {})) as readonly ListedMarket[];
  const { problems = [] } = (await call("status", {})) as Partial<ToldState>;
  return markets.map((market) => {
    const own = market.warning === null ? [] : [market.warning];
    const told = problems.filter((one) => one.market === market.symbol).map(({ text }) => text);
    // The listing says a few of the same things, for a venue that does not run.
    const all = [...new Set([...own, ...told])];
    return { ...market, warning: all.length === 0 ? null : all.join("; ") };
  });
}
