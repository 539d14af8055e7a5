// Connects the control of the market's time with the parts of a running venue.

import { nextOrderExpiryMs } from "../adapters/postgres/queries/journal/journal-time.ts";
import { MarketControl } from "./duties/market-control.ts";
import { settled } from "./history/stepped-client.ts";
import { OperatorRefusal } from "./operator/operator-commands.ts";
import type { VenueParts } from "./venue-start.ts";

/** Throws an OperatorRefusal if the venue cannot be rewound. `settle` writes all pending rows. */
export function marketControlOf(
  { marketTime: time, config, clearing, counters, sampler, database }: VenueParts,
  settle: () => Promise<unknown>,
): MarketControl {
  if (time === null)
    throw new OperatorRefusal("the market's time: expected a venue started with --rewind");
  return new MarketControl({
    time,
    tick: () => clearing.tick(time.clock.dutyMs()),
    settled: () => settled(clearing, () => counters.issuedSeq()),
    quietUntilUs: () => counters.quietUntilUs(),
    committedSeq: () => counters.committedSeq(),
    sample: async () => {
      await settle();
      sampler.look();
      await sampler.settled();
    },
    markMs: config.markIntervalMs,
    fundingMs: config.fundingIntervalMs,
    nextExpiryMs: (ms) => nextOrderExpiryMs(database.sql, ms),
    settle,
  });
}
