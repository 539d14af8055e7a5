// A small crash for tests: one long of 0.1 BTC and one of 1 BTC against a maker, in a market that falls until both are
// liquidated. The venue reduces the first long; the insurance fund or other traders take over the rest of the second.

import { CommandKind } from "../../../src/core/generated/commands.ts";
import { marketId } from "./test-markets.ts";
import { sayIndex, type TestVenue } from "./test-venue.ts";

const { btcPerp } = marketId;

/** Opens both longs at 60,000 against `maker`. */
export function openLongs(venue: TestVenue, maker: number, small: number, large: number): void {
  venue.sell(maker, btcPerp, 6_000_000, 1100);
  venue.buy(small, btcPerp, 6_000_000, 100);
  venue.buy(large, btcPerp, 6_000_000, 1000);
}

/** Sets the index, quotes the book at `ticks`, and lets one mark interval pass. */
export function crashTo(venue: TestVenue, maker: number, ticks: number): void {
  venue.done({ kind: CommandKind.cancelAllOrders, account: maker, market: btcPerp });
  sayIndex(venue, btcPerp, ticks);
  venue.buy(maker, btcPerp, ticks - 1000, 5000);
  venue.sell(maker, btcPerp, ticks + 1000, 1000);
  tickSecond(venue);
}

/** Lets one mark interval pass. */
export function tickSecond(venue: TestVenue): void {
  venue.nowUs += 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}
