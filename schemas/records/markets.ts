// Markets: trading, prices, funding, liquidations and risk limits. Commands are requests, events are their
// results; in the order of their codes. Commands that concern only time or order are here too.

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
    description: "A market trades, or does not.",
    fields: { market: market(), status: code("MarketStatus") },
  },
  marked: {
    code: 24,
    description: "The mark of a perpetual market has changed.",
    fields: {
      market: market(),
      mark: ticks("0 where nothing gives a mark."),
      index: ticks("0 where there is no index."),
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
      "Funding of a market is settled for the positions of this moment; payments follow one by one.",
    fields: {
      market: market(),
      rate: rate("of position value; above 0 longs pay."),
      mark: ticks("where positions are valued; 0 without a mark: then nothing is paid."),
      intervalUs: timeUs("start of the running interval, up to which boundaries are settled."),
    },
  },
  fundingPaid: {
    code: 27,
    description: "What one position paid to the funding pool or received from it.",
    fields: {
      market: market(),
      amount: quoteAmount("below 0 the account paid."),
      qty: signedLots("the position when the settlement started."),
      rate: rate(),
      mark: ticks(),
    },
  },
  liquidationStaged: {
    code: 32,
    description:
      "An account's liquidation began, goes on or ended: what the venue does next with it, and when.",
    fields: {
      stage: code("LiquidationStage"),
      dryTries: count8("Orders of the venue in a row that traded nothing."),
      nextUs: timeUs("the next attempt at the earliest; 0 when the liquidation has ended."),
    },
  },
  insuranceSettled: {
    code: 33,
    description: "Money between an account and the insurance fund.",
    fields: {
      market: market(),
      amount: quoteAmount("above 0 the account received."),
      cause: code("InsuranceCause"),
    },
  },
  positionMoved: {
    code: 34,
    description: "Part of the account's position went to another account, without orders and fees.",
    fields: {
      counterparty: account(),
      market: market(),
      qty: signedLots("as the account held them."),
      value: quoteAmount("at which they changed hands; of the sign of `qty`, or 0."),
      price: ticks("the value for one lot, rounded down."),
      pnl: quoteAmount("realised profit of the account."),
      counterpartyPnl: quoteAmount("realised profit of the other."),
      cause: code("MoveCause"),
    },
  },
  tradingGateSet: {
    code: 35,
    description: "Trading pauses or resumes, because of what the insurance fund is worth.",
    fields: {
      gate: code("TradingGate"),
      fundEquity: marginAmount("cash and unrealised profit of the fund."),
    },
  },
  referenceSet: {
    code: 36,
    description:
      "A source outside the venue says what a perpetual's coin is worth, or says nothing any more.",
    fields: {
      market: market(),
      origin: code("IndexOrigin"),
      price: ticks("0 where the source has nothing more to say."),
      untilUs: timeUs("until when the price holds; 0 without one."),
    },
  },
  basisAveraged: {
    code: 37,
    description:
      "The average basis of a perpetual has moved: how far the middle of its book is above its index.",
    fields: { market: market(), basis: signedTickParts() },
  },
  marketAdded: {
    code: 45,
    description: "A market was added, on terms that stand in SQL and are pinned by their digest.",
    fields: {
      market: {
        ...named("market_no", market("The next one.")),
        // By number, because the sealer may not know the market yet.
        form: "whole",
      },
      status: code("MarketStatus", "What it begins with."),
      termsHigh: hashPart(
        "terms",
        "The first 128 bits of SHA-256 of its terms, as two signed words.",
      ),
      termsLow: hashPart("terms"),
    },
  },
  riskTermSet: {
    code: 46,
    description: "A term of a perpetual's risk is this from here on.",
    fields: {
      market: market(),
      term: code("RiskTerm"),
      value: long("In the unit of the term; 0 takes the defence away."),
    },
  },
  indexMeasured: {
    code: 47,
    description: "What the index of a perpetual rests on has changed.",
    fields: {
      market: market(),
      level: tickParts("the index; 0 where there never was one."),
      believed: tickParts("the last price that was believed; 0 before the first."),
      leap: tickParts("a price that leapt; 0 for none."),
      witnesses: count8("How often the like of `leap` was measured in a row."),
      isFresh: named(
        "fresh",
        flag("False while nothing backs the level: then it is the last good one."),
      ),
    },
  },
  fundHourSet: {
    code: 49,
    description:
      "An hour of what the insurance fund loses in a perpetual begins, or its limit is reached.",
    fields: {
      market: market(),
      sinceUs: timeUs("when the hour began."),
      worth: quoteAmount(
        "what the fund has realised and not realised there; losses count from it.",
      ),
      isPaused: named("paused", flag("Whether it lost what it may.")),
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
    description: "Lets a market trade, or not.",
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
      "Time has come: the main thread's clock moves clearing's time forward, nothing else. Its `deadlineUs` is the " +
      "time up to which duties of the calendar are done: `atUs`, or the past while the machine's clock is not believed.",
    fields: {},
  },
  settleFunding: {
    code: 19,
    description:
      "Changes nothing of its own account: the funding of all perpetual markets begins at once.",
    fields: {},
  },
  setReference: {
    code: 22,
    description: "Says what a perpetual's coin is worth outside the venue.",
    fields: {
      market: market(),
      origin: code("IndexOrigin"),
      price: anyTicks("0 to say nothing any more."),
      untilUs: anyTimeUs("until when the price holds, unless it is set anew."),
    },
  },
  addMarket: {
    code: 31,
    description:
      "Adds a market, which trades from the next start of the venue on. The row of its terms in SQL is written before.",
    fields: {
      market: market("The next one."),
      status: code("MarketStatus", "What it begins with."),
      termsHigh: hashPart(
        "terms",
        "The first 128 bits of SHA-256 of its terms, as two signed words.",
      ),
      termsLow: hashPart("terms"),
    },
  },
  setRiskTerm: {
    code: 32,
    description: "Sets a term of a perpetual's risk.",
    fields: {
      market: market(),
      term: code("RiskTerm"),
      value: anyNumber("In the unit of the term; 0 takes the defence away."),
    },
  },
};
