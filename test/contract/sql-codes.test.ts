// Proves that the conditions of SQL indexes and checks use the codes of TypeScript's tables. For most states, a
// condition calls a function with the state's name, and the function must return the code in TypeScript's table. Other
// codes, such as those of event kinds and market statuses, are plain numbers in conditions and are listed here. The
// conditions are read from the golden schema, which equals that of a migrated database.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { migrationsFolder } from "../../src/adapters/postgres/migrate.ts";
import { proposedStatus } from "../../src/adapters/postgres/queries/journal/markets.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { MarketKind, MarketStatus } from "../../src/core/markets.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import { BatchState } from "../../src/ports/ledger/batch-states.ts";
import { DepositState, WithdrawalStage } from "../../src/ports/ledger/custody.ts";
import { ProviderState } from "../../src/ports/swaps/provider-registry.ts";

const { requested, underWay, paid, givenUp } = WithdrawalStage;
const duePayments = [requested, underWay, paid, givenUp];
const { open, ready, processing, retry, confirmed, failed } = BatchState;
const approvedOnce = [ProviderState.approved, ProviderState.suspended];
const { spot, perpetual } = MarketKind;
const { trading, delisted } = MarketStatus;
const { accepted, traderAllocated, allocated } = SwapState;
const { traderCancelled, traderLate, traderWithdrew } = SwapReason;

/** The SQL functions that give the code of a name, each with TypeScript's table of the codes. */
const tables: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  batch_state: BatchState,
  deposit_state: DepositState,
  payment_stage: WithdrawalStage,
  provider_state: ProviderState,
  swap_reason: SwapReason,
  swap_state: SwapState,
};

/** Codes in the condition of each index or check, by its name, in the order of the condition. */
const meant: Readonly<Record<string, readonly number[]>> = {
  liquidity_providers_state_check: [ProviderState.pending, ProviderState.refused],
  liquidity_providers_party: approvedOnce,
  liquidity_providers_url: approvedOnce,
  markets_check: [perpetual, delisted],
  markets_check1: [perpetual],
  markets_check2: [perpetual],
  markets_check3: [perpetual],
  markets_check5: [perpetual],
  markets_initial_status_check: [trading, delisted],
  markets_kind_check: [spot, perpetual],
  markets_status_check: [trading, proposedStatus],
  // 1 is a result and 2 a cancellation. Only the store uses these codes, so TypeScript has no table for them.
  swap_notices_kind_check: [1, 2],
  deposit_returns_due: duePayments,
  withdrawals_due: duePayments,
  deposits_open: [DepositState.pending],
  deposits_kept: [DepositState.pending, DepositState.credited],
  journal_claims: [EventKind.rewardClaimed],
  journal_family_received: [EventKind.movedBetweenAccounts],
  journal_family_sent: [EventKind.movedBetweenAccounts],
  journal_fund_hours: [EventKind.fundHourSet],
  journal_funding_payments: [EventKind.fundingPaid],
  journal_fundings: [EventKind.fundingStarted],
  journal_index_states: [EventKind.indexMeasured],
  journal_insurance: [EventKind.insuranceSettled, EventKind.positionMoved],
  journal_keys: [EventKind.requestKeyed],
  journal_order_lists: [EventKind.orderListAccepted],
  journal_order_terms: [EventKind.orderTriggered, EventKind.orderAmended, EventKind.orderReduced],
  journal_quotes: [EventKind.quoteAmended],
  journal_positions_taken: [EventKind.positionMoved],
  journal_prevented_makers: [EventKind.matchPrevented],
  journal_prevented_takers: [EventKind.matchPrevented],
  journal_risk_terms: [EventKind.riskTermSet],
  journal_settled_coins: [EventKind.coinsSettled],
  journal_sub_accounts: [EventKind.subAccountOpened],
  journal_swaps: [EventKind.swapMoved],
  journal_transfers: [EventKind.credited, EventKind.transferred, EventKind.granted],
  journal_withdrawals: [EventKind.withdrawalRequested],
  settlement_batches_confirmed: [confirmed],
  settlement_batches_due: [ready, processing, retry],
  settlement_batches_failed: [failed],
  settlement_batches_live: [confirmed],
  settlement_batches_of_a: [confirmed],
  settlement_batches_of_b: [confirmed],
  settlement_batches_open: [open],
  swap_moves_unkept: [
    ...[accepted, traderAllocated, allocated],
    ...[traderCancelled, traderLate, traderWithdrew],
  ],
  swaps_open: [SwapState.settled],
};

const condition =
  /\b(?:\w+_)?(?:state|status|kind|phase|stage|reason)\)* (?:=|<>|[<>]=?) (?:ANY |ALL )?\(*(?:ARRAY\[)?((?:\d+(?:, )?)+)/g;

const schema = readFileSync(join(migrationsFolder(), "schema.sql"), "utf8");

/** Finds a name in a condition, such as `batch_state('open'::text)`. */
const named = /\b(\w+)\('(\w+)'::text\)/g;

test("SQL functions give each name the code that TypeScript's table has", () => {
  const functions =
    /FUNCTION public\.(\w+)\(name text\)\n RETURNS integer[^$]*\$function\$([^$]*)/g;
  const found = [...schema.matchAll(functions)];
  assert.deepEqual(
    found.map(([, name]) => name),
    Object.keys(tables),
  );
  for (const [, name = "", body = ""] of found) {
    const rows = [...body.matchAll(/when '(\w+)' then (\d+)/g)];
    assert(rows.length > 0, name);
    for (const [, word = "", code] of rows) assert.equal(Number(code), tables[name]?.[word], word);
    // For an unknown name a function gives no code, and the condition would never hold.
    const known = new Set(rows.map(([, word]) => word));
    for (const [, by, word = ""] of schema.matchAll(named))
      if (by === name) assert(known.has(word), `${name} has no code for ${word}`);
  }
});

test("each state and kind in a condition of the schema has the code of the intended name", () => {
  const found: Record<string, number[]> = {};
  for (const line of schema.split("\n")) {
    const [, name = line] = /(?:^constraint|INDEX) (\w+) (?:on|ON) /.exec(line) ?? [];
    if (!name.startsWith("markets_"))
      assert.doesNotMatch(
        line,
        /\b(?:state|stage|phase)\)* (?:=|<>|[<>]=?) [^a-z]*\d/,
        "a condition must not compare a state with a bare number",
      );
    const told = line.replace(named, (_, by: string, word: string) => String(tables[by]?.[word]));
    const numbers = [...told.matchAll(condition)].flatMap(([, list = ""]) => list.split(", "));
    if (numbers.length > 0) found[name] = numbers.map(Number);
  }
  assert.deepEqual(found, meant);
});
