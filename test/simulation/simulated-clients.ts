// What customers and the operator ask in a simulated life: the steps of the clearing model, but for what
// settlement alone says of wallets, and with a second wallet that trades in the place of somebody else.

import { Wallet } from "../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../src/core/commands.ts";
import { askOf, type Scene, type Step } from "../model/clearing-steps.ts";
import type { Ask } from "../support/test-venue.ts";

/** Wallet-funded accounts with a party of their own. */
export const walletAccounts: readonly number[] = [1003, 1007];
/** Whose orders are half the time those of the second. */
const replaced = 1005;

/** What a step asks; null where it is nobody's business but settlement's. */
export function clientAsk(scene: Scene, step: Step): Ask<Command> | null {
  const ask = askOf(scene, step);
  if (isOfSettlement(ask)) return null;
  const [, , , how] = step;
  const isPlaced = ask.kind === CommandKind.placeOrder && ask.account === replaced;
  return isPlaced && how % 2 === 0 ? { ...ask, account: walletAccounts[1] ?? replaced } : ask;
}

/** Fronts give each session, key and withdrawal an id of its own. */
export function withOwnId(ask: Ask<Command>, id: number): Ask<Command> {
  if (ask.kind === CommandKind.openSession) return { ...ask, sessionId: id };
  if (ask.kind === CommandKind.setSessionKey) return { ...ask, keyId: id };
  if (ask.kind === CommandKind.requestWithdrawal) return { ...ask, withdrawalId: id };
  return ask;
}

function isOfSettlement(ask: Ask<Command>): boolean {
  const isWallet = walletAccounts.includes(ask.account ?? 0);
  switch (ask.kind) {
    case CommandKind.settleCoins:
    case CommandKind.bindWallet:
    case CommandKind.recordSwapMove:
      return true;
    case CommandKind.credit:
      return isWallet && ask.wallet === Wallet.spot;
    case CommandKind.setAccountFlags:
      return isWallet;
    default:
      return false;
  }
}
