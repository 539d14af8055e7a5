// Samples of markets in memory; the test provides them.

import type { MarketSample } from "../../src/core/market-samples.ts";
import type { MarketSampleReader, SampleQuery } from "../../src/ports/journal/market-samples.ts";

export class FakeMarketSamples implements MarketSampleReader {
  readonly rows = new Map<number, MarketSample[]>();

  async samples({ market, periodMs, startMs, endMs, limit }: SampleQuery): Promise<MarketSample[]> {
    const fits = (this.rows.get(market) ?? []).filter(
      ({ atMs }) =>
        atMs % periodMs === 0 &&
        atMs >= (startMs ?? 0) &&
        atMs <= (endMs ?? Number.POSITIVE_INFINITY),
    );
    return startMs === null ? fits.slice(-limit) : fits.slice(0, limit);
  }
}
