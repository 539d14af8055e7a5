// The price feeds of a running venue, put together from its settings.

import { rangesHold } from "../../adapters/network/address-ranges.ts";
import { specialAddresses } from "../../adapters/network/special-addresses.ts";
import { HttpPriceSource } from "../../adapters/prices/http-price-source.ts";
import { priceFeedBytesMax } from "../../core/limits.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Desk } from "../../ports/desk.ts";
import type { Log } from "../../ports/log.ts";
import { IndexFeed } from "../../services/prices/index-feed.ts";
import type { PriceSettings } from "../config/config.ts";

interface PriceFeedGround {
  readonly settings: PriceSettings;
  readonly desk: Desk;
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts asking the feeds of the settings; null where there are none. */
export function startPriceFeeds({ settings, ...ground }: PriceFeedGround): IndexFeed | null {
  const { feeds, intervalMs, timeoutMs, networks, staleMs } = settings;
  if (feeds.length === 0) return null;
  const isSpecial = rangesHold(specialAddresses);
  const isAllowed = rangesHold(networks);
  const mayReach = (address: string) => isAllowed(address) || !isSpecial(address);
  const common = { timeoutMs, bytesMax: priceFeedBytesMax, mayReach, clock: ground.clock };
  const sources = feeds.map((url) => new HttpPriceSource({ ...common, url }));
  const feed = new IndexFeed({ ...ground, sources, staleMs });
  feed.start(intervalMs);
  return feed;
}
