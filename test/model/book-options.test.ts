// Proves how the fast book and the naive book handle self-trade prevention, reduce-only orders, orders by quote amount,
// and amends of orders that have traded meanwhile.

import { check } from "./book-check.ts";

check(
  "ORD-40 ORD-56: expireTaker ends the incoming order at the first own order, which stays",
  [
    "1 bob sell 2 @ 100 -> rested 2",
    "2 ann sell 3 @ 101 -> rested 3",
    "3 bob sell 4 @ 102 -> rested 4",
    "4 ann buy 9 @ 102 expireTaker -> 2 @ 100 from 1, ends at 2, selfTrade 7",
  ],
  { asks: "3@101 4@102" },
);

check(
  "ORD-40 ORD-56: expireMaker removes own resting orders and continues",
  [
    "1 ann sell 2 @ 100 -> rested 2",
    "2 bob sell 3 @ 101 -> rested 3",
    "3 ann sell 4 @ 101 -> rested 4",
    "4 ann buy 9 @ 101 expireMaker -> 2 of 1 out for selfTrade, 3 @ 101 from 2, 4 of 3 out for selfTrade, rested 6",
  ],
  { bids: "6@101" },
);

check(
  "ORD-40 ORD-56: expireBoth removes the first own resting order and ends the incoming order",
  [
    "1 bob sell 2 @ 100 -> rested 2",
    "2 ann sell 3 @ 101 -> rested 3",
    "3 ann sell 4 @ 102 -> rested 4",
    "4 ann buy 9 @ 102 expireBoth -> 2 @ 100 from 1, 3 of 2 out for selfTrade, selfTrade 7",
  ],
  { asks: "4@102" },
);

check(
  "ORD-40 ORD-56: decrement subtracts the smaller quantity from both orders and continues with the rest",
  [
    "1 ann sell 2 @ 100 -> rested 2",
    "2 bob sell 3 @ 101 -> rested 3",
    "3 ann sell 8 @ 102 -> rested 8",
    "4 ann buy 9 @ 102 decrement -> 2 lost with 1, 3 @ 101 from 2, 4 lost with 3, selfTrade 0",
  ],
  { asks: "4@102" },
);

check(
  "ORD-41: FOK fills past own orders that expire, but is cancelled in modes that would end or reduce it",
  [
    "1 ann sell 2 @ 100 -> rested 2",
    "2 bob sell 3 @ 101 -> rested 3",
    "3 ann buy 3 @ 101 fok expireTaker -> fillOrKill 3",
    "4 ann buy 3 @ 101 fok expireBoth -> fillOrKill 3",
    "5 ann buy 3 @ 101 fok decrement -> fillOrKill 3",
    "6 ann buy 4 @ 101 fok expireMaker -> fillOrKill 4",
    "7 ann buy 3 @ 101 fok expireMaker -> 2 of 1 out for selfTrade, 3 @ 101 from 2, filled 0",
  ],
  {},
);

check(
  "ORD-41: post-only considers only orders of other accounts, in every mode",
  [
    "1 ann sell 2 @ 100 -> rested 2",
    "2 ann buy 3 @ 100 gtx expireBoth -> rested 3",
    "3 bob buy 3 @ 100 gtx expireMaker -> wouldTake 3",
  ],
  { bids: "3@100", asks: "2@100" },
);

check(
  "ORD-10: removed orders count among the orders that an incoming order may meet",
  [
    "1 ann sell 1 @ 100 -> rested 1",
    "2 bob sell 1 @ 101 -> rested 1",
    "3 ann sell 1 @ 102 -> rested 1",
    "4 bob sell 1 @ 103 -> rested 1",
    "5 ann sell 1 @ 104 -> rested 1",
    "6 ann buy 9 @ 105 expireMaker -> 1 of 1 out for selfTrade, 1 @ 101 from 2, 1 of 3 out for selfTrade, 1 @ 103 from 4, matchesPerOrderMax 7",
  ],
  { asks: "1@104" },
);

check(
  "ORD-42: an incoming reduce-only order trades at most its position",
  [
    "adjust ann 5 -> adjusted 0",
    "1 bob buy 3 @ 101 -> rested 3",
    "2 bob buy 9 @ 100 -> rested 9",
    "3 ann sell 8 @ 100 reduceOnly -> 3 @ 101 from 1, 2 @ 100 from 2, reduceOnly 3",
    "4 ann sell 1 @ 100 reduceOnly -> reduceOnly 1",
    "5 bob sell 1 @ 200 reduceOnly -> rested 1",
    "6 bob buy 1 @ 200 reduceOnly -> reduceOnly 1",
  ],
  { bids: "7@100", asks: "1@200" },
);

check(
  "ORD-42: a reduce-only order larger than the position may rest, and its remainder is removed once the position is closed",
  [
    "adjust ann -5 -> adjusted 0",
    "1 ann buy 8 @ 100 reduceOnly -> rested 8",
    "2 bob sell 2 @ 100 -> 2 @ 100 from 1, filled 0",
    "3 bob sell 4 @ 100 -> 3 @ 100 from 1, 3 of 1 out for reduceOnly, rested 1",
  ],
  { asks: "1@100" },
);

check(
  "ORD-43: a resting reduce-only order without a position is removed when it is met",
  [
    "adjust ann 5 -> adjusted 0",
    "1 ann sell 5 @ 100 reduceOnly -> rested 5",
    "2 cat sell 1 @ 100 -> rested 1",
    "adjust ann -5 -> adjusted 0",
    "3 bob buy 2 @ 100 gtx -> wouldTake 2",
    "4 bob buy 2 @ 100 fok -> fillOrKill 2",
    "5 bob buy 2 @ 100 -> 5 of 1 out for reduceOnly, 1 @ 100 from 2, rested 1",
  ],
  { bids: "1@100" },
);

check(
  "ORD-42: several resting orders of one account share its position",
  [
    "adjust ann 5 -> adjusted 0",
    "1 ann sell 3 @ 100 reduceOnly -> rested 3",
    "2 ann sell 1 @ 101 -> rested 1",
    "3 ann sell 3 @ 102 reduceOnly -> rested 3",
    "4 bob buy 6 @ 102 fok -> fillOrKill 6",
    "5 bob buy 5 @ 102 fok -> 3 @ 100 from 1, 1 @ 101 from 2, 1 @ 102 from 3, 2 of 3 out for reduceOnly, filled 0",
    "6 ann sell 1 @ 102 reduceOnly -> reduceOnly 1",
    "7 bob sell 6 @ 102 reduceOnly -> rested 6",
  ],
  { asks: "6@102" },
);

check(
  "ORD-42: a reduce-only FOK order counts at most its position",
  [
    "adjust ann 5 -> adjusted 0",
    "1 bob buy 9 @ 100 -> rested 9",
    "2 ann sell 6 @ 100 fok reduceOnly -> fillOrKill 6",
    "3 ann sell 5 @ 100 fok reduceOnly -> 5 @ 100 from 1, filled 0",
  ],
  { bids: "4@100" },
);

check(
  "ORD-44: a budget buys as many whole lots as it pays for",
  [
    "1 ann sell 3 @ 100 -> rested 3",
    "2 ann sell 3 @ 110 -> rested 3",
    "3 bob buy 99 @ 200 market budget 629 -> 3 @ 100 from 1, 2 @ 110 from 2, budgetSpent 94",
    "4 bob buy 99 @ 200 market budget 109 -> budgetSpent 99",
    "5 bob buy 99 @ 200 market budget 900 -> 1 @ 110 from 2, unfilled 98",
  ],
  {},
);

check(
  "ORD-44: a budget ends a sale before its proceeds exceed the budget",
  [
    "1 ann buy 3 @ 100 -> rested 3",
    "2 ann buy 3 @ 90 -> rested 3",
    "3 bob sell 99 @ 1 market budget 400 -> 3 @ 100 from 1, 1 @ 90 from 2, budgetSpent 95",
    "4 bob sell 1 @ 1 market budget 400 -> 1 @ 90 from 2, filled 0",
  ],
  { bids: "1@90" },
);

check(
  "ORD-45: a budget also pays for lots lost to self-trade prevention",
  [
    "1 ann sell 3 @ 100 -> rested 3",
    "2 bob sell 3 @ 110 -> rested 3",
    "3 ann buy 99 @ 200 market decrement budget 250 -> 2 lost with 1, budgetSpent 97",
    "4 ann buy 99 @ 200 market decrement budget 250 -> 1 lost with 1, 1 @ 110 from 2, budgetSpent 97",
    "5 ann buy 99 @ 200 market decrement budget 50 -> budgetSpent 99",
  ],
  { asks: "2@110" },
);

check(
  "ORD-47: lots that traded while an amend was in flight count against its new quantity",
  [
    "1 ann sell 10 @ 100 -> rested 10",
    "2 bob buy 4 @ 100 -> 4 @ 100 from 1, filled 0",
    "amend 1 8 of 10 @ 100 -> rested 4",
    "amend 1 9 of 4 @ 101 -> rested 9",
    "3 bob buy 5 @ 101 -> 5 @ 101 from 1, filled 0",
    "amend 1 5 of 9 @ 101 -> cancelled 4",
    "amend 1 5 of 9 @ 101 -> unknown 0",
  ],
  {},
);

check(
  "ORD-46: an amend that meets its own account follows its mode of self-trade prevention",
  [
    "1 ann sell 3 @ 100 -> rested 3",
    "2 ann buy 5 @ 90 -> rested 5",
    "amend 2 5 of 5 @ 100 decrement -> 3 lost with 1, rested 2",
    "3 ann sell 3 @ 105 -> rested 3",
    "amend 2 2 of 2 @ 105 -> rested 2",
    "amend 2 3 of 2 @ 106 expireTaker -> ends at 3, selfTrade 3",
  ],
  { asks: "3@105" },
);

check(
  "ORD-48: an amended reduce-only order still only reduces",
  [
    "adjust ann 5 -> adjusted 0",
    "1 ann sell 5 @ 105 reduceOnly -> rested 5",
    "2 ann sell 5 @ 106 gtx reduceOnly -> rested 5",
    "3 bob buy 9 @ 100 -> rested 9",
    "amend 1 8 of 5 @ 100 -> 5 @ 100 from 3, reduceOnly 3",
    "amend 2 6 of 5 @ 100 -> reduceOnly 6",
  ],
  { bids: "4@100" },
);

check(
  "SUB-6: accounts of one owner do not trade with each other, whichever of them rests",
  [
    "1 eve sell 5 @ 100 -> rested 5",
    "2 eli buy 3 @ 101 -> rested 3",
    "3 eli sell 2 @ 100 -> rested 2",
    "4 eve buy 4 @ 100 ioc -> unfilled 4",
    "5 bob buy 6 @ 100 -> 5 @ 100 from 1, 1 @ 100 from 3, filled 0",
    "6 bob sell 1 @ 101 -> 1 @ 101 from 2, filled 0",
  ],
  { bids: "2@101", asks: "1@100" },
);

check(
  "SUB-6: a sub-account does not trade with an order that its owner placed before it existed, nor after an amend",
  [
    "1 eve sell 5 @ 105 alone -> rested 5",
    "2 eli buy 3 @ 106 gtx -> rested 3",
    "amend 1 5 of 5 @ 104 family -> rested 5",
    "amend 2 3 of 3 @ 107 family -> rested 3",
    "3 ann sell 1 @ 107 -> 1 @ 107 from 2, filled 0",
  ],
  { bids: "2@107", asks: "5@104" },
);

check("SUB-6 ORD-40: every mode of self-trade prevention applies between accounts of one owner", [
  "1 eve sell 5 @ 100 -> rested 5",
  "2 eli buy 2 @ 100 expireTaker -> ends at 1, selfTrade 2",
  "3 eli buy 2 @ 100 decrement -> 2 lost with 1, selfTrade 0",
  "4 eli buy 2 @ 100 expireMaker -> 3 of 1 out for selfTrade, rested 2",
  "5 eve sell 2 @ 100 expireBoth -> 2 of 4 out for selfTrade, selfTrade 2",
]);

check("SUB-6: reduce-only orders of accounts of one owner have their own positions", [
  "adjust eve 5 -> adjusted 0",
  "1 eli sell 2 @ 100 reduceOnly -> reduceOnly 2",
  "2 eve sell 2 @ 100 reduceOnly -> rested 2",
  "3 bob buy 2 @ 100 -> 2 @ 100 from 2, filled 0",
]);
