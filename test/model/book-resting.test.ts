// Proves how the fast book and the naive book cancel and amend resting orders, and that both take any price in the
// range.

import { check } from "./book-check.ts";

check(
  "a cancel removes what is left of an order, and needs the right handle",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 bob buy 2 @ 100 -> 2 @ 100 from 1, filled 0",
    "cancel 1/2 -> unknown 0",
    "cancel 1 -> cancelled 3",
    "cancel 1 -> unknown 0",
    "cancel 7 -> unknown 0",
  ],
  {},
);

check(
  "a cancel that expects a number of open lots is refused at any other number",
  [
    "1 ann sell 5 @ 101 -> rested 5",
    "cancel 1 4 -> changed 5",
    "cancel 1 6 -> changed 5",
    "2 bob buy 2 @ 101 -> 2 @ 101 from 1, filled 0",
    "cancel 1 5 -> changed 3",
    "cancel 1/2 3 -> unknown 0",
    "cancel 1 3 -> cancelled 3",
  ],
  {},
);

check(
  "cancels at the front, in the middle and at the back keep the order of the queue",
  [
    "1 ann sell 1 @ 100 -> rested 1",
    "2 ann sell 2 @ 100 -> rested 2",
    "3 ann sell 3 @ 100 -> rested 3",
    "4 ann sell 4 @ 100 -> rested 4",
    "5 ann sell 5 @ 100 -> rested 5",
    "cancel 1 -> cancelled 1",
    "cancel 3 -> cancelled 3",
    "cancel 5 -> cancelled 5",
    "6 bob buy 9 @ 100 -> 2 @ 100 from 2, 4 @ 100 from 4, rested 3",
  ],
  { bids: "3@100" },
);

check(
  "ORD-12: an amend to a smaller quantity keeps priority",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 cat sell 5 @ 100 -> rested 5",
    "amend 1 3 of 5 @ 100 -> rested 3",
    "amend 1 3 of 3 @ 100 -> rested 3",
    "3 bob buy 4 @ 100 -> 3 @ 100 from 1, 1 @ 100 from 2, filled 0",
  ],
  { asks: "4@100" },
);

check(
  "ORD-12: an amend to a larger quantity moves the order to the back of the queue",
  [
    "1 ann sell 5 @ 100 -> rested 5",
    "2 cat sell 5 @ 100 -> rested 5",
    "amend 1 6 of 5 @ 100 -> rested 6",
    "3 bob buy 6 @ 100 -> 5 @ 100 from 2, 1 @ 100 from 1, filled 0",
  ],
  { asks: "5@100" },
);

check(
  "an amend to another price may trade like a new GTC limit order",
  [
    "1 ann sell 5 @ 105 -> rested 5",
    "2 bob buy 3 @ 100 -> rested 3",
    "amend 1 5 of 5 @ 100 -> 3 @ 100 from 2, rested 2",
    "3 bob buy 4 @ 99 -> rested 4",
  ],
  { bids: "4@99", asks: "2@100" },
);

check(
  "an order whose amend trades completely leaves the book",
  [
    "1 ann sell 5 @ 105 -> rested 5",
    "2 bob buy 7 @ 100 -> rested 7",
    "amend 1 5 of 5 @ 99 -> 5 @ 100 from 2, filled 0",
    "amend 1 5 of 5 @ 99 -> unknown 0",
  ],
  { bids: "2@100" },
);

check(
  "ORD-49: a post-only amend that would trade leaves the order unchanged",
  [
    "1 ann sell 5 @ 105 gtx -> rested 5",
    "2 cat sell 5 @ 105 -> rested 5",
    "3 bob buy 7 @ 100 -> rested 7",
    "amend 1 6 of 5 @ 100 -> wouldTake 5",
    "amend 1 4 of 5 @ 101 -> rested 4",
    "4 bob buy 6 @ 105 -> 4 @ 101 from 1, 2 @ 105 from 2, filled 0",
  ],
  { bids: "7@100", asks: "3@105" },
);

check(
  "an amend of an order that has left the book is unknown",
  [
    "1 ann sell 5 @ 105 -> rested 5",
    "amend 1/2 4 of 5 @ 100 -> unknown 0",
    "amend 9 4 of 5 @ 100 -> unknown 0",
  ],
  { asks: "5@105" },
);

check(
  "prices far from the best price stay sorted on both sides",
  [
    "1 ann buy 1 @ 500000 -> rested 1",
    "2 ann buy 2 @ 3 -> rested 2",
    "3 ann buy 3 @ 400000 -> rested 3",
    "4 ann buy 4 @ 3 -> rested 4",
    "5 cat buy 5 @ 3 -> rested 5",
    "6 ann sell 1 @ 600000 -> rested 1",
    "7 ann sell 2 @ 900000000 -> rested 2",
    "8 ann sell 3 @ 700000 -> rested 3",
    "cancel 4 -> cancelled 4",
    "9 bob sell 5 @ 3 -> 1 @ 500000 from 1, 3 @ 400000 from 3, 1 @ 3 from 2, filled 0",
    "cancel 2 -> cancelled 1",
    "10 bob buy 2 @ 650000 -> 1 @ 600000 from 6, rested 1",
  ],
  { bids: "1@650000 5@3", asks: "3@700000 2@900000000" },
);

check(
  "orders at both ends of a queue at a distant price can be cancelled in any order",
  [
    "1 ann sell 1 @ 100 -> rested 1",
    "2 ann sell 2 @ 900000 -> rested 2",
    "3 ann sell 3 @ 900000 -> rested 3",
    "4 ann sell 4 @ 900000 -> rested 4",
    "cancel 4 -> cancelled 4",
    "cancel 2 -> cancelled 2",
    "5 ann sell 5 @ 900000 -> rested 5",
  ],
  { asks: "1@100 8@900000" },
);

check(
  "a new best price far ahead that disappears again leaves the earlier orders",
  [
    "1 ann buy 1 @ 100000 -> rested 1",
    "2 ann buy 2 @ 99999 -> rested 2",
    "3 ann buy 3 @ 200000 -> rested 3",
    "cancel 3 -> cancelled 3",
    "4 bob sell 2 @ 99999 -> 1 @ 100000 from 1, 1 @ 99999 from 2, filled 0",
  ],
  { bids: "1@99999" },
);

check(
  "prices at both edges of a row, a page and the range stay sorted",
  [
    "1 ann buy 1 @ 102400 -> rested 1",
    "2 ann buy 2 @ 102399 -> rested 2",
    "3 ann buy 3 @ 102431 -> rested 3",
    "4 ann buy 4 @ 102432 -> rested 4",
    "5 ann buy 5 @ 103423 -> rested 5",
    "6 ann buy 6 @ 103424 -> rested 6",
    "7 ann buy 7 @ 1 -> rested 7",
    "8 ann sell 1 @ 1000000000 -> rested 1",
    "9 ann sell 2 @ 999999999 -> rested 2",
    "10 ann sell 3 @ 204800 -> rested 3",
    "11 ann sell 4 @ 204799 -> rested 4",
  ],
  {
    bids: "6@103424 5@103423 4@102432 3@102431 1@102400 2@102399 7@1",
    asks: "4@204799 3@204800 2@999999999 1@1000000000",
  },
);

check(
  "a best price that moved down is found level by level",
  [
    "1 ann buy 1 @ 100000 -> rested 1",
    "2 ann buy 2 @ 88000 -> rested 2",
    "cancel 1 -> cancelled 1",
    "3 ann buy 3 @ 87000 -> rested 3",
    "4 ann buy 4 @ 60000 -> rested 4",
    "5 bob sell 9 @ 60000 -> 2 @ 88000 from 2, 3 @ 87000 from 3, 4 @ 60000 from 4, filled 0",
  ],
  {},
);

check(
  "own orders at the best price let an incoming order continue to distant prices",
  [
    "1 bob sell 1 @ 100 -> rested 1",
    "2 ann sell 2 @ 900000 -> rested 2",
    "3 bob buy 3 @ 900000 -> 2 @ 900000 from 2, rested 1",
  ],
  { bids: "1@900000", asks: "1@100" },
);
