// Amounts in flight and claims, from fills with members and from payments.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import type { CrossingFills } from "../../../ports/ledger/solvency.ts";
import { crossingsOf } from "./solvency-report.ts";

const [usdc, cc] = [0, 1];
/** A member sold or bought 10 lots of 0.1 CC for 2 USDC. */
const lots = 10n;
const quote = 2_000_000n;
const oneCc = 10n ** 8n;

function group(terms: Partial<CrossingFills>): CrossingFills {
  const market = marketId.ccUsdc;
  const base = { isMemberBuyer: false, sign: 1 as const, doubtful: null, memberFee: 0n };
  return { market, lots, quote, ...base, ...terms };
}

function amounts(fills: readonly CrossingFills[]) {
  const payments = [{ asset: usdc, amount: 5n }];
  const { inFlight, claims } = crossingsOf(testMarkets, { fills, payments });
  const of = (all: readonly bigint[]) => [all[usdc], all[cc]];
  return { inFlight: of(inFlight), claims: of(claims) };
}

test("SLV-3 unsettled fills count as in flight in both directions, less the member's fee, and so do payments", () => {
  const fills = [group({ memberFee: 100n }), group({ isMemberBuyer: true, sign: -1, lots: 4n })];
  const got = amounts(fills);
  assert.deepEqual(got, {
    inFlight: [-4_000_000n + 105n, oneCc + (oneCc * 4n) / 10n],
    claims: [0n, 0n],
  });
});

test("SLV-5 SLV-10 doubtful debts to custody are claims, and what custody owes stays in flight", () => {
  const got = amounts([group({ doubtful: "b-1" })]);
  assert.deepEqual(got, { inFlight: [-quote + 5n, 0n], claims: [0n, oneCc] });
});

test("SLV-5 SLV-10 doubtful fills are netted within their batch and not across batches", () => {
  const [sold, bought] = [group({}), group({ isMemberBuyer: true })];
  const together = [sold, bought].map((fills) => ({ ...fills, doubtful: "b-1" }));
  assert.deepEqual(amounts(together), { inFlight: [5n, 0n], claims: [0n, 0n] });
  const apart = [
    { ...sold, doubtful: "b-1" },
    { ...bought, doubtful: "b-2" },
  ];
  assert.deepEqual(amounts(apart), { inFlight: [-quote + 5n, -oneCc], claims: [quote, oneCc] });
});
