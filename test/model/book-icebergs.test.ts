// Proves how the fast book and the naive book show iceberg orders slice by slice.

import { check } from "./book-check.ts";

check(
  "SPT-98 an iceberg order shows one slice, and the next one has a new time priority",
  [
    "1 ann sell 5 @ 100 iceberg 2 -> rested 5",
    "2 cat sell 3 @ 100 -> rested 3",
    "3 bob buy 1 @ 100 -> 1 @ 100 from 1, filled 0",
    "4 bob buy 1 @ 100 -> 1 @ 100 from 1, filled 0",
    "5 bob buy 4 @ 100 -> 3 @ 100 from 2, 1 @ 100 from 1, filled 0",
  ],
  { asks: "1@100" },
);

check(
  "SPT-99 an incoming order goes on with the rest of the level and then with the slices that appear",
  [
    "1 ann sell 5 @ 100 iceberg 2 -> rested 5",
    "2 cat sell 3 @ 100 iceberg 1 -> rested 3",
    "3 dan sell 9 @ 101 -> rested 9",
    "4 bob buy 7 @ 101 -> 2 @ 100 from 1, 1 @ 100 from 2, 2 @ 100 from 1, 1 @ 100 from 2, matchesPerOrderMax 1",
    "5 bob buy 3 @ 101 -> 1 @ 100 from 1, 1 @ 100 from 2, 1 @ 101 from 3, filled 0",
  ],
  { asks: "8@101" },
);

check(
  "SPT-99 a single iceberg order at a level is traded slice by slice, up to the limit on matches",
  [
    "1 ann buy 9 @ 100 iceberg 2 -> rested 9",
    "2 bob sell 20 @ 100 ioc -> 2 @ 100 from 1, 2 @ 100 from 1, 2 @ 100 from 1, 2 @ 100 from 1, matchesPerOrderMax 12",
    "3 bob sell 20 @ 100 ioc -> 1 @ 100 from 1, unfilled 19",
  ],
  {},
);

check(
  "SPT-99 a FOK order counts hidden lots, slice by slice",
  [
    "1 ann sell 5 @ 100 iceberg 2 -> rested 5",
    "2 cat sell 1 @ 100 -> rested 1",
    "3 bob buy 7 @ 100 fok -> fillOrKill 7",
    "4 bob buy 6 @ 100 fok -> 2 @ 100 from 1, 1 @ 100 from 2, 2 @ 100 from 1, 1 @ 100 from 1, filled 0",
    "5 ann sell 9 @ 100 iceberg 2 -> rested 9",
    "6 bob buy 9 @ 100 fok -> fillOrKill 9",
    "7 bob buy 8 @ 100 fok -> 2 @ 100 from 5, 2 @ 100 from 5, 2 @ 100 from 5, 2 @ 100 from 5, filled 0",
  ],
  { asks: "1@100" },
);

check(
  "SPT-98 an iceberg order that trades on arrival shows a slice of what is left",
  [
    "1 ann sell 4 @ 100 -> rested 4",
    "2 bob buy 9 @ 100 iceberg 2 -> 4 @ 100 from 1, rested 5",
    "3 ann sell 2 @ 101 iceberg 1 -> rested 2",
    "4 ann sell 1 @ 102 limitMaker iceberg 1 -> rested 1",
  ],
  { bids: "2@100", asks: "1@101 1@102" },
);

check(
  "SPT-100 an amend to fewer lots takes hidden ones first and keeps priority",
  [
    "1 ann sell 9 @ 100 iceberg 4 -> rested 9",
    "2 cat sell 2 @ 100 -> rested 2",
    "amend 1 5 of 9 @ 100 iceberg 4 -> rested 5",
    "3 bob buy 1 @ 100 -> 1 @ 100 from 1, filled 0",
    "amend 1 3 of 4 @ 100 iceberg 4 -> rested 3",
    "amend 1 2 of 3 @ 100 iceberg 4 -> rested 2",
    "4 bob buy 3 @ 100 -> 2 @ 100 from 1, 1 @ 100 from 2, filled 0",
  ],
  { asks: "1@100" },
);

check(
  "SPT-100 an amend that loses priority shows a whole slice again",
  [
    "1 ann sell 9 @ 100 iceberg 4 -> rested 9",
    "2 bob buy 3 @ 100 -> 3 @ 100 from 1, filled 0",
    "amend 1 6 of 6 @ 101 iceberg 4 -> rested 6",
    "amend 1 8 of 6 @ 101 iceberg 4 -> rested 8",
  ],
  { asks: "4@101" },
);

check(
  "SPT-101 a cancel and self-trade prevention see the whole order",
  [
    "1 ann sell 9 @ 100 iceberg 2 -> rested 9",
    "cancel 1 2 -> changed 9",
    "cancel 1 9 -> cancelled 9",
    "2 ann sell 9 @ 100 iceberg 4 -> rested 9",
    "3 ann buy 3 @ 100 decrement -> 3 lost with 2, selfTrade 0",
    "4 ann buy 3 @ 100 ioc decrement -> 3 lost with 2, selfTrade 0",
    "5 cat sell 2 @ 100 -> rested 2",
    "6 ann buy 4 @ 100 expireMaker -> 3 of 2 out for selfTrade, 2 @ 100 from 5, rested 2",
    "7 ann sell 5 @ 100 iceberg 2 -> rested 5",
    "8 ann buy 7 @ 100 decrement ioc -> 5 lost with 7, unfilled 2",
  ],
  { bids: "2@100" },
);

check(
  "SPT-99 own iceberg orders are skipped, and orders behind them trade",
  [
    "1 ann sell 5 @ 100 iceberg 2 -> rested 5",
    "2 cat sell 3 @ 100 iceberg 2 -> rested 3",
    "3 ann buy 3 @ 100 ioc -> 2 @ 100 from 2, 1 @ 100 from 2, filled 0",
    "4 ann buy 3 @ 100 fok -> fillOrKill 3",
    "5 bob buy 3 @ 100 -> 2 @ 100 from 1, 1 @ 100 from 1, filled 0",
  ],
  { asks: "1@100" },
);

check(
  "SPT-99 a budget trades slice by slice",
  [
    "1 ann sell 5 @ 100 iceberg 2 -> rested 5",
    "2 bob buy 9 @ 105 market budget 350 -> 2 @ 100 from 1, 1 @ 100 from 1, budgetSpent 6",
    "3 bob buy 9 @ 105 market budget 900 -> 1 @ 100 from 1, 1 @ 100 from 1, unfilled 7",
  ],
  {},
);
