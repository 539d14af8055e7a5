// Commands of customers and the operator in a simulation run, drawn as in test/model/clearing-steps.ts. Commands that
// only settlement sends are left out. Half of the orders of account 1005 come from the second wallet instead.

import { Wallet } from "../../../src/core/accounts.ts";
import { type Command, CommandKind } from "../../../src/core/generated/commands.ts";
import type { CommandLane } from "../../../src/ports/command-sink.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { isCancel, unstampedCommand } from "../../model/clearing-steps.ts";
import type { Scene, Step } from "../../model/step-scene.ts";
import type { Draft } from "../../support/machine/test-venue.ts";

/** Wallet-funded accounts; each has its own party on the ledger. */
export const walletAccounts: readonly number[] = [1003, 1009];
/** The account whose orders the second wallet places half of the time. */
const replaced = 1005;

const deadlineUs = 30_000_000;
const roll = 2 ** 16;
const firstFrontId = 1_000_000;

/** The customers of all fronts, which are sources 0 to `fronts` − 1. The source after them sends the clock ticks. */
export class SimulatedClients {
  readonly #random: SeededRandom;
  readonly #fronts: number;
  #correlation = 0;

  constructor(random: SeededRandom, fronts: number) {
    this.#random = random;
    this.#fronts = fronts;
  }

  /** Returns the next command and its lane, or null for a command that only settlement sends. */
  next(scene: Scene): { readonly command: Command; readonly lane: CommandLane } | null {
    const dice = (): number => this.#random.below(roll);
    const requested = clientCommand(scene, [dice(), dice(), dice(), dice(), dice(), dice()]);
    if (requested === null) return null;
    this.#correlation++;
    const request = withOwnId(requested, firstFrontId + this.#correlation);
    const isTick = request.kind === CommandKind.tick;
    const command = {
      account: 0,
      ...request,
      source: isTick ? this.#fronts : this.#random.below(this.#fronts),
      correlation: isTick ? 0 : this.#correlation,
      atUs: scene.nowUs,
      deadlineUs: scene.nowUs + deadlineUs,
    };
    return {
      command,
      lane: isCancel(request) && this.#random.below(2) === 0 ? "cancels" : "orders",
    };
  }

  tick(nowUs: number): Command {
    const stamp = { source: this.#fronts, correlation: 0, account: 0, atUs: nowUs };
    return { kind: CommandKind.tick, ...stamp, deadlineUs: nowUs };
  }
}

function clientCommand(scene: Scene, step: Step): Draft<Command> | null {
  const request = unstampedCommand(scene, step);
  if (isOfSettlement(request)) return null;
  const [, , , how] = step;
  const isPlaced = request.kind === CommandKind.placeOrder && request.account === replaced;
  return isPlaced && how % 2 === 0
    ? { ...request, account: walletAccounts[1] ?? replaced }
    : request;
}

/** Gives a session, key or withdrawal a unique id, as fronts do. */
function withOwnId(request: Draft<Command>, id: number): Draft<Command> {
  if (request.kind === CommandKind.openSession) return { ...request, sessionId: id };
  if (request.kind === CommandKind.setSessionKey) return { ...request, keyId: id };
  if (request.kind === CommandKind.requestWithdrawal) return { ...request, withdrawalId: id };
  return request;
}

function isOfSettlement(request: Draft<Command>): boolean {
  const isWallet = walletAccounts.includes(request.account ?? 0);
  switch (request.kind) {
    case CommandKind.settleCoins:
    case CommandKind.bindWallet:
    case CommandKind.recordSwapMove:
      return true;
    case CommandKind.credit:
      return isWallet && request.wallet === Wallet.spot;
    case CommandKind.setAccountFlags:
      return isWallet;
    default:
      return false;
  }
}
