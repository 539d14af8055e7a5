// What the trading commands share: the profile to sign with, the routes of a market, and signed requests whose refusals
// say what would have been right.

import { Option } from "commander";
import { RequestRefused, TradingClient } from "../../../tools/trader/trading-client.ts";
import type { Market } from "./order-terms.ts";
import { ownProfiles } from "./profile-commands.ts";
import { explained } from "./refusal-reasons.ts";

export interface ProfileOptions {
  readonly profile?: string;
}

export const namedProfile = () =>
  new Option("--profile <profile>", "profile to sign with (default: the one in use)");

/** Returns a client that signs with the named profile, or the one in use. */
export async function clientOf({ profile: name }: ProfileOptions): Promise<TradingClient> {
  const profiles = ownProfiles();
  const profile = await profiles.find(name);
  return new TradingClient({ ...profile, secret: await profiles.secretOf(profile) });
}

/** Sends a request about `market`; a refusal says what would have been right. */
export async function sendOn<T>(
  market: Market,
  client: TradingClient,
  ...request: Parameters<TradingClient["send"]>
): Promise<T> {
  try {
    return await client.send<T>(...request);
  } catch (error) {
    if (error instanceof RequestRefused && error.isUnsure) throw error;
    throw await explained(error, client.address, market);
  }
}

/** The path of a route of the market's surface, in the view that has every tick of a perpetual's price (FAP-48). */
export const pathOf = ({ isPerpetual }: Market, route: string) =>
  `${isPerpetual ? "/compat/fapi/v1" : "/api/v3"}/${route}`;
