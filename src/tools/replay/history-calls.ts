// The calls by which a replay drives house accounts in a venue that can be rewound, over its control socket. They are not
// requests of the API: they have no rate limits and are refused by every other venue. A step sets quotes or takes.

import * as z from "zod";
import { crowdMax } from "../../../schemas/market-script.ts";
import { quoteSidesMax } from "../../core/limits.ts";

/** Most steps of one call. */
export const stepsMax = 2_000;
/** Most figures of a call's request in characters, well below the size that the socket takes. */
export const stepCharsMax = 48_000;

const whole = z.number().int().nonnegative();
const sideNumber = whole.max(quoteSidesMax - 1);

/** What one maker does in a step: cancels some sides, then sets others: side, price in ticks and open lots of each. */
const makerStep = z.object({
  maker: whole.max(31),
  cancel: z.array(sideNumber).max(quoteSidesMax),
  set: z.array(whole).max(3 * quoteSidesMax),
});

const step = z.union([
  /** The makers' cancels come before what any of them sets. */
  z.object({ quotes: z.array(makerStep).max(32) }),
  /** An order that trades at once: 1 to buy, limit in ticks, lots. The taker's, or that of an account of the crowd. */
  z.object({ take: z.tuple([whole.max(1), whole, whole]), by: whole.optional() }),
]);

const house = z.object({
  symbol: z.string().max(32),
  makers: z.array(whole).min(1).max(32),
  taker: whole,
});

/** With the process that plays: while it lives, nobody else plays in the market. */
export const openRequest = house.extend({ pid: z.number().int().positive() });
export const closeRequest = house;
/** The accounts that also take in a made market, and may be liquidated, by their numbers in its steps. */
export const crowdRequest = z.object({
  symbol: z.string().max(32),
  crowd: z
    .array(z.object({ account: whole, leverage: z.number().int().min(1).max(50) }))
    .max(crowdMax),
});
export const playRequest = house.extend({
  /** The number of the first step; steps are counted from the opening on. */
  first: whole,
  steps: z.array(step).max(stepsMax),
  /** Whether the answer waits for these steps too, instead of only for those before. */
  settles: z.boolean(),
  /** The last trade that the caller knows of. */
  sinceTrade: whole,
});

export type House = z.output<typeof house>;
export type OpenRequest = z.output<typeof openRequest>;
export type MakerStep = z.output<typeof makerStep>;
export type HistoryStep = z.output<typeof step>;
export type CrowdRequest = z.output<typeof crowdRequest>;
export type PlayRequest = z.output<typeof playRequest>;

/** A market as the replay needs it. */
export interface OpenAnswer {
  readonly symbol: string;
  readonly alias: string;
  readonly isPerpetual: boolean;
  readonly tickDecimals: number;
  readonly lotDecimals: number;
  /** The least value of an order, in ticks × lots. */
  readonly leastValue: number;
  readonly lastTrade: number;
}

/** A side, or with `side` −1 a whole step, that was refused; `step` is its number. */
export interface StepRefusal {
  readonly step: number;
  readonly maker: number;
  readonly side: number;
  readonly reason: string;
}

/** A trade between the house and somebody else. */
export interface MemberTrade {
  readonly price: number;
  readonly qty: number;
  /** Whether the incoming order bought. */
  readonly isBuy: boolean;
  /** The number of the step whose order it was; −1 if the incoming order was not the house's. */
  readonly step: number;
  /** Whether the resting order was one of the makers'. */
  readonly isMaker: boolean;
  /** The account of the crowd, or the insurance fund, whose position the venue closed with it; 0 for any other trade. */
  readonly forced: number;
}

export interface PlayAnswer {
  readonly refusals: readonly StepRefusal[];
  /**
   * The trades of members with the house's makers, and all trades of those orders of the taker that met a member's order.
   */
  readonly trades: readonly MemberTrade[];
  readonly lastTrade: number;
  /** All steps before this number are answered: no later answer speaks of them. */
  readonly answered: number;
}
