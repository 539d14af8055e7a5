// Proves the wallet's values and the stages of deposits and withdrawals, without a page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeFaults } from "../../src/adapters/gateway/native/error-map.ts";
import { cutTo } from "../../web/src/markets/exact.ts";
import {
  type Movement,
  paidTo,
  partyFault,
  stagesOf,
  statesOf,
  withdrawalPreview,
  withdrawalRefusal,
} from "../../web/src/member/movements.ts";
import { totalValue, usualFunds, valueIn, withSpare } from "../../web/src/member/valuation.ts";
import { faultMessage } from "../../web/src/member/venue-api.ts";

const prices = { CC: "0.1499", CBTC: "61234.5" };

test("WEB-55 a value is the amount at the last price, rounded down, and a dash without a price", () => {
  assert.equal(valueIn("USDC", "12.349999", prices), "12.34");
  assert.equal(valueIn("CC", "1000.5", prices), "149.97");
  assert.equal(valueIn("CBTC", "0.00000001", prices), "0.00");
  assert.equal(valueIn("CETH", "1", prices), null);
});

test("WEB-55 the total is the value of everything, with open profits, and names what has no price", () => {
  const balances = [
    { asset: "USDC", total: "100.004" },
    { asset: "CC", total: "10" },
    { asset: "CETH", total: "2" },
    { asset: "CUSD", total: "0" },
  ];
  assert.deepEqual(totalValue(balances, ["-1.503"], prices), {
    value: "100.00",
    without: ["CETH"],
  });
  assert.deepEqual(totalValue([], [], prices), { value: "0.00", without: [] });
});

test("WEB-89 with positions Max leaves a thousandth, so that a mark that moves refuses nothing", () => {
  assert.equal(cutTo(withSpare("1000.000000"), 6), "999.000000");
  assert.equal(cutTo(withSpare("0.000001"), 6), "0.000000");
});

test("WEB-122 test funds begin with an amount worth some 10,000 USDC", () => {
  const known = { CBTC: "60012.34", CC: "0.1500", CETH: "2500", ODD: "0" };
  const amounts = {
    USDC: "10000",
    CBTC: "0.1",
    CC: "50000",
    CETH: "2",
    ODD: "10000",
    NEW: "10000",
  };
  for (const [asset, amount] of Object.entries(amounts)) {
    assert.equal(usualFunds(asset, known), amount, asset);
  }
  assert.equal(usualFunds("RICH", { RICH: "2000000" }), "0.005");
});

test("WEB-75 a text that is no party id is named before it is sent", () => {
  const fingerprint = `1220${"ab".repeat(32)}`;
  assert.equal(partyFault(`payer-1.x_y::${fingerprint}`), null);
  assert.equal(partyFault(""), null);
  for (const text of ["nonsense", `a::${fingerprint}0`, `a b::${fingerprint}`, fingerprint]) {
    assert.match(partyFault(text) ?? "", /^This is no party id/, text);
  }
});

test("WEB-55 a deposit and a withdrawal show the stages passed, the present one and those to come", () => {
  const movement = (status: string, isDeposit: boolean): Movement => ({
    ...(isDeposit ? { deposit_id: "d" } : { withdrawal_id: "w" }),
    ...{ asset: "USDC", amount: "1", status, created_at: "", update_id: null },
  });
  const states = (status: string, isDeposit: boolean) =>
    stagesOf(movement(status, isDeposit)).map(({ state }) => state);
  assert.deepEqual(states("requested", false), ["now", "pending", "pending"]);
  assert.deepEqual(states("processing", false), ["done", "now", "pending"]);
  assert.deepEqual(states("completed", false), ["done", "done", "done"]);
  assert.deepEqual(states("failed", false), ["done", "failed"]);
  assert.deepEqual(states("pending", true), ["done", "pending"]);
  assert.deepEqual(states("credited", true), ["done", "done"]);
  assert.deepEqual(states("below_minimum", true), ["done", "failed"]);
});

test("WEB-140 a movement that appears or moves on changes the states, the order of the list does not", () => {
  const one = { asset: "USDC", amount: "1", created_at: "", update_id: null };
  const [paid, seen] = [
    { ...one, withdrawal_id: "w", status: "completed" },
    { ...one, deposit_id: "d", status: "pending" },
  ];
  assert.equal(statesOf([paid, seen]), statesOf([seen, paid]));
  assert.notEqual(statesOf([paid]), statesOf([paid, seen]));
  assert.notEqual(statesOf([paid, seen]), statesOf([paid, { ...seen, status: "credited" }]));
});

test("WEB-76 only completed withdrawals to the party count as paid to it, without their fee", () => {
  const withdrawal = (more: Partial<Movement>): Movement => ({
    ...{ withdrawal_id: "w", asset: "USDC", amount: "1012.000000", fee: "0.500000" },
    ...{ destination: "own", status: "completed", created_at: "", update_id: null, ...more },
  });
  const all = [
    withdrawal({}),
    withdrawal({ status: "processing" }),
    withdrawal({ destination: "other" }),
    {
      deposit_id: "d",
      asset: "CC",
      amount: "1",
      status: "credited",
      created_at: "",
      update_id: null,
    },
  ];
  assert.deepEqual(paidTo("own", all), ["1,011.500000 USDC"]);
});

test("WEB-89 a withdrawal that was not preapproved says who can do that", () => {
  const refusal = nativeFaults.destinationUnable.msg;
  assert.match(
    withdrawalRefusal(refusal, true),
    /It is your own party: turn on preapproval .* get test funds with the wallet "ledger" once/,
  );
  assert.match(withdrawalRefusal(refusal, false), /Only its owner can preapprove them\.$/);
  assert.equal(withdrawalRefusal("unknown asset", true), "unknown asset");
});

test("OPS-125 a withdrawal that the ledger did not answer says whether money may leave the wallet", () => {
  const { feeQuoteUnavailable, eligibilityUnavailable, withdrawalTimeout, withdrawalUnanswered } =
    nativeFaults;
  // The card asks with the message as the page shows it.
  const told = (msg: string) => withdrawalRefusal(faultMessage(new Error(msg)), false);
  for (const { msg } of [feeQuoteUnavailable, eligibilityUnavailable, withdrawalTimeout])
    assert.match(told(msg), /Nothing was sent, and nothing left your wallet/);
  assert.match(told(withdrawalUnanswered.msg), /It may still be made/);
});

test("WEB-112 a refusal of the venue begins with a capital letter, and a field's name stays as it is", () => {
  assert.equal(faultMessage(new Error("order not found")), "Order not found");
  assert.equal(faultMessage(new Error("quote_qty must be positive")), "quote_qty must be positive");
});

test("WEB-75 what a withdrawal brings is said, or why the amount cannot be withdrawn", () => {
  const terms = { withdrawFee: "0.500000", withdrawMin: "2.000000", withdrawEnable: true };
  const of = (amount: string) => withdrawalPreview(terms, amount, "100.000000");
  assert.equal(of(""), null);
  assert.deepEqual(of(" 10 "), { arrives: "9.500000" });
  assert.deepEqual(of("1.999999"), { fault: "The minimum is 2.000000." });
  assert.deepEqual(of("100.000001"), {
    fault: "Only 100.000000 available in your spot wallet.",
  });
  assert.deepEqual(of("10.0000001"), { fault: "At most 6 decimal places." });
  for (const wrong of ["0", "0.00", "-5"])
    assert.deepEqual(of(wrong), { fault: "Enter an amount above 0." }, wrong);
  assert.deepEqual(of("abc"), { fault: "Amount: enter a number" });
  assert.deepEqual(of("6,25"), { fault: "Amount: use a point for decimals" });
});
