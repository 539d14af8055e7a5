// The market's time of the venue follows the recording: at a speed it runs as fast as history, at full speed it is set before
// the events of each second. With --as-now, or in a venue without a market's time, events happen at the venue's own time.

import * as z from "zod";
import type { VenueCall } from "./replay-accounts.ts";
import { SourceFault } from "./source-fault.ts";

/** Moves the market's time. */
export interface MarketTime {
  /** Whether it is set before the events of each second. */
  readonly followsEvents: boolean;
  /** Called before the events up to `atUs` are sent. */
  reach(atUs: number): Promise<void>;
  /** Lets it run on at its usual speed. */
  end(): Promise<void>;
}

interface MarketTimeTerms {
  readonly isAsNow: boolean;
  /** Seconds of history in one second; infinite for as fast as possible. */
  readonly speed: number;
}

const shownClock = z.object({ market: z.object({ time: z.string() }).optional() });
const secondUs = 1_000_000;

const unmoved: MarketTime = {
  followsEvents: false,
  reach: async () => undefined,
  end: async () => undefined,
};

/** Returns what moves the market's time with a replay. Spec REW-63. */
export async function marketTimeOf(
  call: VenueCall,
  { isAsNow, speed }: MarketTimeTerms,
): Promise<MarketTime> {
  const { market } = shownClock.parse(await call("clock/show", {}));
  if (isAsNow || market === undefined) return unmoved;
  const isPaced = speed !== Number.POSITIVE_INFINITY;
  let reachedUs = Number.NEGATIVE_INFINITY;
  const begin = async (atUs: number) => {
    const time = timeText(atUs);
    if (Date.parse(market.time) > Date.parse(time))
      throw new SourceFault(
        `the market's time is ${market.time}, after the recording's ${time}: replay with --as-now, or start an empty ` +
          `venue with rialto start --rewind --market-time ${time}`,
      );
    if (isPaced) await call("clock/speed", { factor: speed });
    else await call("clock/pause", {});
    await call("clock/set", { time });
  };
  return {
    followsEvents: !isPaced,
    reach: async (atUs) => {
      const isFirst = reachedUs === Number.NEGATIVE_INFINITY;
      if (atUs <= 0 || (!isFirst && (isPaced || atUs < reachedUs + secondUs))) return;
      reachedUs = atUs;
      if (isFirst) await begin(atUs);
      else await call("clock/set", { time: timeText(atUs) });
    },
    end: async () => {
      if (reachedUs === Number.NEGATIVE_INFINITY) return;
      if (isPaced) await call("clock/speed", { factor: 1 });
      else await call("clock/resume", {});
    },
  };
}

function timeText(atUs: number): string {
  return new Date(Math.floor(atUs / 1000)).toISOString();
}
