// The clock campaign: a venue trades while its host's clock is set forward and back or drifts. After each episode
// all scheduled actions must take place, and no event in the journal may have a time ahead of true time.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ClockWorld, until } from "./clock-world.ts";

const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** A change of the host's clock, and how long it lasts. */
export interface ClockEpisode {
  readonly offsetMs: number;
  /** Seconds that the clock gains per second. */
  readonly rate?: number;
  readonly forMs: number;
  /** Whether to kill and restart the venue meanwhile. */
  readonly restarts?: boolean;
}

const steps = [3_000, -3_000, hourMs, -hourMs, 30 * dayMs, -30 * dayMs];

export const everyEpisode: readonly ClockEpisode[] = [
  ...steps.map((offsetMs) => ({ offsetMs, forMs: 5_000 })),
  ...steps.map((offsetMs) => ({ offsetMs, forMs: 3_000, restarts: true })),
  ...[0.02, -0.02].map((rate) => ({ offsetMs: 0, rate, forMs: 30_000 })),
];

/** Largest step of the clock in ms that the venue corrects gradually; a larger step holds the venue's time. */
const stepMs = 5_000;

export interface CampaignResult {
  readonly episodes: number;
  readonly trades: number;
}

/** Runs the episodes; throws with the name of the first scheduled action that did not happen. */
export async function runClockCampaign(
  episodes: readonly ClockEpisode[],
  say: (message: string) => void,
): Promise<CampaignResult> {
  const world = new ClockWorld();
  try {
    await world.open();
    await world.checkDuties();
    for (const episode of episodes) await runEpisode(world, episode, say);
    return { episodes: episodes.length, trades: world.trades };
  } finally {
    await world.close();
  }
}

async function runEpisode(
  world: ClockWorld,
  { offsetMs, rate = 0, forMs, restarts = false }: ClockEpisode,
  say: (message: string) => void,
): Promise<void> {
  say(
    `clock set by ${offsetMs / 1000} s, gaining ${rate} s a second, for ${forMs / 1000} s, venue ${restarts ? "killed" : "running"}`,
  );
  world.clock.set(offsetMs, rate);
  if (restarts) await world.killAndStart();
  await sleep(forMs);
  const isHeld = Math.abs(offsetMs) > stepMs;
  // A busy machine may notice a step late; one that is corrected gradually must never show.
  if (isHeld)
    await until("the step is noticed", async () => (await world.health()).json.status !== "ok");
  const { status, json } = await world.health();
  assert.deepEqual([status, json.status], [200, isHeld ? "degraded" : "ok"]);
  assert.equal(await world.metric("rialto_clock_held"), isHeld ? 1 : 0);
  await world.checkJournal();
  world.clock.set(0);
  await world.checkDuties();
  assert.deepEqual(world.refusals, [], "Orders signed at true time must be accepted throughout");
}
