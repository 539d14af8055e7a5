// A script of a made market as a file: agents, and phases of time in which they behave differently. Distances are basis
// points of the price, sizes whole units of the quote asset, rates per minute. Specification: REW-71; guide:
// docs/guides/make-a-market.md.

import * as z from "zod";

/** A week: longer markets are made by several runs. */
export const scriptSecondsMax = 604_800;
/** Orders that arrive in a turn are at most eight, one of each kind a slot of it. */
const rateMax = 4_800;
const phasesMax = 64;
/** Most accounts of a crowd. */
export const crowdMax = 200;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "expected small letters, digits and hyphens");
const parameter = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, "expected a name such as fall_percent");
const rate = z.number().min(0).max(rateMax);
const size = z.number().int().min(0).max(10_000_000);
const bps = z.number().min(0).max(5_000);
const leverage = z.number().int().min(1).max(50);

/** What the agents believe the market to be worth, and where it goes. */
const value = z
  .strictObject({
    /** Standard deviation of a minute's random walk. */
    volatility_bps: z.number().min(0).max(500).default(0),
    /** How much it drifts in a minute. */
    trend_bps: z.number().min(-500).max(500).default(0),
    /** Where it is at the end of the phase, seen from its begin. */
    move_percent: z.number().min(-90).max(900).optional(),
    /** Which share of the way back to the market's first price it goes during the phase. */
    return_percent: z.number().min(0).max(100).optional(),
    /** How much it leaps at the begin of the phase. */
    jump_percent: z.number().min(-90).max(900).default(0),
  })
  .refine((one) => one.move_percent === undefined || one.return_percent === undefined, {
    error: "expected either move_percent or return_percent",
  });

/** Market makers, each of which renews its quotes at random times of its own. */
const makers = z.strictObject({
  count: z.number().int().min(0).max(20),
  levels: z.number().int().min(1).max(20),
  refreshes_per_minute: z.number().min(0).max(600),
  /** Between a maker's best bid and its best ask. */
  spread_bps: bps,
  /** Between two levels of a maker, which are up to half of it farther away at random. */
  step_bps: bps,
  /** Mean of a level. */
  size,
  sides: z.enum(["both", "bids", "asks"]).default("both"),
});

/** Takers that buy or sell at random. */
const noise = z.strictObject({ orders_per_minute: rate, size });

/** Takers that follow the market's middle if it has moved far enough within the window. */
const momentum = z.strictObject({
  orders_per_minute: rate,
  size,
  window_s: z.number().int().min(1).max(60),
  threshold_bps: bps,
});

/**
 * Accounts that buy with leverage, each once, and are liquidated by the venue if the price falls. What the venue sells for them
 * moves the value. Accounts, leverage and size are the same in all phases.
 */
const crowd = z.strictObject({
  accounts: z.number().int().min(0).max(crowdMax).default(0),
  /** Each account has a leverage between the two. */
  leverage_low: leverage.default(20),
  leverage_high: leverage.default(50),
  /** Mean value of a position. */
  size: size.max(100_000).default(20_000),
  /** Accounts that buy. */
  entries_per_minute: rate.default(0),
  /** How much the value falls for each 100,000 that is sold in liquidations. */
  push_bps: z.number().min(0).max(100).default(0),
});

/** A phase with all that it says of each agent. */
export const scriptPhase = z.strictObject({
  name,
  for_s: z.number().int().min(1).max(scriptSecondsMax),
  ...{ value, makers, noise, momentum, crowd },
});

type Phase = z.output<typeof scriptPhase>;

export const marketScript = z.strictObject({
  name,
  description: z.string().max(300),
  phases: z
    .array(scriptPhase)
    .min(1)
    .max(phasesMax)
    .refine((phases) => new Set(phases.map(crowdText)).size === 1, {
      error: "expected the same accounts, leverage and size of the crowd in all phases",
    }),
});

function crowdText({ crowd: { accounts, leverage_low, leverage_high, size: mean } }: Phase) {
  return [accounts, leverage_low, leverage_high, mean].join();
}

/** A number, a word, or `$parameter` or `-$parameter`. */
const entry = z.union([z.number(), z.string().max(40)]);
const entries = z.record(z.string().max(40), entry);

/** A script as it is written: `agents` is what counts in all phases unless a phase says otherwise. */
export const marketScriptFile = z.strictObject({
  name,
  description: z.string().max(300).default(""),
  parameters: z.record(parameter, z.number()).default({}),
  agents: z.strictObject({
    ...{ value: entries.default({}), makers: entries.default({}) },
    ...{ noise: entries.default({}), momentum: entries.default({}), crowd: entries.default({}) },
  }),
  phases: z
    .array(
      z.strictObject({
        ...{ name, for_s: entry },
        ...{ value: entries.optional(), makers: entries.optional() },
        ...{ noise: entries.optional(), momentum: entries.optional(), crowd: entries.optional() },
      }),
    )
    .min(1)
    .max(phasesMax),
});

export type MarketScript = Readonly<z.output<typeof marketScript>>;
export type ScriptPhase = Readonly<z.output<typeof scriptPhase>>;
export type MarketScriptFile = Readonly<z.output<typeof marketScriptFile>>;
