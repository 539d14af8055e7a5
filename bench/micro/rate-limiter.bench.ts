// Measures the rate limiter alone on one core: decisions a second for known keys and addresses and during a flood from
// a million distinct addresses, and the memory in use after the flood and ten million decisions.

import { RateTier } from "../../src/core/accounts.ts";
import { limitsOf, RateLimiter } from "../../src/services/access/rate-limiter.ts";
import { sampled } from "./sampling.ts";

const minute = 28_333_333 * 60_000;
const house = limitsOf(RateTier.house);
const keys = 2048;
const addresses = 1_000_000;
const decisions = 3_000_000;
const rounds = 7;

/** Returns millions of decisions a second in the best round, the one that other processes slowed least. */
async function millionsPerSecond(call: (at: number) => number): Promise<number> {
  const { decision } = await sampled(
    { decision: { call, batch: decisions } },
    { samples: rounds, warmUp: 0 },
  );
  return 1 / (decision.min * 1000);
}

/** Returns the heap and external bytes in use after a garbage collection. */
function bytesInUse(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Maps a number to a well-distributed address. */
function addressOf(number: number): number {
  return Math.imul(number, 2_654_435_761);
}

/** Measures every case. The limiter's clock advances, so that windows expire and no caller stays refused. */
export async function measure(): Promise<Record<string, number>> {
  const memory = RateLimiter.allocate(0x5eed);
  const limiter = new RateLimiter(memory);
  let clock = minute;
  const reads = await millionsPerSecond((at) => {
    if (at % keys === 0) clock += 7;
    return limiter.admit((at % keys) + 1, 1, 0, house, clock);
  });
  const orders = await millionsPerSecond((at) => {
    if (at % keys === 0) clock += 50;
    return limiter.admit((at % keys) + 1, 1, 1, house, clock);
  });
  const known = await millionsPerSecond((at) => {
    if (at % keys === 0) clock += 7;
    return limiter.takePublicWeight(addressOf(at % keys), 1, clock) ? 1 : 0;
  });
  const before = bytesInUse();
  const flood = await millionsPerSecond((at) =>
    limiter.takePublicWeight(addressOf(at % addresses), 1, clock) ? 1 : 0,
  );
  const refused = await millionsPerSecond(() => limiter.admit(1, 100_000, 0, house, clock));
  return {
    "requests of 2048 keys, M/s": reads,
    "orders of 2048 keys, M/s": orders,
    "requests of 2048 addresses, M/s": known,
    "requests of 1 M addresses, M/s": flood,
    "refusals, M/s": refused,
    "counters, MB": memory.byteLength / 2 ** 20,
    "growth over 1 M addresses, bytes": bytesInUse() - before,
  };
}
