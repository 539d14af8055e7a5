// Groups of a maker's markets, whose orders are cancelled together once too much of them is executed in a short time.
// Commands are requests, events are their results.

import {
  amount,
  anyLots,
  anyNumber,
  bits16,
  count8,
  long,
  lots,
  market,
  number16,
  quoteAmount,
} from "./fields.ts";
import type { CommandRows, EventRows } from "./rows.ts";

export const makerGroupEvents = {
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

export const makerGroupCommands: CommandRows = {
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
