// The crowd of a made market: accounts that buy with leverage and are liquidated by the venue. Each has money for its margin and
// little more, so that it fails once the price has fallen by about the inverse of its leverage.

import type { MarketScript } from "../../../schemas/market-script.ts";
import { SeededRandom } from "../load/seeded-random.ts";
import type { VenueCall } from "../replay/replay-accounts.ts";
import { fundedAccount } from "../replay/replay-accounts.ts";
import { shareOf } from "./whole-shares.ts";

/** An account of the crowd as its script wants it. */
export interface CrowdMember {
  readonly leverage: number;
  /** Value of its position in whole units of the quote asset. */
  readonly size: number;
}

/** What an order may cost beyond its margin: the book is a little worse than the price at which the lots are counted. */
const spareBps = 30;
const whole = 10_000;

/** The crowd of a script, in the order in which it buys; the same for the same seed. */
export function crowdOf({ phases: [first] }: MarketScript, seed: number): CrowdMember[] {
  if (first === undefined) return [];
  const { accounts, leverage_low, leverage_high, size } = first.crowd;
  const low = Math.min(leverage_low, leverage_high);
  const choices = Math.abs(leverage_high - leverage_low) + 1;
  const random = new SeededRandom(seed);
  return Array.from({ length: accounts }, () => ({
    leverage: low + random.below(choices),
    size: shareOf(size, 50 + random.below(101), 100),
  }));
}

/** Opens an account for each member, with its margin; returns their numbers. */
export async function crowdAccounts(
  call: VenueCall,
  crowd: readonly CrowdMember[],
): Promise<number[]> {
  const accounts: number[] = [];
  for (const { size, leverage } of crowd) {
    const margin = Math.ceil(size / leverage + (size * spareBps) / whole);
    accounts.push(await fundedAccount(call, [["perp", "USDC", String(margin)]]));
  }
  return accounts;
}
