// Commands between a gateway and the leader. No gateway's clock may move the venue's time, so on the way a command has
// no times but durations: the gateway subtracts its own time before it sends, and the leader adds the venue's time when
// the command arrives.

import { type Command, CommandKind } from "./generated/commands.ts";
import { goodTillMaxUs, remainingMsMax } from "./limits.ts";

const remainingUsMax = remainingMsMax * 1000;

/** What clients can ask for, and the registration of the gateway. All else is for the leader's own threads. */
const kindsOfGateways: ReadonlySet<CommandKind> = new Set([
  CommandKind.placeOrder,
  CommandKind.placeList,
  CommandKind.cancelOrder,
  CommandKind.cancelAllOrders,
  CommandKind.cancelOrders,
  CommandKind.amendOrder,
  CommandKind.massQuote,
  CommandKind.setCountdown,
  CommandKind.setMakerGroup,
  CommandKind.resetMakerGroup,
  CommandKind.barrier,
  CommandKind.setLeverage,
  CommandKind.transfer,
  CommandKind.openAccount,
  CommandKind.registerKey,
  CommandKind.changeKey,
  CommandKind.restrictKey,
  CommandKind.openSubAccount,
  CommandKind.moveBetweenAccounts,
  CommandKind.openSession,
  CommandKind.closeSession,
  CommandKind.setSessionKey,
  CommandKind.setReferrer,
  CommandKind.claimReward,
  CommandKind.bindWallet,
  CommandKind.requestWithdrawal,
  CommandKind.registerOrigin,
  CommandKind.openConnection,
  CommandKind.endConnection,
]);

/** What development tools of a gateway may ask for as well. */
const kindsOfDevelopment: ReadonlySet<CommandKind> = new Set([
  CommandKind.credit,
  CommandKind.settleFunding,
]);

/**
 * Replaces the command's times by what remains of them at `nowUs`, the gateway's time in microseconds. A deadline that
 * has passed becomes negative. To send a command again, start from its times, not from the durations sent before.
 */
export function toDurations(command: Command, nowUs: number): void {
  command.deadlineUs -= nowUs;
  command.atUs = 0;
  // A time in the past still has to be a time after the arrival, because 0 has a meaning of its own.
  if (command.kind === CommandKind.setCountdown && command.cancelAtUs > 0) {
    command.cancelAtUs = Math.max(command.cancelAtUs - nowUs, 1);
  }
  if (command.kind === CommandKind.openSession) {
    command.expiresUs = Math.max(command.expiresUs - nowUs, 1);
  }
}

/**
 * Stamps a command that arrives from a gateway at `nowUs`, the venue's time in microseconds: its durations become times,
 * with at most `remainingMsMax` until the deadline, and at most a year until anything else. Asserts nothing, because a
 * gateway may be faulty.
 */
export function fromDurations(command: Command, nowUs: number): void {
  command.atUs = nowUs;
  command.deadlineUs = nowUs + Math.min(command.deadlineUs, remainingUsMax);
  if (command.kind === CommandKind.setCountdown && command.cancelAtUs > 0) {
    command.cancelAtUs = nowUs + Math.min(command.cancelAtUs, goodTillMaxUs);
  }
  if (command.kind === CommandKind.openSession) {
    command.expiresUs = nowUs + Math.min(command.expiresUs, goodTillMaxUs);
  }
}

/**
 * Whether a gateway may send this command: it must be of a kind that clients can ask for, and must have an identity,
 * except for the registration and for barriers, which change nothing that could be done twice.
 */
export function isFromGateway(
  { kind, identity = null }: Command,
  { hasDevelopmentTools }: { readonly hasDevelopmentTools: boolean },
): boolean {
  const isAllowed =
    kindsOfGateways.has(kind) || (hasDevelopmentTools && kindsOfDevelopment.has(kind));
  if (!isAllowed) return false;
  if (kind === CommandKind.registerOrigin) return identity === null;
  return identity !== null || kind === CommandKind.barrier;
}
