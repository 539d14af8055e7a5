// Markets: trading, prices, funding, liquidations and risk limits. Commands are requests, events are their results;
// both are in the order of their codes. The commands `tick` and `barrier`, which belong to no market, are here too.

import {
  account,
  anyNumber,
  anyTicks,
  anyTimeUs,
  code,
  count8,
  flag,
  hashPart,
  long,
  marginAmount,
  market,
  named,
  quoteAmount,
  rate,
  signedLots,
  signedTickParts,
  tickParts,
  ticks,
  timeUs,
} from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const marketEvents = {
  marketStatusSet: {
    code: 8,
    description: "A market's status was set.",
    fields: { market: market(), status: code("MarketStatus") },
  },
  marked: {
    code: 24,
    description: "The mark of a perpetual market has changed.",
    fields: {
      market: market(),
      mark: ticks("0 without a mark."),
      index: ticks("0 without an index."),
    },
  },
  premiumSampled: {
    code: 25,
    description: "One sample of how far a perpetual's mark is above its index.",
    fields: { market: market(), premium: rate("of the index, signed.") },
  },
  fundingStarted: {
    code: 26,
    description:
      "A funding settlement started for the current positions; the payments follow one by one.",
    fields: {
      market: market(),
      rate: rate("of position value; above 0 longs pay."),
      mark: ticks(
        "the mark at which positions are valued; 0 without a mark: then nothing is paid.",
      ),
      intervalUs: timeUs("start of the current interval; all intervals before it are settled."),
    },
  },
  fundingPaid: {
    code: 27,
    description: "What one position paid to the funding pool or received from it.",
    fields: {
      market: market(),
      amount: quoteAmount("negative: the account paid."),
      qty: signedLots("the position when the settlement started."),
      rate: rate(),
      mark: ticks(),
    },
  },
  liquidationStaged: {
    code: 32,
    description: "An account's liquidation started, continued or ended: its next stage, and when.",
    fields: {
      stage: code("LiquidationStage"),
      dryTries: count8("Consecutive liquidation orders without a fill."),
      nextUs: timeUs("the earliest next attempt; 0 when the liquidation has ended."),
    },
  },
  insuranceSettled: {
    code: 33,
    description: "Money moved between an account and the insurance fund.",
    fields: {
      market: market(),
      amount: quoteAmount("positive: the account received."),
      cause: code("InsuranceCause"),
    },
  },
  positionMoved: {
    code: 34,
    description: "Part of the account's position went to another account, without orders and fees.",
    fields: {
      counterparty: account(),
      market: market(),
      qty: signedLots("the moved part, with the sign of the account's position."),
      value: quoteAmount("the value at which it moved; with the sign of `qty`, or 0."),
      price: ticks("the value for one lot, rounded down."),
      pnl: quoteAmount("realised profit of the account."),
      counterpartyPnl: quoteAmount("realised profit of the counterparty."),
      cause: code("MoveCause"),
    },
  },
  tradingGateSet: {
    code: 35,
    description:
      "Trading was paused or resumed, because the insurance fund's equity crossed its threshold.",
    fields: {
      gate: code("TradingGate"),
      fundEquity: marginAmount("cash and unrealised profit of the fund."),
    },
  },
  referenceSet: {
    code: 36,
    description: "A source outside the venue set or withdrew the reference price of a perpetual.",
    fields: {
      market: market(),
      origin: code("IndexOrigin"),
      price: ticks("0 if withdrawn."),
      untilUs: timeUs("expiry of the price; 0 without one."),
    },
  },
  basisAveraged: {
    code: 37,
    description:
      "A perpetual's average basis changed: how far the middle of its book is above its index.",
    fields: { market: market(), basis: signedTickParts() },
  },
  marketAdded: {
    code: 45,
    description: "A market was added. Its terms are in SQL; their digest is here.",
    fields: {
      market: {
        ...named("market_no", market("The number of the new market, one above the last.")),
        // The market is written as its number, because the sealer possibly does not know the market yet.
        form: "whole",
      },
      status: code("MarketStatus", "Initial status."),
      termsHigh: hashPart(
        "terms",
        "The first 128 bits of SHA-256 of its terms, as two signed words.",
      ),
      termsLow: hashPart("terms"),
    },
  },
  riskTermSet: {
    code: 46,
    description: "A risk term of a perpetual was set.",
    fields: {
      market: market(),
      term: code("RiskTerm"),
      value: long("In the unit of the term; 0 disables the protection."),
    },
  },
  indexMeasured: {
    code: 47,
    description: "The measurement behind a perpetual's index changed.",
    fields: {
      market: market(),
      level: tickParts("the index; 0 if there never was one."),
      believed: tickParts("the last accepted measurement; 0 before the first."),
      leap: tickParts("a jumped price waiting for confirmation; 0 for none."),
      witnesses: count8("Consecutive measurements near `leap`."),
      isFresh: named(
        "fresh",
        flag("False while no source supports the level; the level is then the last valid index."),
      ),
    },
  },
  fundHourSet: {
    code: 49,
    description:
      "A new clock hour began for counting the insurance fund's loss in a perpetual, or the loss reached the hour's " +
      "limit.",
    fields: {
      market: market(),
      sinceUs: timeUs("start of the hour."),
      worth: quoteAmount(
        "the fund's realised and unrealised result in the market when the hour's count began; the hour's " +
          "loss is counted from this value.",
      ),
      isPaused: named("paused", flag("Whether the loss reached the hour's limit.")),
    },
    layout: ["worth", "sinceUs", "market", "isPaused"],
  },
} as const satisfies EventRows;

export const marketCommands: CommandRows = {
  setLeverage: {
    code: 4,
    description: "Sets the account's leverage in a market.",
    fields: { market: market(), leverage: anyNumber("1 … 100.") },
  },
  setMarketStatus: {
    code: 11,
    description: "Sets a market's status.",
    fields: { market: market(), status: code("MarketStatus") },
  },
  barrier: {
    code: 12,
    description: "Changes nothing; its reply proves that everything before it is committed.",
    fields: {},
  },
  tick: {
    code: 13,
    description:
      "Moves clearing's time forward to that of the main thread's clock. Its `deadlineUs` is the time up to which " +
      "scheduled duties are done: `atUs`, or an earlier time while the machine's clock is not trusted.",
    fields: {},
  },
  edgeTime: {
    code: 46,
    description:
      "Tells clearing the time of requests, sessions and keys where it is another than the market's. Gets no reply. Only a venue that can be rewound has it, sent before each tick.",
    fields: { edgeUs: anyTimeUs() },
  },
  settleFunding: {
    code: 19,
    description: "Starts the funding settlement of all perpetual markets immediately.",
    fields: {},
  },
  setReference: {
    code: 22,
    description: "Sets a perpetual's reference price from outside the venue.",
    fields: {
      market: market(),
      origin: code("IndexOrigin"),
      price: anyTicks("0 to withdraw it."),
      untilUs: anyTimeUs("expiry of the price, unless it is renewed."),
    },
  },
  addMarket: {
    code: 31,
    description:
      "Adds a market, which trades from the venue's next start. The row of its terms in SQL is written first.",
    fields: {
      market: market("The number of the new market, one above the last."),
      status: code("MarketStatus", "Initial status."),
      termsHigh: hashPart(
        "terms",
        "The first 128 bits of SHA-256 of its terms, as two signed words.",
      ),
      termsLow: hashPart("terms"),
    },
  },
  setRiskTerm: {
    code: 32,
    description: "Sets a risk term of a perpetual.",
    fields: {
      market: market(),
      term: code("RiskTerm"),
      value: anyNumber("In the unit of the term; 0 disables the protection."),
    },
  },
};
