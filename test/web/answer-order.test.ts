// Proves which answers count when reads of the same list overlap.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerOrder } from "../../web/src/answer-order.ts";

test("an answer that comes after that of a later read does not count, any other does", () => {
  const order = new AnswerOrder();
  const [first, second, third] = [order.begin(), order.begin(), order.begin()];
  assert(order.takes(second));
  assert(!order.takes(first));
  assert(order.takes(third));
  assert(order.takes(order.begin()));
});
