// Commands about coins in a random day of a venue: settled coins, steps of swaps, deposits and withdrawals.

import { type Command, CommandKind } from "../../src/core/generated/commands.ts";
import { Side } from "../../src/core/orders.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { Draft, TestVenue } from "../support/machine/test-venue.ts";

type CoinScene = Pick<TestVenue, "state">;

/** Settles part or all of a wallet-funded account's unsettled coins, or more than there are. */
function settledOf(
  { state }: CoinScene,
  account: number,
  how: number,
  much: number,
): Draft<Command> {
  const left = state.unsettled.all();
  const found = left[much % Math.max(1, left.length)] ?? { account, asset: 0, amount: 1n };
  const share = BigInt(how % 7);
  return { kind: CommandKind.settleCoins, ...found, amount: (found.amount * share) / 5n };
}

/** Returns the next step of a swap, or a step that is already recorded. */
function swapMoveOf(venue: CoinScene, account: number, how: number, much: number): Draft<Command> {
  const { swapMoves, table } = venue.state;
  const ways = [SwapState.accepted, SwapState.accepted, SwapState.settled, SwapState.released];
  return {
    kind: CommandKind.recordSwapMove,
    account,
    moveNo: swapMoves + (how % 3 === 0 ? 0 : 1),
    swapNo: 1 + (much % 7),
    market: much % table.markets.length,
    side: how % 2 === 0 ? Side.buy : Side.sell,
    from: SwapState.quoted,
    to: ways[(how >> 1) % ways.length] ?? SwapState.accepted,
    reason: SwapReason.none,
    ...{
      price: 1 + (much % 1000),
      lots: 1 + (how % 1000),
      digestHigh: BigInt(much),
      digestLow: -1n,
    },
  };
}

/**
 * Returns a command about coins: settled coins, a step of a swap, a deposit, a bound wallet, or the request or end of a
 * withdrawal.
 */
export function custodyOf(
  venue: CoinScene,
  account: number,
  how: number,
  much: number,
): Draft<Command> {
  if (how % 2 === 0) return settledOf(venue, account, how >> 3, much);
  const { seq, withdrawals } = venue.state;
  const key = { high: BigInt(much % 90), low: 2n, payload: 0n };
  const asset = much % 5;
  const pending = [...withdrawals.all()];
  const withdrawalId = pending[much % Math.max(1, pending.length)]?.withdrawalId ?? 0;
  switch ((how >> 2) % 6) {
    case 5:
      return swapMoveOf(venue, account, how, much);
    case 0:
      return { kind: CommandKind.deposit, account, asset, amount: BigInt(much) * 1000n, key };
    case 1:
      if (how % 3 === 0) return { kind: CommandKind.bindWallet, account };
      return { kind: CommandKind.endWithdrawal, withdrawalId, isCompleted: much % 2 === 0 };
    case 2:
      return { kind: CommandKind.endWithdrawal, withdrawalId, isCompleted: much % 3 > 0 };
    default: {
      const amount = BigInt(much % 50) * 100_000n;
      const terms = { asset, amount, fee: BigInt(how % 3) * 100n, withdrawalId: 1 + seq };
      const destination = { destinationHigh: 1n, destinationLow: 2n };
      return { kind: CommandKind.requestWithdrawal, account, ...terms, ...destination, key };
    }
  }
}
