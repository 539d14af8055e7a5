// Says in the operator's list of markets which perpetuals accept only orders that reduce positions, and why. The fronts
// decide it from state that is in no table, so it is read from the running venue's /metrics, which this machine may
// read if the venue listens on loopback.

import type { VenueCall } from "./verb.ts";

/** A metric that is 1 while a perpetual is reduce-only, and its reason. */
const reasons: ReadonlyArray<readonly [metric: string, reason: (seconds: number) => string]> = [
  [
    "rialto_perpetual_index_stale",
    (seconds) => `its index has been stale for ${Math.round(seconds)} s`,
  ],
  ["rialto_perpetual_fund_paused", () => "the insurance fund reached its hourly limit"],
];

interface ListedMarket {
  readonly symbol: string;
  readonly warning: string | null;
}

/** The markets, with a warning for each that is reduce-only; unchanged if the venue's metrics cannot be read. */
export async function listWithReasons(call: VenueCall): Promise<readonly ListedMarket[]> {
  const markets = (await call("markets/list", {})) as readonly ListedMarket[];
  const { address } = (await call("status", {})) as { readonly address?: string };
  const text = address === undefined ? "" : await metricsAt(address);
  return markets.map((market) => {
    const told = reasons
      .filter(([metric]) => figure(text, metric, market.symbol) === 1)
      .map(([, reason]) => {
        const seconds = figure(text, "rialto_perpetual_index_stale_seconds", market.symbol) ?? 0;
        return `reduce-only: ${reason(seconds)}`;
      });
    const all = [...(market.warning === null ? [] : [market.warning]), ...told];
    return { ...market, warning: all.length === 0 ? null : all.join("; ") };
  });
}

const metricsWaitMs = 5_000;

function metricsAt(address: string): Promise<string> {
  return fetch(`${address}/metrics`, { signal: AbortSignal.timeout(metricsWaitMs) }).then(
    (answer) => (answer.ok ? answer.text() : ""),
    () => "",
  );
}

/** The value of a market's figure; undefined if it is not reported. */
function figure(text: string, metric: string, market: string): number | undefined {
  const line = text.split("\n").find((one) => {
    return one.startsWith(`${metric}{`) && one.includes(`market="${market}"`);
  });
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ") + 1));
}
