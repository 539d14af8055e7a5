// What protects a maker's orders: countdowns of an account, and groups of market-maker protection. Commands are requests,
// events are their results.

import {
  amount,
  anyLots,
  anyNumber,
  anyTimeUs,
  bits16,
  count8,
  long,
  lots,
  market,
  number16,
  quoteAmount,
  timeUs,
} from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const protectionEvents = {
  countdownSet: {
    code: 23,
    description:
      "A countdown was set or stopped: at its end, all of the account's orders in the market are cancelled.",
    fields: { market: market(), cancelAtUs: timeUs("0: no countdown.") },
  },
  makerGroupSet: {
    code: 56,
    description:
      "Market-maker protection of some markets of an account was set, or removed (without markets).",
    fields: {
      market: market("The first of the markets, in whose lots and quote asset the limits are."),
      group: count8("The account's number for the group."),
      markets: bits16("one for each market, by its number; 0 if the group was removed."),
      windowUs: long("Microseconds in which fills count."),
      qtyLimit: lots("executed in the window that trigger the group; 0 for no limit."),
      valueLimit: quoteAmount("executed in the window that triggers the group; 0 for no limit."),
      countLimit: number16("Fills in the window that trigger the group."),
    },
  },
  makerGroupReset: {
    code: 57,
    description:
      "A group of market-maker protection forgot what it had counted, and accepts orders again if it was triggered.",
    fields: { group: count8("The account's number for the group.") },
  },
} as const satisfies EventRows;

export const protectionCommands: CommandRows = {
  setCountdown: {
    code: 15,
    description:
      "Cancels all orders of the account in the market at `cancelAtUs`, unless it is renewed.",
    fields: { market: market(), cancelAtUs: anyTimeUs("0 stops it.") },
  },
  setMakerGroup: {
    code: 39,
    description: "Sets market-maker protection of some markets, or removes it (without markets).",
    fields: {
      group: anyNumber("The account's number for the group."),
      markets: bits16("one for each market, by its number."),
      windowUs: anyNumber("Microseconds in which fills count."),
      qtyLimit: anyLots("of the first market; 0 for no limit."),
      valueLimit: amount("of the first market's quote asset; 0 for no limit."),
      countLimit: anyNumber("Fills in the window."),
    },
  },
  resetMakerGroup: {
    code: 40,
    description: "Lets a maker group accept orders again.",
    fields: { group: anyNumber("The account's number for the group.") },
  },
};
