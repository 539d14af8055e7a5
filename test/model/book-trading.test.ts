// Proves for the fast book and the naive book which orders trade, at what price, and when a sweep ends.

import { check } from "./book-check.ts";

check("an order that meets no other order rests", ["1 ann buy 5 @ 100 -> rested 5"], {
  bids: "5@100",
});

check(
  "ORD-1 ORD-3: the better price trades first, at the resting order's price",
  [
    "1 ann sell 5 @ 102 -> rested 5",
    "2 ann sell 5 @ 101 -> rested 5",
    "3 bob buy 7 @ 105 -> 5 @ 101 from 2, 2 @ 102 from 1, filled 0",
  ],
  { asks: "3@102" },
);

check(
  "ORD-1: at one price the older order trades first",
  [
    "1 ann buy 5 @ 100 -> rested 5",
    "2 cat buy 5 @ 100 -> rested 5",
    "3 bob sell 6 @ 100 -> 5 @ 100 from 1, 1 @ 100 from 2, filled 0",
  ],
  { bids: "4@100" },
);

check(
  "a GTC remainder rests at its limit",
  ["1 ann sell 5 @ 100 -> rested 5", "2 bob buy 8 @ 101 -> 5 @ 100 from 1, rested 3"],
  { bids: "3@101" },
);

check(
  "an IOC remainder expires",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 bob buy 8 @ 100 ioc -> 5 @ 100 from 1, unfilled 3",
    "3 bob buy 8 @ 100 ioc -> unfilled 8",
  ],
  {},
);

check(
  "MARKET stops at its protection price and never rests",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 ann sell 5 @ 106 -> rested 5",
    "3 bob buy 8 @ 105 market -> 5 @ 100 from 1, unfilled 3",
    "4 bob sell 1 @ 90 market -> unfilled 1",
  ],
  { asks: "5@106" },
);

check(
  "ORD-6: FOK trades completely or not at all",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 ann sell 5 @ 101 -> rested 5",
    "3 bob buy 11 @ 101 fok -> fillOrKill 11",
    "4 bob buy 6 @ 100 fok -> fillOrKill 6",
    "5 bob buy 6 @ 99 fok -> fillOrKill 6",
    "6 bob buy 10 @ 101 fok -> 5 @ 100 from 1, 5 @ 101 from 2, filled 0",
  ],
  {},
);

check(
  "ORD-6: FOK counts only orders that it may trade with",
  [
    "1 bob sell 5 @ 100 -> rested 5",
    "2 ann sell 5 @ 101 -> rested 5",
    "3 bob buy 6 @ 101 fok -> fillOrKill 6",
    "4 bob buy 5 @ 101 fok -> 5 @ 101 from 2, filled 0",
  ],
  { asks: "5@100" },
);

check(
  "ORD-7: post-only is refused when it would trade",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 bob buy 5 @ 100 gtx -> wouldTake 5",
    "3 bob buy 5 @ 101 limitMaker -> wouldTake 5",
    "4 bob buy 5 @ 99 gtx -> rested 5",
    "5 bob buy 5 @ 98 limitMaker -> rested 5",
  ],
  { bids: "5@99 5@98", asks: "5@100" },
);

check(
  "ORD-7: post-only considers only orders of other accounts and may cross its own",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 ann buy 5 @ 101 gtx -> rested 5",
    "3 bob sell 2 @ 102 -> rested 2",
    "4 ann buy 5 @ 102 gtx -> wouldTake 5",
  ],
  { bids: "5@101", asks: "5@100 2@102" },
);

check(
  "ORD-2: an order skips its own orders and trades with the orders after them",
  [
    "1 bob sell 5 @ 100 -> rested 5",
    "2 ann sell 4 @ 100 -> rested 4",
    "3 bob sell 3 @ 101 -> rested 3",
    "4 ann sell 2 @ 102 -> rested 2",
    "5 bob buy 5 @ 102 -> 4 @ 100 from 2, 1 @ 102 from 4, filled 0",
  ],
  { asks: "5@100 3@101 1@102" },
);

check(
  "a book that one account has locked or crossed still serves others by priority",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 ann buy 5 @ 100 -> rested 5",
    "3 ann buy 5 @ 103 -> rested 5",
    "4 bob sell 6 @ 99 -> 5 @ 103 from 3, 1 @ 100 from 2, filled 0",
    "5 bob buy 6 @ 101 -> 5 @ 100 from 1, rested 1",
  ],
  { bids: "1@101 4@100" },
);

check(
  "an order skips up to the allowed number of own orders in a row",
  [
    "1 bob sell 1 @ 100 -> rested 1",
    "2 bob sell 1 @ 100 -> rested 1",
    "3 bob sell 1 @ 101 -> rested 1",
    "4 ann sell 9 @ 101 -> rested 9",
    "5 bob buy 2 @ 101 -> 2 @ 101 from 4, filled 0",
  ],
  { asks: "2@100 8@101" },
);

check(
  "ORD-11: the fourth own order in a row ends an incoming order, also FOK and post-only",
  [
    "1 bob sell 1 @ 100 -> rested 1",
    "2 bob sell 1 @ 100 -> rested 1",
    "3 bob sell 1 @ 101 -> rested 1",
    "4 bob sell 1 @ 102 -> rested 1",
    "5 ann sell 9 @ 103 -> rested 9",
    "6 bob buy 8 @ 103 -> ownSkipsMax 8",
    "7 bob buy 8 @ 103 fok -> fillOrKill 8",
    "8 bob buy 8 @ 102 gtx -> wouldTake 8",
    "9 bob buy 8 @ 101 gtx -> rested 8",
  ],
  { bids: "8@101", asks: "2@100 1@101 1@102 9@103" },
);

check(
  "a fill ends a row of own orders",
  [
    "1 bob sell 1 @ 100 -> rested 1",
    "2 bob sell 1 @ 100 -> rested 1",
    "3 ann sell 1 @ 100 -> rested 1",
    "4 bob sell 1 @ 100 -> rested 1",
    "5 bob sell 1 @ 100 -> rested 1",
    "6 ann sell 1 @ 100 -> rested 1",
    "7 bob buy 2 @ 100 -> 1 @ 100 from 3, 1 @ 100 from 6, filled 0",
  ],
  { asks: "4@100" },
);

const fiveSellers = [
  "1 ann sell 1 @ 100 -> rested 1",
  "2 ann sell 1 @ 101 -> rested 1",
  "3 ann sell 1 @ 102 -> rested 1",
  "4 ann sell 1 @ 103 -> rested 1",
  "5 ann sell 1 @ 104 -> rested 1",
];
const fourFills = "1 @ 100 from 1, 1 @ 101 from 2, 1 @ 102 from 3, 1 @ 103 from 4";

check(
  "an order that needs more fills than allowed expires with its remainder",
  [...fiveSellers, `6 bob buy 6 @ 110 -> ${fourFills}, matchesPerOrderMax 2`],
  { asks: "1@104" },
);

check(
  "an order that ends with its last allowed fill may rest",
  [...fiveSellers, `6 bob buy 6 @ 103 -> ${fourFills}, rested 2`],
  { bids: "2@103", asks: "1@104" },
);

check(
  "FOK is cancelled if it needs more fills than allowed, and fills otherwise",
  [
    ...fiveSellers,
    "6 bob buy 5 @ 110 fok -> fillOrKill 5",
    `7 bob buy 4 @ 110 fok -> ${fourFills}, filled 0`,
  ],
  { asks: "1@104" },
);
