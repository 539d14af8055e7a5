// Applies liquidation events to cash and positions. Both sides of each posting are booked here, so the sum of cash
// less entry values does not change.

import { SystemAccount, Wallet } from "../../../core/accounts.ts";
import { assert, unreachable } from "../../../core/assert.ts";
import {
  EventKind,
  type FundHourSet,
  type InsuranceSettled,
  type LiquidationStaged,
  type PositionMoved,
  type TradingGateSet,
} from "../../../core/generated/events.ts";
import { InsuranceCause, LiquidationStage } from "../../../core/liquidation.ts";
import { isPerpetual } from "../../../core/markets.ts";
import type { StateObserver } from "../state-observer.ts";
import { changePosition, type PositionChange } from "../tables/positions.ts";
import type { VenueState } from "../venue-state.ts";
import { addBalance } from "./balance-posting.ts";
import { settleMarginLots } from "./position-coverage.ts";
import { notePosition } from "./tp-sl-posting.ts";

/** Events of liquidations, the insurance fund and the trading gate. */
type LiquidationEvent =
  | LiquidationStaged
  | InsuranceSettled
  | PositionMoved
  | TradingGateSet
  | FundHourSet;

export function applyLiquidation(
  state: VenueState,
  event: LiquidationEvent,
  observer: StateObserver | null,
): void {
  switch (event.kind) {
    case EventKind.liquidationStaged:
      stage(state, event);
      break;
    case EventKind.insuranceSettled:
      settleInsurance(state, event, observer);
      break;
    case EventKind.positionMoved:
      movePosition(state, event, observer);
      break;
    case EventKind.tradingGateSet:
      state.liquidations.gate = event.gate;
      break;
    case EventKind.fundHourSet:
      state.fundHours.set(event);
      break;
    default:
      unreachable(event);
  }
}

function stage(state: VenueState, event: LiquidationStaged): void {
  assert(state.accounts.exists(event.account), "the account of a liquidation must exist");
  const isUnder = state.liquidations.of(event.account) !== undefined;
  assert(
    isUnder || event.stage !== LiquidationStage.none,
    "a liquidation must be started before it ends",
  );
  state.liquidations.set(event);
}

/** Books a payment between an account and the insurance fund. */
function settleInsurance(
  state: VenueState,
  event: InsuranceSettled,
  observer: StateObserver | null,
): void {
  const { account, amount } = event;
  const { quote } = state.table.market(event.market);
  assert(state.accounts.exists(account), "the account that settles with the fund must exist");
  const fund = SystemAccount.insurance;
  assert(
    account !== fund && amount !== 0n,
    "the fund must settle an amount other than 0 with another account",
  );
  addBalance(state, observer, account, Wallet.perp, quote.id, amount);
  addBalance(state, observer, fund, Wallet.perp, quote.id, -amount);
  if (event.cause === InsuranceCause.shortfall) state.fundHours.pay(event.market, amount);
}

/** Moves lots from one account's position to the position of its counterparty. */
function movePosition(
  state: VenueState,
  event: PositionMoved,
  observer: StateObserver | null,
): void {
  const market = state.table.market(event.market);
  const { account, counterparty, qty, value, pnl, counterpartyPnl } = event;
  assert(
    isPerpetual(market) && account !== counterparty,
    "a position must move between two different accounts",
  );
  assert(state.accounts.exists(counterparty), "the account that receives a position must exist");
  const held = state.positions.qty(account, market.id);
  assert(
    qty !== 0 && held > 0 === qty > 0,
    "the moved quantity must have the sign of the position",
  );
  assert(Math.abs(qty) <= Math.abs(held), "the moved quantity must not exceed the position");
  const size = qty > 0 ? value : -value;
  assert(size >= 0n, "the value must have the sign of the position");
  book(state, { account, market: market.id, qty: -qty, size, pnl }, observer);
  const taken = { account: counterparty, market: market.id, qty, size, pnl: counterpartyPnl };
  book(state, taken, observer);
  settleMarginLots(state, account, market, observer);
  settleMarginLots(state, counterparty, market, observer);
}

const before = { qty: 0, entryValue: 0n };
const after: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };

function book(
  state: VenueState,
  side: { account: number; market: number; qty: number; size: bigint; pnl: bigint },
  observer: StateObserver | null,
): void {
  const { account, market, qty, size, pnl } = side;
  before.qty = state.positions.qty(account, market);
  before.entryValue = state.positions.entryValue(account, market);
  changePosition(before, qty, size, after);
  assert(
    after.pnl === pnl,
    "the profit in the event must be equal to the computed profit of the position",
  );
  state.positions.set(account, market, after);
  notePosition(state, account, market);
  observer?.positionChanged(account, market);
  addBalance(state, observer, account, Wallet.perp, state.table.market(market).quote.id, pnl);
}
