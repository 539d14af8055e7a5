// The market's time of the venue follows the recording: at a speed it runs as fast as history, at full speed it is set before
// the events of each second. With --as-now, or in a venue without a market's time, events happen at the venue's own time.

import * as z from "zod";
import type { VenueCall } from "./replay-accounts.ts";
import { SourceFault } from "./source-fault.ts";

/** Moves the market's time. */
export interface MarketTime {
  /** The venue's time now, in microseconds UTC. */
  readonly nowUs: number;
  /** Whether it is set before the events of each second. */
  readonly followsEvents: boolean;
  /** Whether it stands still all the while. */
  readonly isStill: boolean;
  /** Called before the events up to `atUs` are sent. */
  reach(atUs: number): Promise<void>;
  /** Lets it be as it was, at its speed or paused. */
  end(): Promise<void>;
}

interface MarketTimeTerms {
  readonly isAsNow: boolean;
  /** Seconds of history in one second; infinite for as fast as possible. */
  readonly speed: number;
}

const shownMarket = z.object({ time: z.string(), state: z.string(), speed: z.number() });
const shownClock = z.object({ market: shownMarket.optional() });
const secondUs = 1_000_000;

const unmoved = {
  followsEvents: false,
  reach: async () => undefined,
  end: async () => undefined,
};

/** Returns what moves the market's time with a replay; until the first event it is paused. Spec REW-63. */
export async function marketTimeOf(
  call: VenueCall,
  { isAsNow, speed }: MarketTimeTerms,
): Promise<MarketTime> {
  const { market: before } = shownClock.parse(await call("clock/show", {}));
  if (isAsNow || before === undefined) {
    const nowMs = before === undefined ? Date.now() : Date.parse(before.time);
    return { ...unmoved, nowUs: nowMs * 1000, isStill: before?.state === "paused" };
  }
  if (before.state === "stepping")
    throw new SourceFault(
      "a step of the market's time is running: wait for it, or end it with rialto clock pause",
    );
  const { time: now } = shownMarket.parse(await call("clock/pause", {}));
  const isPaced = speed !== Number.POSITIVE_INFINITY;
  let reachedUs = Number.NEGATIVE_INFINITY;
  const begin = async (atUs: number) => {
    const time = timeText(atUs);
    if (Date.parse(now) > Date.parse(time))
      throw new SourceFault(
        `the market's time is ${now}, after the recording's ${time}: replay with --as-now, or start an empty ` +
          `venue with rialto start --rewind --market-time ${time}`,
      );
    await call("clock/set", { time });
    if (isPaced) await call("clock/speed", { factor: speed });
    if (isPaced) await call("clock/resume", {});
  };
  return {
    nowUs: Date.parse(now) * 1000,
    followsEvents: !isPaced,
    isStill: false,
    reach: async (atUs) => {
      const isFirst = reachedUs === Number.NEGATIVE_INFINITY;
      if (atUs <= 0 || (!isFirst && (isPaced || atUs < reachedUs + secondUs))) return;
      reachedUs = atUs;
      if (isFirst) await begin(atUs);
      else await call("clock/set", { time: timeText(atUs), readable: false });
    },
    end: async () => {
      if (isPaced) await call("clock/speed", { factor: before.speed });
      if (before.state !== "paused") await call("clock/resume", {});
      else await call("clock/pause", {});
    },
  };
}

function timeText(atUs: number): string {
  return new Date(Math.floor(atUs / 1000)).toISOString();
}
